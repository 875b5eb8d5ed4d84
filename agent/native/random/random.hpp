// Seeds and their hashes. Lanes draw from lane_streams.hpp.
#pragma once

#include <cstdint>

namespace gdl {

// The finaliser of splitmix64 (Steele, Lea & Flood 2014): a bijection of 64-bit words that scatters close inputs.
[[gnu::always_inline]] inline constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// One step of the splitmix64 generator: moves `state` on and returns 64 random bits.
[[gnu::always_inline]] inline constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  return mix64(state);
}

// The seed of part `value` of a thing that has the seed `seed`. The order of the arguments matters.
[[gnu::always_inline]] inline constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t value) {
  return mix64(mix64(seed + 0x9E3779B97F4A7C15u) ^ (value * 0xD1342543DE82EF95u + 0x632BE59BD9B4E019u));
}

}  // namespace gdl
