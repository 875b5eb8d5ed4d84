// Loops over gates of one shape: no branch but the loop's end where the shape is known to the compiler.
#pragma once

#include "lanes/vector.hpp"
#include "program/program.hpp"

namespace gdl::GDL_ISA {

template <class V>
GDL_INLINE V& at(char* values, std::uint32_t offset) {
  return *reinterpret_cast<V*>(values + offset);
}

// The AND (below, the OR) of `Count` operands at byte offsets.
template <int Count, class V>
GDL_INLINE V and_of(char* values, const std::uint32_t* operand) {
  if constexpr (Count == 0) {
    return ones<V>();
  } else if constexpr (Count == 1) {
    return at<V>(values, operand[0]);
  } else if constexpr (Count == 2) {
    return at<V>(values, operand[0]) & at<V>(values, operand[1]);
  } else {
    return and3(at<V>(values, operand[0]), at<V>(values, operand[1]), and_of<Count - 2, V>(values, operand + 2));
  }
}

template <int Count, class V>
GDL_INLINE V or_of(char* values, const std::uint32_t* operand) {
  if constexpr (Count == 0) {
    return zeros<V>();
  } else if constexpr (Count == 1) {
    return at<V>(values, operand[0]);
  } else if constexpr (Count == 2) {
    return at<V>(values, operand[0]) | at<V>(values, operand[1]);
  } else {
    return or3(at<V>(values, operand[0]), at<V>(values, operand[1]), or_of<Count - 2, V>(values, operand + 2));
  }
}

// some | product, where the product has `Positive` plain and `Negative` complemented operands.
template <int Positive, int Negative, class V>
GDL_INLINE V or_product(V some, char* values, const std::uint32_t* operand) {
  static_assert(Positive + Negative >= 2 && Positive + Negative <= 3);
  if constexpr (Negative == 0) {
    const V most = and_of<Positive - 1, V>(values, operand + 1);
    return ternary<0xF8>(some, most, at<V>(values, operand[0]));
  } else if constexpr (Positive == 0) {
    const V most = or_of<Negative - 1, V>(values, operand + 1);
    return ternary<0xF1>(some, most, at<V>(values, operand[0]));
  } else {
    const V all = and_of<Positive, V>(values, operand);
    return ternary<0xF4>(some, all, or_of<Negative, V>(values, operand + Positive));
  }
}

// Runs `count` gates of a shape at `code`, values at `values`.
using Kernel = void (*)(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape);

// Gates without products and with few literals.
template <class V, int Positive, int Negative, bool Inverted>
void run_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape&) {
  for (; count != 0; --count, code += 1 + Positive + Negative) {
    V value;
    if constexpr (Positive == 0) {
      value = or_of<Negative, V>(values, code + 1);
      if constexpr (!Inverted) value = ~value;
    } else {
      value = and_of<Positive, V>(values, code + 1);
      if constexpr (Negative != 0) value &= ~or_of<Negative, V>(values, code + 1 + Positive);
      if constexpr (Inverted) value = ~value;
    }
    at<V>(values, code[0]) = value;
  }
}

// Gates of any shape. products(some, operand) ORs the gate's products to `some` and moves `operand` past them.
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

// Gates with products of one kind.
template <class V, int Positive, int Negative>
void run_gates_of_products(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  run_any_gates<V>(code, count, values, shape, [&](V some, const std::uint32_t*& operand) {
    for (int i = shape.n_first; i > 0; --i, operand += Positive + Negative) {
      some = or_product<Positive, Negative>(some, values, operand);
    }
    return some;
  });
}

// Gates with products of two kinds.
template <class V, int Positive, int Negative, int Positive2, int Negative2>
void run_gates_of_two_products(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  run_any_gates<V>(code, count, values, shape, [&](V some, const std::uint32_t*& operand) {
    for (int i = shape.n_first; i > 0; --i, operand += Positive + Negative) {
      some = or_product<Positive, Negative>(some, values, operand);
    }
    for (int i = shape.n_second; i > 0; --i, operand += Positive2 + Negative2) {
      some = or_product<Positive2, Negative2>(some, values, operand);
    }
    return some;
  });
}

// The most frequent gates with products, where everything is known at compile time: the numbers of plain and of
// complemented operands, and one product, two of a kind, or one each of two kinds. An empty `Second` is no product.
template <class V, int Positive, int Negative, Product First, Product Second>
void run_frequent_gates(const std::uint32_t* code, std::uint32_t count, char* values, const Shape& shape) {
  constexpr int FIRST_PLACE = 1 + Positive + Negative;
  constexpr int SECOND_PLACE = FIRST_PLACE + First.positive + First.negative;
  constexpr int SECOND_LITERALS = Second.positive + Second.negative;
  const V flip = shape.inverted != (Positive == 0) ? ones<V>() : zeros<V>();
  for (; count != 0; --count, code += SECOND_PLACE + SECOND_LITERALS) {
    V some = or_of<Negative, V>(values, code + 1 + Positive);
    some = or_product<First.positive, First.negative>(some, values, code + FIRST_PLACE);
    if constexpr (SECOND_LITERALS != 0) {
      some = or_product<Second.positive, Second.negative>(some, values, code + SECOND_PLACE);
    }
    V value = some;
    if constexpr (Positive != 0) value = and_of<Positive, V>(values, code + 1) & ~some;
    at<V>(values, code[0]) = value ^ flip;
  }
}

}  // namespace gdl::GDL_ISA
