// Moves drawn by the mean goals of their n-grams (NST: Tak, Winands & Björnsson 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/ngram_table.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/statistics.hpp"

namespace gdl {

class Nst final : public Statistics {
 public:
  // `rows`: number of rows of the game. The other arguments must outlive the statistics.
  Nst(std::size_t rows, const PlayerSpec& player, const Tree& tree, SearchMemory& memory, Work& work);

  void begin_search(std::span<const std::int32_t> last_rows) override;
  void begin_playout(const Flight& flight) override;
  void note_selection(const Flight& flight) override;
  void note_draw(const Flight& flight, std::span<const std::int32_t> roles) override;
  void back_up(const Flight& flight, const std::int32_t* goals) override;
  std::size_t bytes() const override { return table_.bytes(); }

  // Draws one of `rows`, several moves of a role in the state that the flight has come to, and returns its place. The
  // draw is ε-greedy: a share of the draws takes one of the moves with the best n-grams, the others are uniform.
  std::size_t draw(Flight& flight, std::span<const std::int32_t> rows);

 private:
  struct NstPlayout {
    MoveContext context;                 // of the state that the playout has come to
    std::vector<NGramTable::Made> made;  // moves chosen in the tree and drawn beyond it
  };

  NstPlayout& of(const Flight& flight) { return playouts_[static_cast<std::size_t>(flight.number)]; }

  const Tree& tree_;
  SearchMemory& memory_;
  Work& work_;
  NGramTable table_;
  std::uint64_t threshold_;  // number of greedy draws in 2^20
  MoveContext root_context_;
  std::vector<NstPlayout> playouts_;  // [flight]
};

}  // namespace gdl
