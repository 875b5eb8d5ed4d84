// Loops over gates of one shape: no branch but the loop's end where the shape is known to the compiler.
#pragma once

#include "lanes/vector.hpp"
#include "program/program.hpp"

namespace gdl::GDL_ISA {

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

// some | product, for the product of POSITIVE and NEGATIVE operands.
template <int POSITIVE, int NEGATIVE, class V>
GDL_INLINE V or_product(V some, char* values, const std::uint32_t* operand) {
  static_assert(POSITIVE + NEGATIVE >= 2 && POSITIVE + NEGATIVE <= 3);
  if constexpr (NEGATIVE == 0) {
    const V most = and_of<POSITIVE - 1, V>(values, operand + 1);
    return ternary<0xF8>(some, most, at<V>(values, operand[0]));
  } else if constexpr (POSITIVE == 0) {
    const V most = or_of<NEGATIVE - 1, V>(values, operand + 1);
    return ternary<0xF1>(some, most, at<V>(values, operand[0]));
  } else {
    const V all = and_of<POSITIVE, V>(values, operand);
    return ternary<0xF4>(some, all, or_of<NEGATIVE, V>(values, operand + POSITIVE));
  }
}

// Runs `count` gates of a shape at `code`, values at `values`.
using Kernel = void (*)(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape);

// Gates without products and with few literals.
template <class V, int POSITIVE, int NEGATIVE, bool INVERTED>
void run_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape&) {
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

// Any gate. PRODUCTS(some, operand) ORs the gate's products to `some` and moves `operand` past them.
template <class V, class Products>
GDL_INLINE void run_any_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape,
                              Products products) {
  const V flip = shape.inverted ? ones<V>() : zeros<V>();
  for (; count != 0; --count) {
    const std::uint32_t out = *code++;
    V all = ones<V>(), some = zeros<V>();
    int i = shape.positive;
    for (; i >= 4; i -= 4, code += 4) all &= and_of<4, V>(values, code);
    for (; i > 0; --i) all &= at<V>(values, *code++);
    for (i = shape.negative; i >= 4; i -= 4, code += 4) some |= or_of<4, V>(values, code);
    for (; i > 0; --i) some |= at<V>(values, *code++);
    some = products(some, code);
    at<V>(values, out) = (all & ~some) ^ flip;
  }
}

template <class V>
void run_wide_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  run_any_gates<V>(code, count, values, shape, [](V some, const std::uint32_t*&) { return some; });
}

// Products of one kind.
template <class V, int POSITIVE, int NEGATIVE>
void run_gates_of_products(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  run_any_gates<V>(code, count, values, shape, [&](V some, const std::uint32_t*& operand) {
    for (int i = shape.n_first; i > 0; --i, operand += POSITIVE + NEGATIVE) {
      some = or_product<POSITIVE, NEGATIVE>(some, values, operand);
    }
    return some;
  });
}

// Products of two kinds.
template <class V, int POSITIVE, int NEGATIVE, int POSITIVE_2, int NEGATIVE_2>
void run_gates_of_two_products(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  run_any_gates<V>(code, count, values, shape, [&](V some, const std::uint32_t*& operand) {
    for (int i = shape.n_first; i > 0; --i, operand += POSITIVE + NEGATIVE) {
      some = or_product<POSITIVE, NEGATIVE>(some, values, operand);
    }
    for (int i = shape.n_second; i > 0; --i, operand += POSITIVE_2 + NEGATIVE_2) {
      some = or_product<POSITIVE_2, NEGATIVE_2>(some, values, operand);
    }
    return some;
  });
}

// The most frequent of the above, with everything known at compile time: POSITIVE and NEGATIVE operands and one product
// of a kind, two of it, or one each of two kinds (an empty SECOND: no second product).
template <class V, int POSITIVE, int NEGATIVE, Product FIRST, Product SECOND>
void run_frequent_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  constexpr int FIRST_PLACE = 1 + POSITIVE + NEGATIVE;
  constexpr int SECOND_PLACE = FIRST_PLACE + FIRST.positive + FIRST.negative;
  constexpr int SECOND_LITERALS = SECOND.positive + SECOND.negative;
  const V flip = shape.inverted != (POSITIVE == 0) ? ones<V>() : zeros<V>();
  for (; count != 0; --count, code += SECOND_PLACE + SECOND_LITERALS) {
    V some = or_of<NEGATIVE, V>(values, code + 1 + POSITIVE);
    some = or_product<FIRST.positive, FIRST.negative>(some, values, code + FIRST_PLACE);
    if constexpr (SECOND_LITERALS != 0) {
      some = or_product<SECOND.positive, SECOND.negative>(some, values, code + SECOND_PLACE);
    }
    V value = some;
    if constexpr (POSITIVE != 0) value = and_of<POSITIVE, V>(values, code + 1) & ~some;
    at<V>(values, code[0]) = value ^ flip;
  }
}

}  // namespace gdl::GDL_ISA
