// What searches did, in logical operations: the same for any width, instruction set and company in a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gdl {

// agent/search/uct.py has the names in this order.
enum class Operation : std::uint8_t {
  Playout,  // finished
  Draw,     // joint moves of playouts, drawn uniformly
  Weigh,    // joint moves of playouts, drawn by knowledge
  Pass,     // nodes passed on the way down
  Compare,  // moves of these nodes, of the roles that have a choice
  Open,     // nodes whose moves were listed
  List,     // moves of these nodes
  Score,    // those that knowledge scored
  Count,    // moves counted in tables of all moves
  Recall,   // n-grams of several moves, looked up or counted
};
inline constexpr std::size_t N_OPERATIONS = 10;

class Work {
 public:
  void add(Operation operation, std::int64_t times = 1) { counts_[static_cast<std::size_t>(operation)] += times; }
  const std::array<std::int64_t, N_OPERATIONS>& counts() const { return counts_; }
  Work& operator+=(const Work& other) {
    for (std::size_t operation = 0; operation < N_OPERATIONS; ++operation)
      counts_[operation] += other.counts_[operation];
    return *this;
  }

 private:
  std::array<std::int64_t, N_OPERATIONS> counts_{};
};

}  // namespace gdl
