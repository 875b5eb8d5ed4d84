#include "program/set_factoring.hpp"

#include <algorithm>
#include <bit>
#include <queue>
#include <span>
#include <utility>

namespace gdl {
namespace {

constexpr double MAX_COMPARISONS = 3e8;  // comparisons of words
constexpr std::size_t MOST_PARTS = 1024;
constexpr int SMALLEST_PART = 3;
constexpr int READERS_OF_A_PAIR = 4;  // a part of two elements must have so many readers to save anything

// The sets of one role, as bits over its rows and the parts that were found.
class SetFactoring {
 public:
  SetFactoring(std::int32_t first_row, std::int32_t n_rows) : first_row_(first_row), n_rows_(n_rows) {
    words_ = (static_cast<std::size_t>(n_rows) + MOST_PARTS + 63) / 64;
  }

  void add(std::span<const std::int32_t> rows) {
    bits_.resize(bits_.size() + words_);
    for (const std::int32_t row : rows) include(n_sets_, static_cast<std::size_t>(row - first_row_));
    ++n_sets_;
  }
  double comparisons() const {
    return static_cast<double>(n_sets_) * static_cast<double>(n_sets_) * static_cast<double>(words_) / 2;
  }

  void run() {
    const std::size_t given = n_sets_;
    for (std::size_t set = 1; set < given; ++set) compare(set, set);
    while (!queue_.empty() && n_sets_ - given < MOST_PARTS) {
      const Common top = queue_.top();
      queue_.pop();
      const int size = common(top.one, top.other);
      if (size != top.size) {
        if (size >= 2) queue_.push({size, top.one, top.other});
      } else {
        take(top, static_cast<std::size_t>(n_rows_) + n_sets_ - given);
      }
    }
  }

  // The elements of a set; part p (of this role) is row n_rows + p.
  std::vector<std::int32_t> elements(std::size_t set) const {
    std::vector<std::int32_t> found;
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t rest = of(set)[word]; rest != 0; rest &= rest - 1) {
        found.push_back(static_cast<std::int32_t>(word * 64) + std::countr_zero(rest));
      }
    }
    return found;
  }
  std::size_t n_sets() const { return n_sets_; }
  std::int32_t first_row() const { return first_row_; }
  std::int32_t n_rows() const { return n_rows_; }

 private:
  struct Common {
    int size;
    std::size_t one, other;
    // The largest common part comes first, then the first pair.
    bool operator<(const Common& than) const {
      return size != than.size ? size < than.size : std::pair(one, other) > std::pair(than.one, than.other);
    }
  };

  const std::uint64_t* of(std::size_t set) const { return bits_.data() + set * words_; }
  void include(std::size_t set, std::size_t bit) { bits_[set * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64); }

  int common(std::size_t one, std::size_t other) const {
    int size = 0;
    for (std::size_t word = 0; word < words_; ++word) size += std::popcount(of(one)[word] & of(other)[word]);
    return size;
  }
  void compare(std::size_t set, std::size_t with_those_before) {
    for (std::size_t other = 0; other < with_those_before; ++other) {
      if (const int size = common(other, set); size >= 2) queue_.push({size, other, set});
    }
  }

  // Makes the common rows of two sets a part, unless that saves nothing.
  void take(const Common& pair, std::size_t bit) {
    std::vector<std::uint64_t> part(words_);
    for (std::size_t word = 0; word < words_; ++word) part[word] = of(pair.one)[word] & of(pair.other)[word];
    std::vector<std::size_t> readers;
    for (std::size_t set = 0; set < n_sets_; ++set) {
      const auto inside = [](std::uint64_t small, std::uint64_t large) { return (small & ~large) == 0; };
      if (std::equal(part.begin(), part.end(), of(set), inside)) readers.push_back(set);
    }
    if (pair.size < SMALLEST_PART && readers.size() < READERS_OF_A_PAIR) return;
    for (const std::size_t set : readers) {
      for (std::size_t word = 0; word < words_; ++word) bits_[set * words_ + word] &= ~part[word];
      include(set, bit);
    }
    bits_.insert(bits_.end(), part.begin(), part.end());
    ++n_sets_;
    compare(n_sets_ - 1, n_sets_ - 1);
  }

  std::int32_t first_row_;
  std::int32_t n_rows_;
  std::size_t words_ = 0;
  std::size_t n_sets_ = 0;
  std::vector<std::uint64_t> bits_;  // [set, word]
  std::priority_queue<Common> queue_;
};

// The sets of a role, whose rows are given, that have several rows.
std::vector<std::size_t> sets_of(const Circuit& circuit, std::int32_t first_row, std::int32_t last_row) {
  std::vector<std::size_t> found;
  for (std::size_t set = 0; set < circuit.sets.size(); ++set) {
    const auto rows = circuit.sets[set];
    if (rows.size() > 1 && rows.front() >= first_row && rows.back() < last_row) found.push_back(set);
  }
  return found;
}

}  // namespace

FactoredSets factor_sets(const Circuit& circuit) {
  FactoredSets result;
  for (std::size_t set = 0; set < circuit.sets.size(); ++set) {
    const auto rows = circuit.sets[set];
    result.sets.emplace_back(rows.begin(), rows.end());
  }
  for (std::size_t role = 0; role + 1 < circuit.move_start.size(); ++role) {
    const std::int32_t first = circuit.move_start[role], last = circuit.move_start[role + 1];
    const std::vector<std::size_t> sets = sets_of(circuit, first, last);
    SetFactoring factoring(first, last - first);
    for (const std::size_t set : sets) factoring.add(circuit.sets[set]);
    if (factoring.comparisons() > MAX_COMPARISONS) continue;
    factoring.run();
    const auto first_part = circuit.n_rows() + static_cast<std::int32_t>(result.parts.size());
    for (std::size_t set = 0; set < factoring.n_sets(); ++set) {
      std::vector<std::int32_t> elements = factoring.elements(set);
      for (std::int32_t& element : elements) {
        element += element < factoring.n_rows() ? first : first_part - factoring.n_rows();
      }
      if (set < sets.size()) {
        result.sets[sets[set]] = std::move(elements);
      } else {
        result.parts.push_back(std::move(elements));
      }
    }
  }
  return result;
}

}  // namespace gdl
