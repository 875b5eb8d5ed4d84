// The costs of 64 lanes at once, a byte each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "circuit/relaxed_costs.hpp"
#include "lanes/vector_array.hpp"

namespace gdl::GDL_ISA {

using CostBytes = std::uint8_t __attribute__((vector_size(64)));

GDL_INLINE CostBytes lesser(CostBytes one, CostBytes other) { return one < other ? one : other; }

// MOST in the lanes of a word that has 0, 0 in the others.
GDL_INLINE CostBytes most_where_not(std::uint64_t word) {
#if defined(__AVX512BW__)
  return reinterpret_cast<CostBytes>(_mm512_maskz_set1_epi8(~word, RelaxedCosts::MOST));
#else
  constexpr std::uint64_t EACH = 0x0101010101010101, OWN_BIT = 0x8040201008040201;
  Vector512 spread;
  for (int byte = 0; byte < 8; ++byte) spread[byte] = (word >> (8 * byte) & 0xFF) * EACH;
  const CostBytes held = reinterpret_cast<CostBytes>(spread & splat<Vector512>(OWN_BIT));
  return reinterpret_cast<CostBytes>(held == 0) & RelaxedCosts::MOST;
#endif
}

// The lanes in which a cost is this number.
GDL_INLINE std::uint64_t equal_to(const CostBytes& costs, std::uint8_t number) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi8_mask(reinterpret_cast<const __m512i&>(costs), _mm512_set1_epi8(static_cast<char>(number)));
#else
  std::uint64_t lanes = 0;
  for (int lane = 0; lane < 64; ++lane) lanes |= std::uint64_t{costs[lane] == number} << lane;
  return lanes;
#endif
}

class CostLanes {
 public:
  // `word(fluent)`: the lanes in which it holds. Calls take(fact, lanes) for each fact of costs.
  template <class Word, class Take>
  void find(const RelaxedCosts& costs, Word word, Take take) {
    if (slots_.size() < costs.n_slots()) slots_ = VectorArray<CostBytes>(costs.n_slots());
    std::size_t slot = 0;
    for (const Literal input : costs.inputs) {
      const std::uint64_t holds = word(slot_of(input));
      slots_[slot++] = most_where_not(is_complemented(input) ? ~holds : holds);
    }
    for (const std::uint8_t cost : costs.initial) slots_[slot++] = CostBytes{} + cost;
    run_steps(costs);
    for (std::size_t role = 0; role < costs.role.size(); ++role) {
      const std::int32_t own = costs.role[role];
      for (std::uint8_t cost = 1; cost <= RelaxedCosts::MOST; ++cost) {
        const std::uint64_t lanes = own == RelaxedCosts::NO_SLOT ? 0 : equal_to(at(own), cost);
        take(role * RelaxedCosts::MOST + cost - 1, lanes);
      }
    }
  }

 private:
  CostBytes& at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

  void run_steps(const RelaxedCosts& costs) {
    std::size_t number = 0;
    for (std::size_t loop = 0; loop < costs.loops.size(); loop += 2) {
      const auto first = static_cast<std::size_t>(costs.loops[loop]);
      const auto last = static_cast<std::size_t>(costs.loops[loop + 1]);
      run(costs, number, first);
      for (int sweep = 0; sweep < RelaxedCosts::MOST_SWEEPS && any(run(costs, first, last)); ++sweep) {
      }
      number = last;
    }
    run(costs, number, costs.kinds.size());
  }

  // Returns the bits that change in the steps from `first` to before `last`.
  Vector512 run(const RelaxedCosts& costs, std::size_t first, std::size_t last) {
    const std::uint8_t* kinds = costs.kinds.data();
    const std::int32_t* starts = costs.steps.start().data();
    const std::int32_t* slots = costs.steps.values().data();
    Vector512 changes = zeros<Vector512>();
    while (first < last) {
      const std::uint8_t kind = kinds[first];
      const std::int32_t size = starts[first + 1] - starts[first];
      std::size_t end = first + 1;
      while (end < last && kinds[end] == kind && starts[end + 1] - starts[end] == size) ++end;
      const std::int32_t* code = slots + starts[first];
      switch (static_cast<CostStep>(kind)) {
        case CostStep::Sum:
          changes |= run_alike<CostStep::Sum>(code, end - first, size - 1);
          break;
        case CostStep::Least:
          changes |= run_alike<CostStep::Least>(code, end - first, size - 1);
          break;
        case CostStep::Move:
          changes |= run_alike<CostStep::Move>(code, end - first, size - 1);
          break;
      }
      first = end;
    }
    return changes;
  }

  template <CostStep Kind>
  Vector512 run_alike(const std::int32_t* code, std::size_t count, std::int32_t reads) {
    switch (reads) {
      case 1:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 1>());
      case 2:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 2>());
      case 3:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 3>());
      case 4:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 4>());
      case 5:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 5>());
      case 6:
        return run_sized<Kind>(code, count, std::integral_constant<std::int32_t, 6>());
      default:
        return run_sized<Kind>(code, count, reads);
    }
  }

  template <CostStep Kind, class Reads>
  Vector512 run_sized(const std::int32_t* code, std::size_t count, Reads reads) {
    constexpr std::int32_t BEFORE_OVERFLOW = UINT8_MAX / RelaxedCosts::MOST - 1;
    const CostBytes most = CostBytes{} + RelaxedCosts::MOST;
    Vector512 changes = zeros<Vector512>();
    for (; count != 0; --count, code += reads + 1) {
      CostBytes& own = at(code[0]);
      CostBytes found = at(code[1]);
      for (std::int32_t i = 2; i <= reads; ++i) {
        if constexpr (Kind == CostStep::Sum) {
          if (i % BEFORE_OVERFLOW == 0) found = lesser(found, most);
          found += at(code[i]);
        } else {
          found = lesser(found, at(code[i]));
        }
      }
      if constexpr (Kind == CostStep::Sum) found = lesser(found, most);
      if constexpr (Kind == CostStep::Move) found = lesser(found + 1, own);
      changes |= reinterpret_cast<Vector512>(found ^ own);
      own = found;
    }
    return changes;
  }

  VectorArray<CostBytes> slots_{0};
};

}  // namespace gdl::GDL_ISA
