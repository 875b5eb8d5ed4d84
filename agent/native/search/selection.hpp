// The choice of a move at a node: UCB1, progressive bias, PUCT, progressive widening.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "random/draws.hpp"
#include "search/all_moves.hpp"
#include "search/move_averages.hpp"
#include "search/selection_kernels.hpp"
#include "search/tree.hpp"

namespace gdl {

// What an informed role adds to the mean payoff of a move.
enum class Exploration : std::uint8_t { Ucb, Puct };

// Python sets these too; the zeros are no defaults.
struct SelectionParameters {
  double uct_c = 0;            // in units of goals, 0..100
  std::vector<bool> informed;  // [role] knowledge orders and biases the moves of this role
  Exploration exploration = Exploration::Ucb;
  double puct_c = 0;           // in units of goals
  double bias = 0;             // goals added to a move of prior 1 that was never visited
  double fade = 0;             // the bias of a move visited n times is divided by (n + 1)^fade
  bool widening = false;       // progressive widening, for informed roles
  double widening_visits = 0;  // visits of a node from which moves are set aside
  std::int32_t widening_moves = 0;
  double widening_growth = 0;    // each further move returns when the visits have grown by this factor
  double grave_equivalence = 0;  // visits of a move that count as much as any number made elsewhere; 0: those do not
};

class Selection {
 public:
  Selection(const SelectionParameters& parameters, double mast_temperature);

  // Weight of a move by the averages, where there is a temperature.
  std::uint32_t weight(const MoveAverages& averages, std::int32_t row) const {
    return average_weights_->of(averages.mean(row));
  }

  // The edge `role` chooses at a node visited `visits` times, with knowledge where its moves are `ranked`. Draws from
  // the stream only among moves that were never visited.
  //
  // Without knowledge: a random one of the moves never visited, in proportion to their weights by `averages` if given;
  // where there is none, the largest
  //   v_i + C sqrt(ln n / n_i)     (formula 2.1; n: visits of the node, n_i of the move, v_i: its mean payoff).
  // A move whose goal is proven has that goal instead, with nothing added.
  // With knowledge, the largest
  //   v_i + C sqrt(ln n / n_i) + bias prior_i / (n_i + 1)^fade     (formula 2.2), or
  //   v_i + puct_c p_i sqrt(n) / (n_i + 1)     (PUCT, Silver et al. 2017; p_i: the move's share of all weights).
  // A move never visited has the role's mean payoff at the node, and in formula 2.2 counts as visited once: so the
  // knowledge can put off moves as well as bring them forward. Ties: moves never visited before others, a random one of
  // them; else the first.
  //
  // With `all_moves` (GRAVE, Cazenave 2015), v_i is (1 - b) v_i + b a_i for a move made m > 0 times after the node that
  // the table is of, with the mean payoff a_i, where b = m / (m + n_i + m n_i / equivalence), and every move counts as
  // visited once more. A move never made anywhere has, without knowledge, the mean payoff 100.
  std::uint32_t choose(const Edges& edges, int role, std::uint32_t visits, bool ranked, const MoveAverages* averages,
                       const MoveTable* all_moves, Draws& draws);

  // How many of an informed role's `moves` take part at a node visited `visits` times: all before `widening_visits`;
  // from then on the `widening_moves` best, one more at each growth of the visits by `widening_growth` (Chaslot et al.
  // 2008).
  std::uint32_t width(std::uint32_t moves, std::uint32_t visits) const;

 private:
  std::uint32_t choose_bare(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits,
                            const MoveAverages* averages, Draws& draws);
  std::uint32_t draw_fresh(const Edges& edges, std::uint32_t first, std::uint32_t last, const MoveAverages& averages,
                           Draws& draws) const;
  std::uint32_t choose_informed(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits,
                                Draws& draws);
  std::uint32_t choose_by_all_moves(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits,
                                    bool informed, const MoveTable& all_moves, Draws& draws);
  void explore(const Edges& edges, std::uint32_t first, std::uint32_t count, std::uint32_t visits, bool informed);
  Standing stand(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits);
  Bound best_informed(const Edges& edges, std::uint32_t first, std::uint32_t end, std::uint32_t visits);
  void find_bounds(const Edges& edges, std::uint32_t first, std::uint32_t count, std::uint32_t visits);
  void find_puct_bounds(const Edges& edges, std::uint32_t first, std::uint32_t count, double scale);
  void replace_proven(const Edges& edges, std::uint32_t first, std::uint32_t count);
  double faded_bias(std::uint32_t visits) const {
    return visits < bias_table_.size() ? bias_table_[visits] : computed_bias(visits);
  }
  double computed_bias(std::uint32_t visits) const;

  SelectionParameters parameters_;
  const SelectionKernels& kernels_;
  std::optional<AverageWeights> average_weights_;
  std::vector<double> bias_table_;  // [visits of a move] bias of prior 1
  std::vector<double> bounds_;      // scratch: [moves] what is to be largest
};

}  // namespace gdl
