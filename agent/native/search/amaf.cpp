#include "search/amaf.hpp"

namespace gdl {

Amaf::Amaf(const Circuit& circuit, const PlayerSpec& player, Tree& tree, Work& work)
    : tree_(tree),
      work_(work),
      tables_(circuit.legal.size()),
      enough_(player.grave_visits),
      playouts_(static_cast<std::size_t>(player.in_flight)) {
  for (int role = 0; role < circuit.n_roles; ++role) {
    role_of_row_.resize(static_cast<std::size_t>(circuit.move_start[static_cast<std::size_t>(role) + 1]), role);
  }
}

void Amaf::begin_search(std::span<const std::int32_t>) { bytes_reported_ = bytes(); }

void Amaf::forget_tree() { tables_ = AmafTables(role_of_row_.size()); }

void Amaf::begin_playout(const Flight& flight) {
  of(flight).tables.clear();
  of(flight).played.clear();
}

void Amaf::enter(const Flight& flight) {
  AmafPlayout& playout = of(flight);
  const bool at_root = flight.path.empty();
  const bool make = at_root || (tree_.node(flight.at).visits >= enough_ && tables_.has_room() &&
                                tree_.has_room_beside(tables_.bytes_of_table()));
  const std::int32_t table = tables_.of(tree_.link_to(flight.at), make);
  if (make) report_bytes();
  playout.tables.push_back(table);
  if (table == AmafTables::NO_TABLE) return;
  if (at_root || tables_[table].playouts >= enough_) playout.reference = table;
}

void Amaf::report_bytes() {
  tree_.set_beside(tree_.beside() - bytes_reported_ + bytes());
  bytes_reported_ = bytes();
}

void Amaf::note_simulation(const Flight& flight, std::span<const std::int32_t> rows) {
  of(flight).played.assign(rows.begin(), rows.end());
}

void Amaf::back_up(const Flight& flight, const std::int32_t* goals) {
  const AmafPlayout& playout = of(flight);
  tables_.begin_list();
  for (const std::int32_t row : playout.played) tables_.include(row);
  for (std::size_t at = flight.path.size(); at-- > 0;) {
    const PathStep& step = flight.path[at];
    const std::int32_t* rows = tree_.edges(step.node).rows;
    for_each_choice(flight, step, [&](std::int32_t, std::uint32_t edge) { tables_.include(rows[edge]); });
    if (playout.tables[at] == AmafTables::NO_TABLE) continue;
    AmafTable& table = tables_[playout.tables[at]];
    ++table.playouts;
    work_.add(Operation::Count, static_cast<std::int64_t>(tables_.listed().size()));
    for (const std::int32_t row : tables_.listed()) {
      table.add(row, goals[role_of_row_[static_cast<std::size_t>(row)]]);
    }
  }
}

}  // namespace gdl
