// Lets long work be stopped: it calls step() now and then, and every few milliseconds a function is asked whether to go
// on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace gdl {

class Pace {
 public:
  // The exception of step(). The function that was asked knows the reason.
  struct Stopped {};

  // `stop` says whether to give up. Without it the work goes on to the end.
  Pace() : Pace([] { return false; }) {}
  explicit Pace(std::function<bool()> stop) : stop_(std::move(stop)) {}

  // Call it once for every few hundred nanoseconds of work.
  void step() {
    if ((++steps_ & (STEPS - 1)) == 0) look();
  }

 private:
  static constexpr std::uint32_t STEPS = 1024;
  static constexpr std::chrono::milliseconds INTERVAL{20};

  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < INTERVAL) return;
    asked_ = now;
    if (stop_()) throw Stopped{};
  }

  std::function<bool()> stop_;
  std::uint32_t steps_ = 0;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace gdl
