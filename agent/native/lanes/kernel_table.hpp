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

template <class V, int Number>
constexpr Kernel small_kernel() {
  constexpr int POSITIVE = Number / 2 / (MAX_KERNEL_LITERALS + 1), NEGATIVE = Number / 2 % (MAX_KERNEL_LITERALS + 1);
  if constexpr (POSITIVE + NEGATIVE == 0 || POSITIVE + NEGATIVE > MAX_KERNEL_LITERALS) {
    return run_wide_gates<V>;
  } else {
    return run_gates<V, POSITIVE, NEGATIVE, Number % 2 != 0>;
  }
}

template <class V, int Number>
constexpr Kernel kind_kernel() {
  return run_gates_of_products<V, kind(Number).positive, kind(Number).negative>;
}

// The compiler of programs puts the lesser of two kinds first, so half of the table suffices.
template <class V, int Number>
constexpr Kernel kinds_kernel() {
  constexpr Product FIRST = kind(Number / N_KINDS), SECOND = kind(Number % N_KINDS);
  if constexpr (FIRST < SECOND) {
    return run_gates_of_two_products<V, FIRST.positive, FIRST.negative, SECOND.positive, SECOND.negative>;
  } else {
    return nullptr;
  }
}

// The kernel that knows the numbers of a gate's own operands, or null where there is none.
template <class V, Product First, Product Second>
Kernel frequent_kernel(int positive, int negative) {
  if (positive == 0 && negative == 0) return run_frequent_gates<V, 0, 0, First, Second>;
  if (positive == 0 && negative == 1) return run_frequent_gates<V, 0, 1, First, Second>;
  if constexpr (Second == Product{}) {
    if (positive == 0 && negative == 2) return run_frequent_gates<V, 0, 2, First, Second>;
    if (positive == 1 && negative == 0) return run_frequent_gates<V, 1, 0, First, Second>;
  }
  return nullptr;
}

template <class V, int Number>
Kernel frequent_kernel_of_kinds(int positive, int negative) {
  constexpr Product FIRST = kind(Number / (N_KINDS + 1));
  constexpr Product SECOND = Number % (N_KINDS + 1) == N_KINDS ? Product{} : kind(Number % (N_KINDS + 1));
  if constexpr (SECOND == Product{} || !(SECOND < FIRST)) {
    return frequent_kernel<V, FIRST, SECOND>(positive, negative);
  } else {
    return nullptr;
  }
}

template <class V>
Kernel frequent_kernel_for(const Shape& shape) {
  using FindKernel = Kernel (*)(int, int);
  static constexpr auto OF_KINDS = []<int... Numbers>(std::integer_sequence<int, Numbers...>) {
    return std::array<FindKernel, sizeof...(Numbers)>{frequent_kernel_of_kinds<V, Numbers>...};
  }(std::make_integer_sequence<int, N_KINDS*(N_KINDS + 1)>());
  if (shape.n_first + shape.n_second > 2) return nullptr;
  const int first = kind_number(shape.first);
  const int second = shape.n_first == 2 ? first : shape.n_second == 1 ? kind_number(shape.second) : N_KINDS;
  return OF_KINDS[static_cast<std::size_t>(first * (N_KINDS + 1) + second)](shape.positive, shape.negative);
}

template <class V>
Kernel kernel_for(const Shape& shape) {
  static constexpr auto SMALL = []<int... Numbers>(std::integer_sequence<int, Numbers...>) {
    return std::array{small_kernel<V, Numbers>()...};
  }(std::make_integer_sequence<int, N_SMALL>());
  static constexpr auto OF_KIND = []<int... Numbers>(std::integer_sequence<int, Numbers...>) {
    return std::array{kind_kernel<V, Numbers>()...};
  }(std::make_integer_sequence<int, N_KINDS>());
  static constexpr auto OF_KINDS = []<int... Numbers>(std::integer_sequence<int, Numbers...>) {
    return std::array{kinds_kernel<V, Numbers>()...};
  }(std::make_integer_sequence<int, N_KINDS * N_KINDS>());
  const auto place = [](int number) { return static_cast<std::size_t>(number); };
  if (shape.n_first == 0) {
    if (shape.positive + shape.negative > MAX_KERNEL_LITERALS) return run_wide_gates<V>;
    return SMALL[place(small_number(shape.positive, shape.negative, shape.inverted))];
  }
  if (const Kernel kernel = frequent_kernel_for<V>(shape)) return kernel;
  if (shape.n_second == 0) return OF_KIND[place(kind_number(shape.first))];
  return OF_KINDS[place(kind_number(shape.first) * N_KINDS + kind_number(shape.second))];
}

}  // namespace gdl::GDL_ISA
