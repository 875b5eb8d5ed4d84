// The activity of every lane in this step and in the next.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "match/lane_mask.hpp"

namespace gdl {

// The activities of lanes from one evaluation to the next.
struct LaneActivities {
  explicit LaneActivities(std::size_t lanes)
      : moving(lanes), listing(lanes), arriving(lanes), playing(lanes), drawing(lanes), waiting(lanes) {}

  LaneMask moving;    // show a state in which a joint move is to be made
  LaneMask listing;   // show a state whose legal moves are asked for
  LaneMask arriving;  // show a state to be reported
  LaneMask playing;   // simulate, and draw moves uniformly themselves
  LaneMask drawing;   // simulate, and make the moves that their search draws
  LaneMask waiting;   // do nothing

  // The activities that need the state of their lane.
  std::array<LaneMask*, 5> on_states() { return {&moving, &listing, &arriving, &playing, &drawing}; }
  std::array<const LaneMask*, 5> on_states() const { return {&moving, &listing, &arriving, &playing, &drawing}; }
  bool need_states() const {
    return std::ranges::any_of(on_states(), [](const LaneMask* lanes) { return lanes->any(); });
  }
  void clear() {
    for (LaneMask* lanes : on_states()) lanes->clear();
    waiting.clear();
  }
};

class LaneSchedule {
 public:
  explicit LaneSchedule(std::size_t lanes) : now_(lanes), next_(lanes) {}

  LaneActivities& now() { return now_; }
  LaneActivities& next() { return next_; }

  void clear() {
    now_.clear();
    next_.clear();
  }
  void begin_step() {
    std::swap(now_, next_);
    next_.clear();
  }
  // Leaves the activities of the lanes that do not show their state to the next step.
  void postpone(const LaneMask& late) {
    const auto now = now_.on_states(), next = next_.on_states();
    for (std::size_t activity = 0; activity < now.size(); ++activity) next[activity]->take(*now[activity], late);
  }
  // Whether no lane has anything to do, in this step or in the next.
  bool idle() const { return !now_.need_states() && !next_.need_states() && !now_.waiting.any(); }

 private:
  LaneActivities now_;
  LaneActivities next_;
};

}  // namespace gdl
