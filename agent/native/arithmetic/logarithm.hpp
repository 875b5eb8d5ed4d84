// Logarithm and power from + - * / alone, so that every processor and library gives the same bits.
#pragma once

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

// e^x for |x| < 700.
inline double exponential(double x) {
  const double whole = std::floor(x / LN_2 + 0.5);
  const double rest = x - whole * LN_2;  // |rest| <= 0.35
  double series = 1;
  for (int term = 16; term >= 1; --term) series = 1 + rest * series / term;
  return std::ldexp(series, static_cast<int>(whole));  // exact
}

// base^exponent for a base >= 1; exact where the exponent is 0, 0.5 (correctly rounded) or 1.
inline double power(double base, double exponent) {
  if (exponent == 0) return 1;
  if (exponent == 1) return base;
  if (exponent == 0.5) return std::sqrt(base);
  return exponential(exponent * natural_log(base));
}

}  // namespace gdl
