#include "program/decisive_moves.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"
#include "compiler/simplifier.hpp"
#include "program/after_moves.hpp"

namespace gdl {
namespace {

// The game in one turn. The literals are over nodes.
struct TurnOfPlay {
  Circuit circuit;
  std::vector<RowKind> kinds;         // [row]
  std::vector<Literal> decisive;      // [row] legal and decisive
  std::vector<Literal> blunder;       // [row] a blunder, where the row is legal
  std::vector<Literal> any_decisive;  // [role]
  std::vector<Literal> any_safe;      // [role] whether a legal row is no blunder

  bool may_choose(std::size_t row) const { return kinds[row] == RowKind::Choosing; }
};

class Compilation {
 public:
  Compilation(const Circuit& circuit, const Turns& turns, const MutualExclusion& exclusion, Preferences preferences)
      : circuit_(circuit),
        turns_(turns),
        exclusion_(exclusion),
        preferences_(preferences),
        largest_goals_(circuit.largest_goals()),
        nodes_(static_cast<std::uint32_t>(circuit.n_fluents), circuit.move_start) {}

  DecisiveCircuit run() {
    if (!circuit_.loops.empty()) return {{}, {}, "its rules are recursive"};
    roots_ = import_roots(circuit_, nodes_, roots_of(circuit_));
    for (int turn = 0; turn < turns_.count(); ++turn) {
      play_.emplace_back().circuit = circuit_of_turn(circuit_, turns_, turn);
    }
    try {
      for_each_turn([this](TurnOfPlay& now, const TurnOfPlay& then) { find_decisive(now, then); });
      const auto is_unclear = [](RowKind kind) { return kind == RowKind::Unclear; };
      for (const TurnOfPlay& turn : play_) {
        if (std::ranges::any_of(turn.kinds, is_unclear)) return {{}, {}, "several roles may choose at the same time"};
      }
      if (preferences_.anti_decisive) {
        for_each_turn([this](TurnOfPlay& now, const TurnOfPlay& then) { find_blunders(now, then); });
      }
    } catch (const TooMuchWork&) {
      return {{}, {}, "its gates are too many"};
    }
    const auto finds = [](const TurnOfPlay& turn) {
      return std::ranges::any_of(turn.any_decisive, [](Literal literal) { return literal != FALSE_LITERAL; });
    };
    if (std::ranges::none_of(play_, finds)) return {{}, {}, "no move of it wins at once"};
    if (preferences_.decisive) append_preferred(false);
    if (preferences_.anti_decisive) append_preferred(true);
    Pace pace;
    const Nodes nodes = simplified(std::move(nodes_), roots_, pace);
    return {lay_out_like(circuit_, nodes, roots_), choosing_rows(), {}};
  }

 private:
  template <class Find>
  void for_each_turn(Find find) {
    for (int turn = 0; turn < turns_.count(); ++turn) {
      find(play_[static_cast<std::size_t>(turn)], play_[static_cast<std::size_t>(turns_.after(turn))]);
    }
  }

  // The literals of a circuit that say that a role has its largest goal.
  std::vector<Literal> wins_of(const Circuit& circuit, std::int32_t role) const {
    const std::int32_t largest = largest_goals_[static_cast<std::size_t>(role)];
    std::vector<Literal> wins;
    for (std::size_t goal = 0; goal < circuit.goal_literal.size(); ++goal) {
      if (circuit.goal_role[goal] == role && circuit.goal_value[goal] == largest && largest > 0) {
        wins.push_back(circuit.goal_literal[goal]);
      }
    }
    return wins;
  }

  std::size_t role_of(std::size_t row) const {
    return role_of_row(circuit_.move_start, static_cast<std::int32_t>(row));
  }

  // [role] whether one of the role's literals holds.
  std::vector<Literal> any_of_role(const std::vector<Literal>& literals) {
    std::vector<Literal> any;
    for (std::size_t role = 0; role + 1 < circuit_.move_start.size(); ++role) {
      const auto first = static_cast<std::size_t>(circuit_.move_start[role]);
      const auto last = static_cast<std::size_t>(circuit_.move_start[role + 1]);
      any.push_back(nodes_.disjunction(std::span(literals).subspan(first, last - first)));
    }
    return any;
  }

  void find_decisive(TurnOfPlay& now, const TurnOfPlay& then) {
    now.decisive.assign(circuit_.legal.size(), FALSE_LITERAL);
    const Circuit& next = then.circuit;
    std::vector<std::vector<Literal>> wins;  // [role]
    std::vector<Literal> wanted{next.terminal};
    for (std::int32_t role = 0; role < circuit_.n_roles; ++role) {
      wins.push_back(wins_of(next, role));
      wanted.insert(wanted.end(), wins.back().begin(), wins.back().end());
    }
    AfterMoves moves(now.circuit, nodes_, exclusion_);
    now.kinds = moves.kinds();
    moves.for_each(next, wanted, [&](std::int32_t row) {
      const auto place = static_cast<std::size_t>(row);
      std::vector<Literal> goals;
      for (const Literal win : wins[role_of(place)]) goals.push_back(moves.after(win));
      const Literal won = moves.assumptions().disjunction(goals);
      if (won == FALSE_LITERAL) return;
      const Literal all[] = {roots_.legal[place], won, over(moves.after(next.terminal), won, moves.assumptions())};
      now.decisive[place] = nodes_.conjunction(all);
    });
    now.any_decisive = any_of_role(now.decisive);
  }

