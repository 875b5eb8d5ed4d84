// Mean goals of moves by the joint moves made before them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "random/random.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

// The last joint moves before a state, as far back as n-grams reach. They are given one at a time.
struct MoveContext {
  std::uint64_t last = 0;      // hash of the last joint move
  std::uint64_t last_two = 0;  // hash of the last two
  int known = 0;               // number of joint moves: 0, 1 or 2

  void follow(std::span<const std::int32_t> joint) {
    std::uint64_t hash = 0;
    for (const std::int32_t row : joint) hash = hash_combine(hash, static_cast<std::uint64_t>(row));
    last_two = hash_combine(last, hash);
    last = hash;
    known = known == 2 ? 2 : known + 1;
  }
  std::uint64_t pair(std::int32_t row) const { return hash_combine(last, static_cast<std::uint64_t>(row)); }
  std::uint64_t triple(std::int32_t row) const { return hash_combine(last_two, static_cast<std::uint64_t>(row)); }
};

// An n-gram of a role is one of its moves together with the last 0, 1 or 2 joint moves before it.
class NGramTable {
 public:
  // Visits from which an n-gram of two or three moves counts.
  static constexpr std::uint32_t ENOUGH = 7;
  static constexpr std::size_t MOST_SETS = 1 << 15;

  // A move that was made; it counts when its playout has ended.
  struct Made {
    std::array<std::uint64_t, 2> keys;  // of the n-grams of two and three moves
    int longer;                         // number of keys: 0, 1 or 2
    std::int32_t row;
    std::int32_t role;
  };

  // Knowledge of a move in a context.
  struct NGramEstimate {
    double sum;          // sum over the mean goals of its n-grams
    std::uint32_t seen;  // number of these n-grams, at least 1
    bool longer;         // whether the next longer n-gram is to be looked up

    double mean() const { return sum / seen; }
  };

  // `rows`: number of rows of the game. The table has room for four n-grams of two or three moves, 32 bytes, for each
  // state that the tree may hold, but for no more than MOST_SETS sets and an eighth of the bytes of the tree.
  NGramTable(std::size_t rows, const TreeLimits& limits);

  std::size_t bytes() const { return moves_.size() * sizeof(NGramGoals) + sets_.size() * sizeof(Set); }

  static Made made(const MoveContext& context, std::int32_t row, std::int32_t role) {
    return {{context.pair(row), context.triple(row)}, context.known, row, role};
  }
  // Counts the moves of a playout with the goals [n_roles] that it came to.
  void add(std::span<const Made> moves, const std::int32_t* goals, Work& work);
  // Halves all counts.
  void fade();

  // Estimates `rows`, moves of a role in one state: the estimate of a move is the mean over the mean goals of its
  // n-grams. A longer n-gram counts where it and all shorter ones have enough visits. A move never made has 100.
  void estimate(std::span<const std::int32_t> rows, const MoveContext& context, std::vector<NGramEstimate>& estimates,
                Work& work) const;

 private:
  // Statistics of at most 4095 visits; at that number they are halved.
  struct NGramGoals {
    std::uint32_t visits : 12 = 0;
    std::uint32_t sum : 20 = 0;

    double mean() const { return static_cast<double>(sum) / visits; }
    void add(std::int32_t goal);
    void halve();
  };
  struct NGramEntry {
    std::uint32_t tag = 0;  // part of the key that does not follow from the set
    NGramGoals goals;
  };
  // One cache line. A new n-gram replaces the one with the fewest visits.
  struct alignas(64) Set {
    std::array<NGramEntry, 8> entries;
  };

  std::size_t set_of(std::uint64_t key) const { return key & (sets_.size() - 1); }
  static std::uint32_t tag_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
  const NGramGoals* find(std::uint64_t key) const;
  void count(std::uint64_t key, std::int32_t goal);
  void estimate_alone(std::span<const std::int32_t> rows, const MoveContext& context,
                      std::vector<NGramEstimate>& estimates) const;
  void lengthen(std::span<const std::int32_t> rows, const MoveContext& context, int length,
                std::vector<NGramEstimate>& estimates, Work& work) const;

  std::vector<NGramGoals> moves_;  // [row]
  std::vector<Set> sets_;          // their number is a power of two
  bool empty_ = true;
};

}  // namespace gdl
