// Which kernel runs a shape.
#pragma once

#include <array>
#include <utility>

#include "lanes/gate_kernels.hpp"

namespace gdl::GDL_ISA {

// Kernels by number: small gates by literals, products by kind.
inline constexpr int MAX_KERNEL_LITERALS = 6;
inline constexpr int N_SMALL = (MAX_KERNEL_LITERALS + 1) * (MAX_KERNEL_LITERALS + 1) * 2;
inline constexpr int N_KINDS = 7;  // of products: two literals, then three, by the number of positive ones

constexpr int small_number(int positive, int negative, bool inverted) {
  return (positive * (MAX_KERNEL_LITERALS + 1) + negative) * 2 + (inverted ? 1 : 0);
}
constexpr int kind_number(Product product) {
  return product.positive + product.negative == 2 ? product.positive : 3 + product.positive;
}
constexpr Product kind(int number) {
  return number < 3 ? Product{number, 2 - number} : Product{number - 3, 6 - number};
}

template <class V, int NUMBER>
constexpr Kernel small_kernel() {
  constexpr int positive = NUMBER / 2 / (MAX_KERNEL_LITERALS + 1), negative = NUMBER / 2 % (MAX_KERNEL_LITERALS + 1);
  if constexpr (positive + negative == 0 || positive + negative > MAX_KERNEL_LITERALS) {
    return run_wide_gates<V>;
  } else {
    return run_gates<V, positive, negative, NUMBER % 2 != 0>;
  }
}

template <class V, int NUMBER>
constexpr Kernel kind_kernel() {
  return run_gates_of_products<V, kind(NUMBER).positive, kind(NUMBER).negative>;
}

// Of two kinds the compiler of programs puts the lesser first, so half of the table suffices.
template <class V, int NUMBER>
constexpr Kernel kinds_kernel() {
  constexpr Product first = kind(NUMBER / N_KINDS), second = kind(NUMBER % N_KINDS);
  if constexpr (first < second) {
    return run_gates_of_two_products<V, first.positive, first.negative, second.positive, second.negative>;
  } else {
    return nullptr;
  }
}

// The kernel of fixed numbers for a gate's own operands, or null.
template <class V, Product FIRST, Product SECOND>
Kernel frequent_kernel(int positive, int negative) {
  if (positive == 0 && negative == 0) return run_frequent_gates<V, 0, 0, FIRST, SECOND>;
  if (positive == 0 && negative == 1) return run_frequent_gates<V, 0, 1, FIRST, SECOND>;
  if constexpr (SECOND == Product{}) {
    if (positive == 0 && negative == 2) return run_frequent_gates<V, 0, 2, FIRST, SECOND>;
    if (positive == 1 && negative == 0) return run_frequent_gates<V, 1, 0, FIRST, SECOND>;
  }
  return nullptr;
}

template <class V, int NUMBER>
Kernel frequent_kernel_of_kinds(int positive, int negative) {
  constexpr Product first = kind(NUMBER / (N_KINDS + 1));
  constexpr Product second = NUMBER % (N_KINDS + 1) == N_KINDS ? Product{} : kind(NUMBER % (N_KINDS + 1));
  if constexpr (second == Product{} || !(second < first)) {
    return frequent_kernel<V, first, second>(positive, negative);
  } else {
    return nullptr;
  }
}

template <class V>
Kernel frequent_kernel_for(const Shape& shape) {
  using Find = Kernel (*)(int, int);
  static constexpr auto find = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array<Find, sizeof...(N)>{frequent_kernel_of_kinds<V, N>...};
  }(std::make_integer_sequence<int, N_KINDS*(N_KINDS + 1)>());
  if (shape.n_first + shape.n_second > 2) return nullptr;
  const int first = kind_number(shape.first);
  const int second = shape.n_first == 2 ? first : shape.n_second == 1 ? kind_number(shape.second) : N_KINDS;
  return find[static_cast<std::size_t>(first * (N_KINDS + 1) + second)](shape.positive, shape.negative);
}

template <class V>
Kernel kernel_for(const Shape& shape) {
  static constexpr auto small = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array{small_kernel<V, N>()...};
  }(std::make_integer_sequence<int, N_SMALL>());
  static constexpr auto of_kind = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array{kind_kernel<V, N>()...};
  }(std::make_integer_sequence<int, N_KINDS>());
  static constexpr auto of_kinds = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array{kinds_kernel<V, N>()...};
  }(std::make_integer_sequence<int, N_KINDS * N_KINDS>());
  const auto place = [](int number) { return static_cast<std::size_t>(number); };
  if (shape.n_first == 0) {
    if (shape.positive + shape.negative > MAX_KERNEL_LITERALS) return run_wide_gates<V>;
    return small[place(small_number(shape.positive, shape.negative, shape.inverted))];
  }
  if (const Kernel kernel = frequent_kernel_for<V>(shape)) return kernel;
  if (shape.n_second == 0) return of_kind[place(kind_number(shape.first))];
  return of_kinds[place(kind_number(shape.first) * N_KINDS + kind_number(shape.second))];
}

}  // namespace gdl::GDL_ISA
