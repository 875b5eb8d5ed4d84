// What playouts say of all their moves, not of those in the tree alone.
#include "search/search.hpp"

namespace gdl {

// The nearest node on the way whose table has counted enough playouts speaks for a node; at first the root's.
void Search::refer(Flight& flight) {
  if (!all_moves_) return;
  const Node& node = tree_.node(flight.at);
  const bool at_root = flight.path.empty();
  const bool roomy = all_moves_->has_room() && tree_.has_room_beside(all_moves_->bytes_of_table());
  const bool make = at_root || (node.visits >= player_.grave_visits && roomy);
  const std::int32_t table = all_moves_->of(tree_.link_to(flight.at), make);
  if (make) count_beside();
  flight.table = table;
  if (table == AllMoves::NO_TABLE) return;
  if (at_root || (*all_moves_)[table].playouts >= player_.grave_visits) flight.reference = table;
}

void Search::count_moves(const Flight& flight, const std::int32_t* goals) {
  all_moves_->begin_list();
  for (const std::int32_t row : flight.played) all_moves_->include(row);
  for (auto step = flight.path.rbegin(); step != flight.path.rend(); ++step) {
    const Edges edges = tree_.edges(step->node);
    if (step->sum != nullptr) {
      all_moves_->include(edges.rows[step->edge]);
    } else {
      for (std::size_t role = 0; role < flight.choice.size(); ++role) {
        all_moves_->include(edges.rows[flight.several[step->edge + role]]);
      }
    }
    if (step->table == AllMoves::NO_TABLE) continue;
    MoveTable& table = (*all_moves_)[step->table];
    ++table.playouts;
    workspace_.work.add(Operation::Count, static_cast<std::int64_t>(all_moves_->listed().size()));
    for (const std::int32_t row : all_moves_->listed())
      table.add(row, goals[role_of_row_[static_cast<std::size_t>(row)]]);
  }
}

}  // namespace gdl
