// The seconds that each stage of a long run takes, estimated from every eighth step.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gdl {

// The stages of a step of batched search. The names in agent/search/uct.py are in this order.
enum class SearchStage : std::uint8_t { Load, Evaluate, Goals, Read, List, Tree, Choose, Advance };
inline constexpr std::size_t N_SEARCH_STAGES = 8;

class StageClock {
 public:
  void begin_step() {
    measuring_ = step_++ % INTERVAL == 0;
    if (measuring_) last_ = SteadyClock::now();
  }
  // Counts the time since the last call as part of `stage`.
  void end(SearchStage stage) {
    if (!measuring_) return;
    const auto now = SteadyClock::now();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - last_).count() * INTERVAL;
    last_ = now;
  }
  const std::array<double, N_SEARCH_STAGES>& seconds() const { return seconds_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::uint64_t INTERVAL = 8;

  bool measuring_ = false;
  std::uint64_t step_ = 0;
  SteadyClock::time_point last_;
  std::array<double, N_SEARCH_STAGES> seconds_{};
};

}  // namespace gdl
