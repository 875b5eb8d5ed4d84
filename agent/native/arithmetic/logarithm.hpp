// Logarithm, power and logistic function from + - * / alone, so that every processor and library gives the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gdl {

inline constexpr double LN_2 = 0.693147180559945309417;

// Natural logarithm of a positive, normal number, within a few units in the last place.
inline double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact: [0.5, 1)
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);  // |s| < 0.1716: ln m = 2 (s + s^3/3 + s^5/5 + ...)
  const double square = s * s;
  double series = 0;
  for (int power = 23; power >= 1; power -= 2) series = series * square + 1.0 / power;
  return exponent * LN_2 + 2 * s * series;
}

// e^x for |x| < 700, within a few units in the last place.
inline double exponential(double x) {
  const double whole = std::floor(x * (1 / LN_2) + 0.5);
  const double r = x - whole * LN_2;  // |r| <= 0.35: e^r = 1 + r + r^2/2! + ... + r^13/13!
  // The sums in brackets do not wait for each other (Estrin 1960).
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (1 + r) + r2 * (1 / 2.0 + r * (1 / 6.0));
  const double middle = (1 / 24.0 + r * (1 / 120.0)) + r2 * (1 / 720.0 + r * (1 / 5040.0));
  const double high = (1 / 40320.0 + r * (1 / 362880.0)) + r2 * (1 / 3628800.0 + r * (1 / 39916800.0)) +
                      r4 * (1 / 479001600.0 + r * (1 / 6227020800.0));
  const double series = low + r4 * (middle + r4 * high);
  const auto exponent = static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(whole));
  return series * std::bit_cast<double>(exponent << 52);  // exact: a power of two
}

// Beyond it, the logistic function is 0 or 1 to the last bit.
inline constexpr double STEEPEST_LOGISTIC = 40;

// 1 / (1 + e^-x), without branches, so that many are found at once.
inline double logistic(double x) {
  const double steep = x > STEEPEST_LOGISTIC ? STEEPEST_LOGISTIC : x < -STEEPEST_LOGISTIC ? -STEEPEST_LOGISTIC : x;
  const double value = 1 / (1 + exponential(-steep));
  return x > STEEPEST_LOGISTIC ? 1 : x < -STEEPEST_LOGISTIC ? 0 : value;
}

// base^exponent for a base >= 1; exact where the exponent is 0, 0.5 (correctly rounded) or 1.
inline double power(double base, double exponent) {
  if (exponent == 0) return 1;
  if (exponent == 1) return base;
  if (exponent == 0.5) return std::sqrt(base);
  return exponential(exponent * natural_log(base));
}

}  // namespace gdl
