#include "match/lane_tasks.hpp"

#include <stdexcept>

namespace gdl {

LaneTasks::LaneTasks(LaneEngine& engine, MatchGroups& groups, LaneSchedule& schedule, JointMoves& joints,
                     Simulations& simulations, ArenaProgress& progress, std::size_t preferences)
    : engine_(engine),
      groups_(groups),
      schedule_(schedule),
      joints_(joints),
      simulations_(simulations),
      progress_(progress),
      on_positions_(static_cast<std::size_t>(engine.lanes())),
      resting_(static_cast<std::size_t>(engine.lanes())),
      valuing_(static_cast<std::size_t>(engine.lanes())),
      preferring_(preferences, LaneMask(static_cast<std::size_t>(engine.lanes()))) {}

void LaneTasks::start_match(int group) {
  if (!groups_.start_next(group)) return;
  const int first = groups_.first_lane(group);
  resting_.exclude(first);
  for (int lane = first + 1; lane < first + groups_.group_lanes(); ++lane) resting_.include(lane);
  apply(first, LaneTask::ShowPosition);
}

void LaneTasks::end_match(int group) {
  groups_.end(group);
  ++progress_.matches;
  start_match(group);
}

void LaneTasks::deliver(int lane, LaneTask task) {
  apply(lane, selected(lane, task));
  const int group = groups_.group_of(lane), first = groups_.first_lane(group);
  while (groups_.plays(group) && match_of(first).take_wake()) {
    for (int other = first; other < first + groups_.group_lanes(); ++other) {
      if (!resting_.holds(other)) continue;
      resting_.exclude(other);
      apply(other, selected(other, match_of(other).resume(place_of(other), progress_.seconds)));
    }
  }
}

LaneTask LaneTasks::selected(int lane, LaneTask task) {
  while (task == LaneTask::Select) task = match_of(lane).select(place_of(lane), progress_.seconds);
  return task;
}

void LaneTasks::apply(int lane, LaneTask task) {
  switch (task) {
    case LaneTask::Expand:
      keep_joint(lane);
      schedule_.now().moving.include(lane);
      break;
    case LaneTask::LoadAndExpand:
      load_state(lane);
      keep_joint(lane);
      schedule_.next().moving.include(lane);
      break;
    case LaneTask::Open:
      schedule_.now().listing.include(lane);
      break;
    case LaneTask::LoadAndOpen:
      load_state(lane);
      schedule_.next().listing.include(lane);
      break;
    case LaneTask::ValueMoves:
      valuing_.include(lane);
      break;
    case LaneTask::Simulate:
      simulate(lane, schedule_.now());
      break;
    case LaneTask::LoadAndSimulate:
      load_state(lane);
      simulate(lane, schedule_.next());
      break;
    case LaneTask::ShowPosition:
      load_position(lane);
      schedule_.next().arriving.include(lane);
      break;
    case LaneTask::AdvancePosition:
      ++progress_.moves;
      load_position(lane);
      keep_joint(lane);
      schedule_.next().moving.include(lane);
      break;
    case LaneTask::Select:
      throw std::logic_error("a selection is to be followed to its end");
    case LaneTask::Wait:
      schedule_.next().waiting.include(lane);
      break;
    case LaneTask::Rest:
      resting_.include(lane);
      break;
    case LaneTask::Done:
      resting_.include(lane);
      end_match(groups_.group_of(lane));
      break;
  }
}

void LaneTasks::simulate(int lane, LaneActivities& activities) {
  simulations_.begin(lane, progress_.steps);
  for (LaneMask& each : preferring_) each.exclude(lane);
  if (const std::size_t kind = match_of(lane).preference(); kind != NO_PREFERENCE) preferring_[kind].include(lane);
  (match_of(lane).draws_next(place_of(lane)) ? activities.drawing : activities.playing).include(lane);
}

void LaneTasks::load_position(int lane) {
  on_positions_.include(lane);
  load(lane);
}

void LaneTasks::load_state(int lane) {
  on_positions_.exclude(lane);
  load(lane);
}

void LaneTasks::load(int lane) {
  const LaneMatch& match = match_of(lane);
  engine_.load(lane, match.state(place_of(lane)), match.lane_seed(place_of(lane)));
}

void LaneTasks::keep_joint(int lane) { joints_.keep(lane, match_of(lane).joint(place_of(lane))); }

}  // namespace gdl
