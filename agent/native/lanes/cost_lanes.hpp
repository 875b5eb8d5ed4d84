// The costs of 64 lanes at once, a byte each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

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

// The words of fluents in which 64 lanes stand.
struct FluentWords {
  const char* first;
  std::size_t stride;  // bytes from one fluent to the next

  // The lanes in which a literal of a fluent holds.
  std::uint64_t operator()(std::int32_t literal) const {
    std::uint64_t holds;
    std::memcpy(&holds, first + slot_of(static_cast<Literal>(literal)) * stride, 8);
    return is_complemented(static_cast<Literal>(literal)) ? ~holds : holds;
  }
};

class CostLanes {
 public:
  // Calls take(fact, lanes) for each fact of costs.
  template <class Take>
  void find(const RelaxedCosts& costs, const FluentWords& fluents, Take take) {
    if (slots_.size() < costs.n_slots) slots_ = VectorArray<CostBytes>(costs.n_slots);
    for (std::size_t slot = 0; slot < costs.initial.size(); ++slot) slots_[slot] = CostBytes{} + costs.initial[slot];
    run_steps(costs, fluents);
    for (std::size_t role = 0; role < costs.role.size(); ++role) {
      const std::int32_t own = costs.role[role];
      for (std::uint8_t cost = 1; cost <= RelaxedCosts::MOST; ++cost) {
        const std::uint64_t lanes = own == RelaxedCosts::NO_SLOT ? 0 : equal_to(at(own), cost);
        take(role * RelaxedCosts::MOST + cost - 1, lanes);
      }
    }
  }

 private:
  // Steps of a block that take as long one by one as all of it.
  static constexpr int MANY_DUE = 16;

  CostBytes& at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

  void run_steps(const RelaxedCosts& costs, const FluentWords& fluents) {
    const RelaxedCosts::AlikeSteps* runs = costs.runs.data();
    const std::int32_t* blocks = costs.block_runs.data();
    std::int32_t run = 0;
    for (std::size_t loop = 0; loop < costs.loops.size(); loop += 2) {
      const std::int32_t first = costs.loops[loop], last = costs.loops[loop + 1];
      for (; run < *blocks; ++run) run_all<false>(costs, runs[run], fluents);
      settle(costs, fluents, first, last, blocks);
      blocks += (last - first + RelaxedCosts::BLOCK - 1) / RelaxedCosts::BLOCK;
      run = *blocks++;
    }
    for (; run < std::ssize(costs.runs); ++run) run_all<false>(costs, runs[run], fluents);
  }

  // Runs the steps of a loop from `first` to before `last`, and then again those that follow from what changes, until
  // nothing does.
  void settle(const RelaxedCosts& costs, const FluentWords& fluents, std::int32_t first, std::int32_t last,
              const std::int32_t* blocks) {
    const auto n_blocks = static_cast<std::size_t>(last - first + RelaxedCosts::BLOCK - 1) / RelaxedCosts::BLOCK;
    due_.assign(n_blocks, ~std::uint64_t{0});
    bool again = true;
    for (int sweep = 0; again && sweep < RelaxedCosts::MOST_SWEEPS; ++sweep) {
      again = false;
      for (std::size_t block = 0; block < n_blocks; ++block) {
        const std::uint64_t due = std::exchange(due_[block], 0);
        if (due == 0) continue;
        again = true;
        const std::int32_t begin = first + static_cast<std::int32_t>(block) * RelaxedCosts::BLOCK;
        if (__builtin_popcountll(due) >= MANY_DUE) {
          run_block(costs, fluents, first, begin, blocks + block);
        } else {
          run_due(costs, fluents, first, begin, due);
        }
      }
    }
  }

  // Runs all steps of a block, which begins with step `begin`.
  void run_block(const RelaxedCosts& costs, const FluentWords& fluents, std::int32_t first, std::int32_t begin,
                 const std::int32_t* runs) {
    changed_ = 0;
    for (std::int32_t run = runs[0]; run < runs[1]; ++run) {
      shift_ = costs.runs[static_cast<std::size_t>(run)].first - begin;
      run_all<true>(costs, costs.runs[static_cast<std::size_t>(run)], fluents);
    }
    const std::size_t own = static_cast<std::size_t>(begin - first) / RelaxedCosts::BLOCK;
    for (std::uint64_t bits = changed_; bits != 0; bits &= bits - 1) {
      const int bit = __builtin_ctzll(bits);
      const std::uint64_t before = due_[own];
      make_due(costs, begin + bit, first);
      due_[own] &= before | ~(~std::uint64_t{1} << bit);  // those after it have been run since
    }
  }

  // Runs the steps of a block that are due.
  void run_due(const RelaxedCosts& costs, const FluentWords& fluents, std::int32_t first, std::int32_t begin,
               std::uint64_t due) {
    const std::size_t own = static_cast<std::size_t>(begin - first) / RelaxedCosts::BLOCK;
    while (due != 0) {
      const int bit = __builtin_ctzll(due);
      due &= due - 1;
      if (!run_one(costs, begin + bit, fluents)) continue;
      make_due(costs, begin + bit, first);
      const std::uint64_t ahead = due_[own] & ~std::uint64_t{1} << bit;
      due |= ahead;
      due_[own] ^= ahead;
    }
  }

  // The steps that follow from one are due.
  void make_due(const RelaxedCosts& costs, std::int32_t step, std::int32_t first) {
    for (const std::int32_t follower : costs.followers[static_cast<std::size_t>(step)]) {
      const auto place = static_cast<std::size_t>(follower - first);
      due_[place / 64] |= std::uint64_t{1} << (place % 64);
    }
  }

