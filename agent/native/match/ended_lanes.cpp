#include "match/ended_lanes.hpp"

namespace gdl {

void EndedLanes::clear() {
  simulations_.clear();
  arrivals_.clear();
  waited_ = 0;
}

void EndedLanes::hold(LaneActivities& activities, const LaneMask& terminal) {
  simulations_.take(activities.playing, terminal);
  simulations_.take(activities.drawing, terminal);
  arrivals_.take(activities.arriving, terminal);
}

bool EndedLanes::due(const LaneSchedule& schedule) {
  if (goal_cost_ == 0) return true;
  waited_ += static_cast<double>(simulations_.count() + arrivals_.count()) / lanes_;
  return waited_ >= goal_cost_ || schedule.idle();
}

void EndedLanes::release(LaneMask& simulations, LaneMask& arriving) {
  simulations |= simulations_;
  arriving |= arrivals_;
  clear();
}

}  // namespace gdl
