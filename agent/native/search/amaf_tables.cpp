#include "search/amaf_tables.hpp"

#include <algorithm>

namespace gdl {

std::int32_t AmafTables::of(Link node, bool make) {
  if (table_of_.size() <= node.node) {
    if (!make) return NO_TABLE;
    table_of_.resize(static_cast<std::size_t>(node.node) + 1, NO_TABLE);
  }
  std::int32_t& table = table_of_[node.node];
  if (table != NO_TABLE && tables_[static_cast<std::size_t>(table)].node.generation == node.generation) return table;
  if (!make) return NO_TABLE;
  if (table == NO_TABLE) {
    table = static_cast<std::int32_t>(tables_.size());
    tables_.emplace_back();
  }
  OwnedTable& made = tables_[static_cast<std::size_t>(table)];
  made.node = node;
  made.moves.playouts = 0;
  made.moves.visits.assign(rows_, 0);
  made.moves.sums.assign(rows_, 0);
  return table;
}

void AmafTables::begin_list() {
  listed_.clear();
  if (++list_ != 0) return;
  std::fill(counted_.begin(), counted_.end(), 0u);
  list_ = 1;
}

}  // namespace gdl