  // Returns whether a cost changes.
  bool run_one(const RelaxedCosts& costs, std::int32_t step, const FluentWords& fluents) {
    const auto number = static_cast<std::size_t>(step);
    const std::int32_t* code = costs.steps.values().data() + costs.steps.start()[number];
    const CostShape& shape = costs.shape_of(number);
    switch (shape.kind) {
      case CostStep::Sum:
        return put(code, cost<CostStep::Sum>(code, shape, fluents));
      case CostStep::Least:
        return put(code, cost<CostStep::Least>(code, shape, fluents));
      case CostStep::Move:
        return put(code, cost<CostStep::Move>(code, shape, fluents));
    }
    return false;
  }

  bool put(const std::int32_t* code, const CostBytes& found) {
    CostBytes& own = at(code[0]);
    const auto changes = reinterpret_cast<Vector512>(found ^ own);
    own = found;
    return any(changes);
  }

  // Runs neighbouring steps. Those of a loop tell which of them change.
  template <bool Loops>
  void run_all(const RelaxedCosts& costs, const RelaxedCosts::AlikeSteps& run, const FluentWords& fluents) {
    switch (run.shape.kind) {
      case CostStep::Sum:
        return run_alike<CostStep::Sum, Loops>(costs, run, fluents);
      case CostStep::Least:
        return run_alike<CostStep::Least, Loops>(costs, run, fluents);
      case CostStep::Move:
        return run_alike<CostStep::Move, Loops>(costs, run, fluents);
    }
  }

  template <CostStep Kind, bool Loops>
  void run_alike(const RelaxedCosts& costs, const RelaxedCosts::AlikeSteps& run, const FluentWords& fluents) {
    const auto shaped = [&]<int Singles>(std::integral_constant<int, Singles>) {
      run_shaped<Kind, Loops>(costs, run, fluents, FewSingles<Kind, Singles>());
    };
    if (run.shape.pairs == 0 && run.shape.triples == 0 && run.shape.rest == 0) {
      switch (run.shape.singles) {
        case 0:
          if constexpr (Kind == CostStep::Move) shaped(std::integral_constant<int, 0>());
          return;
        case 1:
          return shaped(std::integral_constant<int, 1>());
        case 2:
          return shaped(std::integral_constant<int, 2>());
        case 3:
          return shaped(std::integral_constant<int, 3>());
        case 4:
          return shaped(std::integral_constant<int, 4>());
        default:
          break;
      }
    }
    run_shaped<Kind, Loops>(costs, run, fluents, run.shape);
  }

  // The shape of steps of a kind with a few single slots.
  template <CostStep Kind, int Singles>
  struct FewSingles {
    static constexpr std::int32_t singles = Singles, pairs = 0, triples = 0, rest = 0;
    static constexpr std::int32_t head() { return Kind == CostStep::Move ? 2 : 1; }
    static constexpr std::int32_t reads() { return Singles; }
  };

  template <CostStep Kind, bool Loops, class Shape>
  void run_shaped(const RelaxedCosts& costs, const RelaxedCosts::AlikeSteps& run, const FluentWords& fluents,
                  const Shape& shape) {
    const std::int32_t* code = costs.steps.values().data() + costs.steps.start()[static_cast<std::size_t>(run.first)];
    const std::int32_t size = shape.head() + shape.reads();
    std::uint64_t changed = 0;
    for (std::int32_t i = 0; i < run.count; ++i, code += size) {
      const CostBytes found = cost<Kind>(code, shape, fluents);
      if constexpr (Loops) {
        changed |= std::uint64_t{put(code, found)} << i;
      } else {
        at(code[0]) = found;
      }
    }
    if constexpr (Loops) changed_ |= changed << shift_;
  }

  template <CostStep Kind, class Shape>
  GDL_INLINE CostBytes cost(const std::int32_t* code, const Shape& shape, const FluentWords& fluents) {
    constexpr bool SUMS = Kind == CostStep::Sum;
    constexpr std::int32_t BEFORE_OVERFLOW = UINT8_MAX / RelaxedCosts::MOST - 1;
    const CostBytes most = CostBytes{} + RelaxedCosts::MOST;
    const std::int32_t* read = code + shape.head();
    CostBytes found = SUMS ? CostBytes{} : most;
    std::int32_t summed = 0;
    const auto take = [&](const CostBytes& term) {
      if constexpr (SUMS) {
        if (++summed % BEFORE_OVERFLOW == 0) found = lesser(found, most);
        found += term;
      } else {
        found = lesser(found, term);
      }
    };
    const auto joined = [](const CostBytes& one, const CostBytes& other) {
      return SUMS ? lesser(one, other) : one + other;
    };
    for (std::int32_t i = 0; i < shape.singles; ++i, ++read) take(at(read[0]));
    for (std::int32_t i = 0; i < shape.pairs; ++i, read += 2) take(joined(at(read[0]), at(read[1])));
    for (std::int32_t i = 0; i < shape.triples; ++i, read += 3) {
      take(joined(joined(at(read[0]), at(read[1])), at(read[2])));
    }
    if (shape.rest > 0) {
      CostBytes term = at(read[0]);
      for (std::int32_t i = 1; i < shape.rest; ++i) term = joined(term, at(read[i]));
      take(term);
    }
    if constexpr (SUMS) found = lesser(found, most);
    if constexpr (Kind == CostStep::Move) found = lesser(found + 1, most_where_not(fluents(code[1])));
    return found;
  }

  VectorArray<CostBytes> slots_{0};
  std::vector<std::uint64_t> due_;  // scratch: bits of the steps of a loop, a word for each block
  std::uint64_t changed_ = 0;       // scratch: the steps of a block whose cost changes
  std::int32_t shift_ = 0;          // scratch: place of the present run in its block
};

}  // namespace gdl::GDL_ISA
