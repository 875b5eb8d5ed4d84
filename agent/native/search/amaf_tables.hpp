// Mean goals of moves wherever they were made after a node, as if they had been made at the node ("all moves as first",
// AMAF: Gelly & Silver 2007).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/joint_links.hpp"

namespace gdl {

// Statistics of the moves made after a node, each of which counts once in a playout.
struct AmafTable {
  std::vector<std::uint32_t> visits;  // [row]
  std::vector<std::uint32_t> sums;    // [row] goals of the role that owns the move
  std::uint32_t playouts = 0;

  void add(std::int32_t row, std::int32_t goal) {
    ++visits[static_cast<std::size_t>(row)];
    sums[static_cast<std::size_t>(row)] += static_cast<std::uint32_t>(goal);
  }
};

// The tables of the nodes that were visited often enough. Tables of nodes that left the tree are used again.
class AmafTables {
 public:
  static constexpr std::int32_t NO_TABLE = -1;
  static constexpr std::size_t MOST_TABLES = 4096;

  explicit AmafTables(std::size_t rows) : rows_(rows), counted_(rows, 0) {}

  bool has_room() const { return tables_.size() < MOST_TABLES; }
  // Bytes held.
  std::size_t bytes() const {
    return tables_.size() * bytes_of_table() + table_of_.capacity() * sizeof(std::int32_t) +
           (counted_.capacity() + listed_.capacity()) * sizeof(std::uint32_t);
  }
  // Bytes of one table.
  std::size_t bytes_of_table() const { return sizeof(OwnedTable) + 2 * rows_ * sizeof(std::uint32_t); }
  // The table of a node, or NO_TABLE where it has none; with `make`, a node without a table gets a new one.
  std::int32_t of(Link node, bool make);
  AmafTable& operator[](std::int32_t table) { return tables_[static_cast<std::size_t>(table)].moves; }

  // Begins the list of the moves of a playout, from its end to its start; include() leaves out moves listed before.
  void begin_list();
  void include(std::int32_t row) {
    std::uint32_t& counted = counted_[static_cast<std::size_t>(row)];
    if (counted == list_) return;
    counted = list_;
    listed_.push_back(row);
  }
  std::span<const std::int32_t> listed() const { return listed_; }

 private:
  struct OwnedTable {
    Link node;
    AmafTable moves;
  };

  std::size_t rows_;
  std::vector<OwnedTable> tables_;
  std::vector<std::int32_t> table_of_;  // [node]
  std::vector<std::uint32_t> counted_;  // [row] number of the last list that has the move
  std::vector<std::int32_t> listed_;
  std::uint32_t list_ = 0;
};

}  // namespace gdl
