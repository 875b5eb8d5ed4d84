// Lanes that show a terminal state and wait until it pays to ask for goals.
#pragma once

#include <cstddef>

#include "match/lane_mask.hpp"
#include "match/lane_schedule.hpp"

namespace gdl {

// The first goals that are asked for in a step have a price, whatever the number of lanes (LaneEngine::goal_cost()).
class EndedLanes {
 public:
  // `goal_cost`: the price, in steps of all lanes; 0: lanes never wait.
  EndedLanes(std::size_t lanes, double goal_cost)
      : simulations_(lanes), arrivals_(lanes), lanes_(static_cast<double>(lanes)), goal_cost_(goal_cost) {}

  void clear();

  // Takes the lanes that show a terminal state out of their activities.
  void hold(LaneActivities& activities, const LaneMask& terminal);

  // Whether goals are asked for in this step; called once in every step. Waiting and asking cost the same in the long
  // run where they have cost the same so far. The result of a match with one lane does not depend on it.
  bool due(const LaneSchedule& schedule);

  // Ends the waiting: adds the lanes held to the simulations that ended and to the lanes that arrived.
  void release(LaneMask& simulations, LaneMask& arriving);

  const LaneMask& simulations() const { return simulations_; }
  const LaneMask& arrivals() const { return arrivals_; }

 private:
  LaneMask simulations_;
  LaneMask arrivals_;
  double waited_ = 0;  // steps of all lanes that the waiting has cost
  double lanes_;
  double goal_cost_;
};

}  // namespace gdl