  // Whether the match is over after a row that wins, which is right where `won` holds.
  Literal over(Literal terminal, Literal won, Assumptions& assumptions) const {
    assumptions.assume(won);
    if (is_complemented(won) && nodes_.is_gate(slot_of(won))) {
      const auto gate = nodes_.gate(slot_of(won));
      assumptions.exclude({gate.begin(), gate.end()});
    }
    std::vector<Literal> parts{terminal};
    const bool alternatives = is_complemented(terminal) && nodes_.is_gate(slot_of(terminal));
    if (alternatives) parts.assign(nodes_.gate(slot_of(terminal)).begin(), nodes_.gate(slot_of(terminal)).end());
    return negated_if(alternatives, assumptions.conjunction(parts));
  }

  void find_blunders(TurnOfPlay& now, const TurnOfPlay& then) {
    now.blunder.assign(circuit_.legal.size(), FALSE_LITERAL);
    std::vector<Literal> safe(circuit_.legal.size(), FALSE_LITERAL);
    const Circuit question = question_of(nodes_, roots_.terminal, then.any_decisive);
    std::vector<Literal> wanted = question.goal_literal;
    wanted.push_back(question.terminal);
    AfterMoves moves(now.circuit, nodes_, exclusion_);
    moves.for_each(question, wanted, [&](std::int32_t row) {
      const auto place = static_cast<std::size_t>(row);
      std::vector<Literal> others;
      for (std::size_t role = 0; role < question.goal_literal.size(); ++role) {
        if (role != role_of(place)) others.push_back(moves.after(question.goal_literal[role]));
      }
      const Literal both[] = {negated(moves.after(question.terminal)), moves.assumptions().disjunction(others)};
      now.blunder[place] = moves.assumptions().conjunction(both);
      const Literal kept[] = {roots_.legal[place], negated(now.blunder[place])};
      safe[place] = nodes_.conjunction(kept);
    });
    now.any_safe = any_of_role(safe);
  }

  void append_preferred(bool avoids_blunders) {
    for (std::size_t row = 0; row < circuit_.legal.size(); ++row) {
      roots_.preferred.push_back(preferred(row, avoids_blunders));
    }
  }

  // A row is preferred if it is legal, and there are no better ones in any turn.
  Literal preferred(std::size_t row, bool avoids_blunders) {
    std::vector<Literal> all{roots_.legal[row]};
    const auto is_live = [row](const TurnOfPlay& turn) { return turn.kinds[row] != RowKind::Dead; };
    const bool several_turns = std::ranges::count_if(play_, is_live) > 1;
    for (int turn = 0; turn < turns_.count(); ++turn) {
      const TurnOfPlay& now = play_[static_cast<std::size_t>(turn)];
      if (!now.may_choose(row)) continue;
      const Literal in_turn = several_turns ? holds_in(turn) : TRUE_LITERAL;
      const Literal one_wins = now.any_decisive[role_of(row)];
      const Literal others_win[] = {in_turn, one_wins, negated(now.decisive[row])};
      all.push_back(negated(nodes_.conjunction(others_win)));
      if (!avoids_blunders) continue;
      const Literal avoided[] = {in_turn, negated(one_wins), now.any_safe[role_of(row)], now.blunder[row]};
      all.push_back(negated(nodes_.conjunction(avoided)));
    }
    return nodes_.conjunction(all);
  }

  // [turn, row]
  std::vector<std::vector<std::uint8_t>> choosing_rows() const {
    std::vector<std::vector<std::uint8_t>> choosing;
    for (const TurnOfPlay& turn : play_) {
      auto& rows = choosing.emplace_back();
      for (std::size_t row = 0; row < turn.kinds.size(); ++row) rows.push_back(turn.may_choose(row));
    }
    return choosing;
  }

  Literal holds_in(int turn) {
    std::vector<Literal> fluents;
    for (std::size_t i = 0; i < turns_.fluents.size(); ++i) {
      const Literal fluent = nodes_.fluent(static_cast<std::uint32_t>(turns_.fluents[i]));
      fluents.push_back(negated_if(turns_.values[static_cast<std::size_t>(turn)][i] == 0, fluent));
    }
    return nodes_.conjunction(fluents);
  }

  const Circuit& circuit_;
  const Turns& turns_;
  const MutualExclusion& exclusion_;
  const Preferences preferences_;
  const std::vector<std::int32_t> largest_goals_;
  Nodes nodes_;
  Roots roots_;                   // over nodes
  std::vector<TurnOfPlay> play_;  // [turn]
};

}  // namespace

DecisiveCircuit with_decisive_moves(const Circuit& circuit, const Turns& turns, const MutualExclusion& exclusion,
                                    Preferences preferences) {
  return Compilation(circuit, turns, exclusion, preferences).run();
}

}  // namespace gdl
