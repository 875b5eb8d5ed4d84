#include "match/lane_states.hpp"

#include "circuit/legal_rows.hpp"

namespace gdl {
namespace {

// Joint moves of a simulation whose states are looked at, and of one that is given up.
constexpr std::int64_t LONG_SIMULATION = 1 << 10;
constexpr std::int64_t ENDLESS_SIMULATION = 1 << 20;

}  // namespace

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

// A state without moves for some role, or one that comes again and again, would keep its lane for ever.
void Simulations::check_ends(const Circuit& circuit, const LaneMask& simulating, std::int64_t step,
                             LaneReadings& readings) const {
  LaneMask listed(begun_.size());
  simulating.for_each([&](int lane) {
    const std::int64_t length = step - begun_[static_cast<std::size_t>(lane)];
    if (length > ENDLESS_SIMULATION) throw RuleViolation("a match went on for more than a million moves");
    if (length < LONG_SIMULATION) return;
    listed.clear();
    listed.include(lane);
    readings.list_legal(listed);
    for (int role = 0; role < circuit.n_roles; ++role) rows_of_role(circuit, role, readings.rows(lane));
  });
}

}  // namespace gdl
