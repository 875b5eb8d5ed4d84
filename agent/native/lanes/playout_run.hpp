// Uniformly random playouts on all lanes, refilled where they end.
//
// If the number of playouts is given, playout p (0, 1, ...) has the stream of hash_combine(seed, p), each is started
// once and all are finished: the totals depend on the circuit, the seed and the number alone, and short playouts are
// not favoured. If it is not, lane i starts with the stream of hash_combine(seed, i) and keeps it from playout to
// playout; playouts cut off by the clock are not counted as finished.
//
// If goals have a program of their own, the states of lanes that ended are kept until one of these lanes ends again.
//
// All lanes of a vector are in the same turn: a lane that ends its playout in another turn waits for the first.
#pragma once

#include <time.h>

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "lanes/bound_program.hpp"
#include "lanes/goal_lanes.hpp"
#include "lanes/lane_engine.hpp"
#include "lanes/listing.hpp"

namespace gdl::GDL_ISA {

// The number of moves since each lane's playout began, in bit planes.
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

// [chunk]; empty where the programs tell goals themselves.
template <class V>
using GoalChunks = std::vector<std::unique_ptr<GoalLanes<V>>>;

template <class V>
class PlayoutRun {
 public:
  using Chunks = std::vector<std::unique_ptr<LaneChunk<V>>>;

  PlayoutRun(const Circuit& circuit, BoundPrograms<V>& programs, GoalChunks<V>& goals, std::uint64_t seed,
             std::uint64_t playouts)
      : circuit_(circuit),
        programs_(programs),
        goals_(goals),
        seed_(seed),
        limit_(playouts),
        goal_counts_(circuit.goal_value.size(), 0) {
    for (std::size_t f = 0; f < circuit.initial.size(); ++f) {
      if (circuit.initial[f]) initial_fluents_.push_back(static_cast<std::uint32_t>(f));
    }
  }

  PlayoutTotals run(Chunks& chunks, int lanes, double seconds, bool (*stop)()) {
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = thread_seconds();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    begin(chunks, lanes);
    double now = 0, asked = 0;
    for (int steps = 1; any_active();) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        for (int step = 0; step < steps && any(active_[i] | ended_[i]); ++step) run_step(*chunks[i], i);
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
    for (auto& kept : goals_) count_goals(*kept);
    return totals(elapsed(), thread_seconds() - processor_start);
  }

 private:
  static constexpr double STOP_INTERVAL = 0.05;
  static constexpr double BATCH_SECONDS = 0.005;
  static constexpr int MAX_STEPS = 1 << 20;

  static double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  void begin(Chunks& chunks, int lanes) {
    active_.assign(chunks.size(), zeros<V>());
    ended_.assign(chunks.size(), zeros<V>());
    ages_.assign(chunks.size(), LaneAges<V>());
    for (int lane = 0; lane < lanes; ++lane) {
      const auto chunk = static_cast<std::size_t>(lane / LANES<V>);
      if (limit_ != 0 && started_ == limit_) break;
      chunks[chunk]->streams.seed(lane % LANES<V>, hash_combine(seed_, started_++));
      active_[chunk][lane % LANES<V> / 64] |= std::uint64_t{1} << (lane % 64);
    }
    for (auto& chunk : chunks) {
      chunk->turn = 0;
      for (std::size_t f = 0; f < circuit_.initial.size(); ++f) {
        chunk->fluents(programs_[0].program)[f] = circuit_.initial[f] ? ones<V>() : zeros<V>();
      }
    }
  }

  bool any_active() const {
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (any(active_[i] | ended_[i])) return true;
    }
    return false;
  }

  void run_step(LaneChunk<V>& chunk, std::size_t index) {
    BoundProgram<V>& bound = programs_[chunk.turn];
    const Program& program = bound.program;
    bound.runner.run(program.state_phase, chunk.values.bytes());
    const V done = chunk.value(program.terminal) & active_[index];
    const V moving = active_[index] & ~done;
    states_ += static_cast<std::uint64_t>(count_lanes(moving));
    ages_[index].step(moving, done);
    bound.choice.template choose<true>(chunk.preferred(program, 0), chunk.does(program), moving, chunk.streams);
    if (any(done)) count_ended(chunk, index, done);
    ended_[index] |= done;
    active_[index] = moving;
    bound.runner.run(program.move_phase, chunk.values.bytes());
    V* fluents = chunk.fluents(program);
    const V* next = chunk.next(program);
    for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) fluents[f] = next[f] & moving;
    chunk.turn = programs_.after(chunk.turn);
    if (chunk.turn != 0 || !any(ended_[index])) return;
    const V fresh = begin_playouts(chunk, ended_[index]);  // after choosing, so that fresh streams are whole
    for (const std::uint32_t f : initial_fluents_) fluents[f] |= fresh;
    active_[index] |= fresh;
    ended_[index] = zeros<V>();
  }

  void count_ended(LaneChunk<V>& chunk, std::size_t index, V done) {
    finished_ += static_cast<std::uint64_t>(count_lanes(done));
    const Program& program = programs_[chunk.turn].program;
    if (!goals_.empty()) {
      if (any(goals_[index]->kept() & done)) count_goals(*goals_[index]);
      goals_[index]->keep(chunk.fluents(program), circuit_.n_fluents, done);
      return;
    }
    for (std::size_t g = 0; g < goal_counts_.size(); ++g) {
      goal_counts_[g] += static_cast<std::uint64_t>(count_lanes(chunk.value(program.goal_literals[g]) & done));
    }
  }

  // Counts the goals of the states that are kept and forgets these.
  void count_goals(GoalLanes<V>& kept) {
    kept.evaluate();
    for (std::size_t g = 0; g < goal_counts_.size(); ++g) {
      goal_counts_[g] += static_cast<std::uint64_t>(count_lanes(kept.goal(g) & kept.kept()));
    }
    kept.forget();
  }

  // Begins playouts in some lanes as long as there are any to begin, and returns the lanes that have one.
  V begin_playouts(LaneChunk<V>& chunk, V lanes) {
    if (limit_ == 0) return lanes;
    V fresh = zeros<V>();
    for_each_lane(lanes, [&](int lane) {
      if (started_ == limit_) return;
      chunk.streams.seed(lane, hash_combine(seed_, started_++));
      fresh[lane / 64] |= std::uint64_t{1} << (lane % 64);
    });
    return fresh;
  }

  PlayoutTotals totals(double seconds, double cpu_seconds) const {
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
    totals.cpu_seconds = cpu_seconds;
    return totals;
  }

  const Circuit& circuit_;
  BoundPrograms<V>& programs_;
  GoalChunks<V>& goals_;
  std::uint64_t seed_;
  std::uint64_t limit_;
  std::uint64_t started_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t states_ = 0;
  std::vector<std::uint64_t> goal_counts_;  // [goal]
  std::vector<std::uint32_t> initial_fluents_;
  std::vector<V> active_;          // [chunk] lanes with a playout
  std::vector<V> ended_;           // [chunk] lanes that wait for the first turn to begin another
  std::vector<LaneAges<V>> ages_;  // [chunk]
};

}  // namespace gdl::GDL_ISA
