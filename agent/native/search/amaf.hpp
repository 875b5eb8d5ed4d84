// AMAF statistics in the tree, and the choice of the table that a node is judged by (Cazenave 2015).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/amaf_tables.hpp"
#include "search/player_spec.hpp"
#include "search/statistics.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

class Amaf final : public Statistics {
 public:
  // All arguments must outlive the statistics.
  Amaf(const Circuit& circuit, const PlayerSpec& player, Tree& tree, Work& work);

  void begin_search(std::span<const std::int32_t> last_rows) override;
  void forget_tree() override;
  void begin_playout(const Flight& flight) override;
  void enter(const Flight& flight) override;
  void note_simulation(const Flight& flight, std::span<const std::int32_t> rows) override;
  void back_up(const Flight& flight, const std::int32_t* goals) override;
  std::size_t bytes() const override { return tables_.bytes(); }

  // The table that the node at which the flight stands is judged by: that of the nearest node on the path which has
  // counted enough playouts, or the root's where none has.
  const AmafTable& reference(const Flight& flight) { return tables_[of(flight).reference]; }

 private:
  struct AmafPlayout {
    std::int32_t reference = AmafTables::NO_TABLE;
    std::vector<std::int32_t> tables;  // [step of the path] table of the node, or NO_TABLE
    std::vector<std::int32_t> played;  // rows of the moves beyond the tree
  };

  AmafPlayout& of(const Flight& flight) { return playouts_[static_cast<std::size_t>(flight.number)]; }
  // Tells the tree how many bytes are held.
  void report_bytes();

  Tree& tree_;
  Work& work_;
  AmafTables tables_;
  std::uint32_t enough_;  // playouts through a node from which it is judged by its own table
  std::size_t bytes_reported_ = 0;
  std::vector<std::int32_t> role_of_row_;
  std::vector<AmafPlayout> playouts_;  // [flight]
};

}  // namespace gdl
