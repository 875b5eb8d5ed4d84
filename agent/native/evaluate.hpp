// Running a compiled program on the lanes of one vector: one kernel per gate shape, so that a run of equal gates has
// no branch but its end.
#pragma once

#include <array>
#include <utility>

#include "program.hpp"
#include "vector.hpp"

namespace gdl {
inline namespace GDL_ISA {

template <class V>
GDL_INLINE V& at(char* values, std::uint32_t offset) {
  return *reinterpret_cast<V*>(values + offset);
}

// AND (or OR) of COUNT operands at byte offsets.
template <int COUNT, class V>
GDL_INLINE V and_of(char* values, const std::uint32_t* operand) {
  if constexpr (COUNT == 0) {
    return ones<V>();
  } else if constexpr (COUNT == 1) {
    return at<V>(values, operand[0]);
  } else if constexpr (COUNT == 2) {
    return at<V>(values, operand[0]) & at<V>(values, operand[1]);
  } else {
    return and3(at<V>(values, operand[0]), at<V>(values, operand[1]), and_of<COUNT - 2, V>(values, operand + 2));
  }
}

template <int COUNT, class V>
GDL_INLINE V or_of(char* values, const std::uint32_t* operand) {
  if constexpr (COUNT == 0) {
    return zeros<V>();
  } else if constexpr (COUNT == 1) {
    return at<V>(values, operand[0]);
  } else if constexpr (COUNT == 2) {
    return at<V>(values, operand[0]) | at<V>(values, operand[1]);
  } else {
    return or3(at<V>(values, operand[0]), at<V>(values, operand[1]), or_of<COUNT - 2, V>(values, operand + 2));
  }
}

// Runs `count` gates at `code`, values at `values`.
using Kernel = void (*)(const std::uint32_t* code, std::uint32_t count, char* values);

template <class V, int POSITIVE, int NEGATIVE, bool INVERTED>
void run_gates(const std::uint32_t* code, std::uint32_t count, char* values) {
  for (; count != 0; --count, code += 1 + POSITIVE + NEGATIVE) {
    V value;
    if constexpr (POSITIVE == 0) {
      value = or_of<NEGATIVE, V>(values, code + 1);
      if constexpr (!INVERTED) value = ~value;
    } else {
      value = and_of<POSITIVE, V>(values, code + 1);
      if constexpr (NEGATIVE != 0) value &= ~or_of<NEGATIVE, V>(values, code + 1 + POSITIVE);
      if constexpr (INVERTED) value = ~value;
    }
    at<V>(values, code[0]) = value;
  }
}

// Gates with many literals: counts of positive and negative literals precede them in the code.
template <class V, bool INVERTED>
void run_wide_gates(const std::uint32_t* code, std::uint32_t count, char* values) {
  for (; count != 0; --count) {
    const std::uint32_t out = code[0], positive = code[1], negative = code[2];
    code += 3;
    V all = ones<V>(), some = zeros<V>();
    std::uint32_t i = 0;
    for (; i + 4 <= positive; i += 4) all &= and_of<4, V>(values, code + i);
    for (; i < positive; ++i) all &= at<V>(values, code[i]);
    code += positive;
    for (i = 0; i + 4 <= negative; i += 4) some |= or_of<4, V>(values, code + i);
    for (; i < negative; ++i) some |= at<V>(values, code[i]);
    code += negative;
    const V value = all & ~some;
    at<V>(values, out) = INVERTED ? ~value : value;
  }
}

template <class V, int SHAPE>
constexpr Kernel kernel_of_shape() {
  constexpr Shape shape = shape_of_index(SHAPE);
  return run_gates<V, shape.positive, shape.negative, shape.inverted>;
}

template <class V, int... SHAPES>
constexpr std::array<Kernel, sizeof...(SHAPES) + 2> kernel_table(std::integer_sequence<int, SHAPES...>) {
  return {kernel_of_shape<V, SHAPES>()..., run_wide_gates<V, false>, run_wide_gates<V, true>};
}

// A program bound to the vector size: kernels for shapes, byte offsets for slots.
template <class V>
class Evaluator {
 public:
  explicit Evaluator(const Program& program) : program_(program), code_(program.code) {
    static constexpr auto kernels = kernel_table<V>(std::make_integer_sequence<int, N_SHAPES>());
    for (const std::uint32_t place : program.slot_places) code_[place] *= static_cast<std::uint32_t>(sizeof(V));
    for (const Run& run : program.runs) {
      steps_.push_back({kernels[static_cast<std::size_t>(run.shape)], code_.data() + run.code, run.gates});
    }
  }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

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
  struct Step {
    Kernel kernel;
    const std::uint32_t* code;
    std::uint32_t gates;
  };

  GDL_INLINE void run_once(const Segment& segment, char* values) const {
    const Step* last = steps_.data() + segment.last_run;
    for (const Step* step = steps_.data() + segment.first_run; step != last; ++step) {
      step->kernel(step->code, step->gates, values);
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

  const Program& program_;
  std::vector<std::uint32_t> code_;
  std::vector<Step> steps_;
  std::vector<std::uint64_t> before_;
};

}  // namespace GDL_ISA
}  // namespace gdl
