// Uniformly random playouts on all lanes, refilled where they end.
//
// With a number of playouts, playout p (0, 1, ...) has the stream of hash_combine(seed, p), each is started once and
// all are finished: the totals depend on the circuit, the seed and the number alone, and short playouts are not
// favoured. Without one, lane i starts with the stream of hash_combine(seed, i) and keeps it from playout to playout;
// playouts cut off by the clock are not counted as finished.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "evaluate.hpp"
#include "lane_chunk.hpp"
#include "lane_engine.hpp"
#include "listing.hpp"
#include "move_choice.hpp"

namespace gdl {
inline namespace GDL_ISA {

// Moves made since a lane's playout began, in bit planes.
template <class V>
class LaneAges {
 public:
  void step(V moving, V restarted) {
    V carry = moving;
    for (int i = 0; i < bits_; ++i) {
      const V age = plane_[i] & ~restarted;
      plane_[i] = age ^ carry;
      carry &= age;
    }
    if (any(carry)) plane_[bits_++] = carry;
  }
  std::uint64_t sum(V lanes) const {
    std::uint64_t sum = 0;
    for (int i = 0; i < bits_; ++i) sum += static_cast<std::uint64_t>(count_lanes(plane_[i] & lanes)) << i;
    return sum;
  }

 private:
  V plane_[64] = {};
  int bits_ = 1;
};

template <class V>
class PlayoutRun {
 public:
  using Chunks = std::vector<std::unique_ptr<LaneChunk<V>>>;

  PlayoutRun(const Circuit& circuit, const Program& program, Evaluator<V>& evaluator, MoveChoice<V>& choice,
             std::uint64_t seed, std::uint64_t playouts)
      : circuit_(circuit),
        program_(program),
        evaluator_(evaluator),
        choice_(choice),
        seed_(seed),
        limit_(playouts),
        goal_counts_(circuit.goal_value.size(), 0) {
    for (std::size_t f = 0; f < circuit.initial.size(); ++f) {
      if (circuit.initial[f]) initial_fluents_.push_back(static_cast<std::uint32_t>(f));
    }
  }

  PlayoutTotals run(Chunks& chunks, int lanes, double seconds, bool (*stop)()) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    begin(chunks, lanes);
    double now = 0, asked = 0;
    for (int steps = 1; any_active();) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        for (int step = 0; step < steps && any(active_[i]); ++step) run_step(*chunks[i], i);
      }
      const double before = now;
      now = elapsed();
      if (seconds > 0 && now >= seconds) break;
      if (now - asked >= STOP_INTERVAL) {
        if (stop != nullptr && stop()) break;
        asked = now;
      }
      const double next = now - before < BATCH_SECONDS / 2 ? steps * 2.0 : steps * (BATCH_SECONDS / (now - before));
      steps = next < 1 ? 1 : next > MAX_STEPS ? MAX_STEPS : static_cast<int>(next);
    }
    return totals(elapsed());
  }

 private:
  static constexpr double STOP_INTERVAL = 0.05;
  static constexpr double BATCH_SECONDS = 0.005;
  static constexpr int MAX_STEPS = 1 << 20;

  void begin(Chunks& chunks, int lanes) {
    active_.assign(chunks.size(), zeros<V>());
    ages_.assign(chunks.size(), LaneAges<V>());
    for (int lane = 0; lane < lanes; ++lane) {
      const auto chunk = static_cast<std::size_t>(lane / LANES<V>);
      if (limit_ != 0 && started_ == limit_) break;
      chunks[chunk]->streams.seed(lane % LANES<V>, hash_combine(seed_, started_++));
      active_[chunk][lane % LANES<V> / 64] |= std::uint64_t{1} << (lane % 64);
    }
    for (auto& chunk : chunks) {
      for (std::size_t f = 0; f < circuit_.initial.size(); ++f) {
        chunk->fluents(program_)[f] = circuit_.initial[f] ? ones<V>() : zeros<V>();
      }
    }
  }

  bool any_active() const {
    for (const V& lanes : active_) {
      if (any(lanes)) return true;
    }
    return false;
  }

  void run_step(LaneChunk<V>& chunk, std::size_t index) {
    evaluator_.run(program_.state_phase, chunk.values.bytes());
    const V done = chunk.value(program_.terminal) & active_[index];
    const V moving = active_[index] & ~done;
    states_ += static_cast<std::uint64_t>(count_lanes(moving));
    ages_[index].step(moving, done);
    choice_.template choose<true>(chunk.legal(program_), chunk.does(program_), moving, chunk.streams);
    if (any(done)) finish(chunk, index, done);  // after choosing, so that fresh streams are whole
    evaluator_.run(program_.move_phase, chunk.values.bytes());
    V* fluents = chunk.fluents(program_);
    const V* next = chunk.next(program_);
    for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) fluents[f] = next[f] & moving;
    for (const std::uint32_t f : initial_fluents_) fluents[f] |= ~moving;
  }

  // Counts the playouts that ended and lets their lanes begin new ones, if any are left.
  void finish(LaneChunk<V>& chunk, std::size_t index, V done) {
    finished_ += static_cast<std::uint64_t>(count_lanes(done));
    for (std::size_t g = 0; g < goal_counts_.size(); ++g) {
      goal_counts_[g] += static_cast<std::uint64_t>(count_lanes(chunk.value(program_.goal_literals[g]) & done));
    }
    if (limit_ == 0) return;
    V idle = zeros<V>();
    for_each_lane(done, [&](int lane) {
      if (started_ < limit_) {
        chunk.streams.seed(lane, hash_combine(seed_, started_++));
      } else {
        idle[lane / 64] |= std::uint64_t{1} << (lane % 64);
      }
    });
    active_[index] &= ~idle;
  }

  PlayoutTotals totals(double seconds) const {
    PlayoutTotals totals;
    totals.playouts = finished_;
    totals.states = states_;
    totals.finished_states = states_;
    for (std::size_t i = 0; i < active_.size(); ++i) totals.finished_states -= ages_[i].sum(active_[i]);
    totals.goals.assign(static_cast<std::size_t>(circuit_.n_roles), 0.0);
    for (std::size_t g = 0; g < goal_counts_.size(); ++g) {
      totals.goals[static_cast<std::size_t>(circuit_.goal_role[g])] +=
          static_cast<double>(goal_counts_[g]) * circuit_.goal_value[g];
    }
    totals.seconds = seconds;
    return totals;
  }

  const Circuit& circuit_;
  const Program& program_;
  Evaluator<V>& evaluator_;
  MoveChoice<V>& choice_;
  std::uint64_t seed_;
  std::uint64_t limit_;
  std::uint64_t started_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t states_ = 0;
  std::vector<std::uint64_t> goal_counts_;  // [goal]
  std::vector<std::uint32_t> initial_fluents_;
  std::vector<V> active_;          // [chunk] lanes with a playout
  std::vector<LaneAges<V>> ages_;  // [chunk]
};

}  // namespace GDL_ISA
}  // namespace gdl
