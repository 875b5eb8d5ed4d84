#include "search/move_range.hpp"

#include <array>
#include <cmath>

#include "arithmetic/logarithm.hpp"

namespace gdl {
namespace {

constexpr std::uint32_t TABLE_SIZE = 4096;
constexpr std::uint32_t EQUAL_VISITS = 1000;
constexpr double ROOT_SCALE = 0.2184424;  // ln 1000 / sqrt 1000

}  // namespace

double growth_of(UctGrowth kind, std::uint32_t visits) {
  const bool root = kind == UctGrowth::Root || (kind == UctGrowth::Deep && visits > EQUAL_VISITS);
  if (root) return ROOT_SCALE * std::sqrt(static_cast<double>(visits));
  static const std::array<double, TABLE_SIZE> table = [] {
    std::array<double, TABLE_SIZE> values{};
    for (std::uint32_t n = 1; n < TABLE_SIZE; ++n) values[n] = natural_log(n);
    return values;
  }();
  return visits < TABLE_SIZE ? table[visits] : natural_log(visits);
}

double mean_payoff(const MoveRange& moves) {
  std::uint64_t sum = 0, seen = 0;
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    sum += moves.sums[i];
    seen += moves.visits[i];
  }
  return seen == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(seen);
}

void replace_proven(const MoveRange& moves, double* values) {
  if (moves.proven == nullptr) return;
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    if (moves.proven[i] >= 0) values[i] = moves.proven[i];
  }
}

}  // namespace gdl
