// A search that makes lines from a position to the end of the match, and keeps the best one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "puzzle/line.hpp"

namespace gdl {

class LineSearch {
 public:
  LineSearch() = default;
  LineSearch(const LineSearch&) = delete;
  LineSearch& operator=(const LineSearch&) = delete;
  virtual ~LineSearch() = default;

  // Forgets everything and starts from a state that is not terminal.
  virtual void begin(std::span<const std::uint64_t> root, std::uint64_t seed) = 0;
  // Sees some more states. `stop` is asked now and then; where it says yes, the step is given up.
  virtual void step(const std::function<bool()>& stop) = 0;
  // Whether there are no moves to make a line of, so that steps see nothing.
  virtual bool stuck() const { return false; }

  // The line with the largest goal, and among equals the shortest; its goal is -1 before the first one.
  const Line& best() const { return best_; }
  // States that moves have led to.
  std::int64_t states() const { return states_; }
  // About the number of states that the next step sees.
  std::int64_t states_of_step() const { return states_of_step_; }

 protected:
  Line best_;
  std::int64_t states_ = 0;
  std::int64_t states_of_step_ = 1 << 14;
};

}  // namespace gdl
