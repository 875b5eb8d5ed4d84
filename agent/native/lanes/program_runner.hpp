// Running a compiled program on the lanes of one vector.
#pragma once

#include <vector>

#include "lanes/kernel_table.hpp"

namespace gdl::GDL_ISA {

// A program bound to the vector size: kernels for shapes, byte offsets for slots.
template <class V>
class ProgramRunner {
 public:
  explicit ProgramRunner(const Program& program) : code_(program.code) {
    for (std::uint32_t& slot : code_) slot *= static_cast<std::uint32_t>(sizeof(V));
    for (const GateRun& run : program.runs) {
      runs_.push_back({kernel_for<V>(run.shape), code_.data() + run.code, run.gates, run.shape});
    }
  }
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  // Phase A or B on the values of one vector's lanes.
  void run(const std::vector<Segment>& phase, char* values) {
    for (const Segment& segment : phase) {
      if (segment.is_loop()) {
        run_loop(segment, values);
      } else {
        run_once(segment, values);
      }
    }
  }

 private:
  struct BoundRun {
    Kernel kernel;
    const std::uint32_t* code;
    std::uint32_t gates;
    Shape shape;
  };

  GDL_INLINE void run_once(const Segment& segment, char* values) const {
    const BoundRun* last = runs_.data() + segment.last_run;
    for (const BoundRun* run = runs_.data() + segment.first_run; run != last; ++run) {
      run->kernel(run->code, run->gates, values, run->shape);
    }
  }

  // Repeats the loop's gates until the values that go around it stay the same in all lanes.
  void run_loop(const Segment& segment, char* values) {
    for (const LoopGate& gate : segment.loop_gates) {
      at<V>(values, gate.slot * static_cast<std::uint32_t>(sizeof(V))) = gate.initial ? ones<V>() : zeros<V>();
    }
    const std::size_t n = segment.loop_gates.size();
    if (before_.size() < n * WORDS<V>) before_.resize(n * WORDS<V>);
    for (std::size_t round = 0; round <= n + 1; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(&before_[i * WORDS<V>], values + segment.loop_gates[i].slot * sizeof(V), sizeof(V));
      }
      run_once(segment, values);
      V changed = zeros<V>();
      for (std::size_t i = 0; i < n; ++i) {
        V before;
        std::memcpy(&before, &before_[i * WORDS<V>], sizeof(V));
        changed |= before ^ at<V>(values, static_cast<std::uint32_t>(segment.loop_gates[i].slot * sizeof(V)));
      }
      if (!any(changed)) return;
    }
    throw_endless_loop();
  }

  std::vector<std::uint32_t> code_;
  std::vector<BoundRun> runs_;
  std::vector<std::uint64_t> before_;  // values of a loop's gates before a round
};

}  // namespace gdl::GDL_ISA
