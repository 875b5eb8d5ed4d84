// Constants of a turn, carried through the circuit.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "program/turns.hpp"
#include "random/random.hpp"

namespace gdl {
namespace {

constexpr Literal TRUE_LITERAL = 0;
constexpr Literal FALSE_LITERAL = 1;

class Folding {
 public:
  Folding(const Circuit& circuit, const Turns& turns, int turn) : old_(circuit), new_(circuit) {
    new_.set_start = {0};
    new_.set_rows.clear();
    new_.gate_start = {0};
    new_.gate_literals.clear();
    new_.loops.clear();
    new_.loop_initial.clear();
    literal_.resize(circuit.first_gate_slot() + static_cast<std::size_t>(circuit.n_gates()));
    for (std::uint32_t slot = 0; slot < circuit.first_gate_slot(); ++slot) literal_[slot] = 2 * slot;
    const auto& values = turns.values[static_cast<std::size_t>(turn)];
    for (std::size_t i = 0; i < turns.fluents.size(); ++i) {
      literal_[1 + static_cast<std::size_t>(turns.fluents[i])] = values[i] != 0 ? TRUE_LITERAL : FALSE_LITERAL;
    }
  }

  Circuit run() && {
    fold_gates(0, old_.n_state_gates);
    new_.n_state_gates = new_.n_gates();
    for (Literal& literal : new_.legal) literal = folded(literal);
    new_.terminal = folded(old_.terminal);
    for (Literal& literal : new_.goal_literal) literal = folded(literal);
    fold_sets();
    fold_gates(old_.n_state_gates, old_.n_gates());
    for (Literal& literal : new_.next) literal = folded(literal);
    return std::move(new_);
  }

 private:
  Literal folded(Literal literal) const { return literal_[slot_of(literal)] ^ (literal & 1u); }

  void fold_gates(std::int32_t first, std::int32_t last) {
    for (const Loop loop : old_.loops) {
      if (loop.first < first || loop.last > last) continue;
      for (; first < loop.first; ++first) fold(first);
      copy_loop(loop);
      first = loop.last;
    }
    for (; first < last; ++first) fold(first);
  }

  void fold(std::int32_t gate) {
    const auto index = static_cast<std::size_t>(gate);
    auto& literals = scratch_;
    literals.clear();
    for (std::int32_t i = old_.gate_start[index]; i < old_.gate_start[index + 1]; ++i) {
      const Literal literal = folded(old_.gate_literals[static_cast<std::size_t>(i)]);
      if (literal != TRUE_LITERAL) literals.push_back(literal);
    }
    // In order, a literal is next to its complement, and FALSE comes first.
    std::ranges::sort(literals);
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    const auto opposite = [](Literal one, Literal other) { return (one ^ other) == 1; };
    Literal& result = literal_[old_.first_gate_slot() + index];
    if (literals.empty()) {
      result = TRUE_LITERAL;
    } else if (literals[0] == FALSE_LITERAL || std::ranges::adjacent_find(literals, opposite) != literals.end()) {
      result = FALSE_LITERAL;
    } else if (literals.size() == 1) {
      result = literals[0];
    } else {
      result = known_or_new(literals, old_.loop_initial[index]);
    }
  }

  Literal known_or_new(const std::vector<Literal>& literals, std::uint8_t loop_initial) {
    std::uint64_t hash = literals.size();
    for (const Literal literal : literals) hash = hash_combine(hash, literal);
    const auto [place, end] = known_.equal_range(hash);
    for (auto each = place; each != end; ++each) {
      const auto gate = static_cast<std::size_t>(each->second);
      const std::span<const Literal> other(new_.gate_literals.data() + new_.gate_start[gate],
                                           new_.gate_literals.data() + new_.gate_start[gate + 1]);
      if (std::ranges::equal(other, literals)) {
        return gate_literal(each->second);
      }
    }
    known_.emplace(hash, new_.n_gates());
    return append(literals, loop_initial);
  }

  Literal append(const std::vector<Literal>& literals, std::uint8_t loop_initial) {
    const Literal literal = gate_literal(new_.n_gates());
    new_.gate_literals.insert(new_.gate_literals.end(), literals.begin(), literals.end());
    new_.gate_start.push_back(static_cast<std::int32_t>(new_.gate_literals.size()));
    new_.loop_initial.push_back(loop_initial);
    return literal;
  }

  // The number of sets stays, so gates begin at the same slot.
  Literal gate_literal(std::int32_t gate) const {
    return 2 * (old_.first_gate_slot() + static_cast<std::uint32_t>(gate));
  }

  // Gates of a loop read each other, so they are taken over as they are.
  void copy_loop(Loop loop) {
    const std::int32_t first = new_.n_gates();
    for (std::int32_t gate = loop.first; gate < loop.last; ++gate) {
      literal_[old_.first_gate_slot() + static_cast<std::size_t>(gate)] = gate_literal(first + gate - loop.first);
    }
    for (std::int32_t gate = loop.first; gate < loop.last; ++gate) {
      const auto index = static_cast<std::size_t>(gate);
      scratch_.clear();
      for (std::int32_t i = old_.gate_start[index]; i < old_.gate_start[index + 1]; ++i) {
        scratch_.push_back(folded(old_.gate_literals[static_cast<std::size_t>(i)]));
      }
      append(scratch_, old_.loop_initial[index]);
    }
    new_.loops.push_back({first, new_.n_gates()});
  }

  // Rows that are never legal leave the sets. A set without rows is FALSE; one with the only row of a role that is
  // always legal is TRUE.
  void fold_sets() {
    std::vector<std::uint8_t> certain(old_.legal.size(), 0);
    for (std::size_t role = 0; role + 1 < old_.move_start.size(); ++role) {
      const auto first = new_.legal.begin() + old_.move_start[role],
                 last = new_.legal.begin() + old_.move_start[role + 1];
      const auto possible = std::find_if(first, last, [](Literal literal) { return literal != FALSE_LITERAL; });
      if (possible != last && *possible == TRUE_LITERAL && std::count(first, last, FALSE_LITERAL) == last - first - 1) {
        certain[static_cast<std::size_t>(possible - new_.legal.begin())] = 1;
      }
    }
    std::map<std::vector<std::int32_t>, std::uint32_t> known;
    for (std::int32_t set = 0; set < old_.n_sets(); ++set) {
      const auto index = static_cast<std::size_t>(set);
      const std::uint32_t slot = old_.first_set_slot() + static_cast<std::uint32_t>(set);
      std::vector<std::int32_t> rows;
      bool always = false;
      for (std::int32_t i = old_.set_start[index]; i < old_.set_start[index + 1]; ++i) {
        const auto row = static_cast<std::size_t>(old_.set_rows[static_cast<std::size_t>(i)]);
        if (new_.legal[row] != FALSE_LITERAL) rows.push_back(static_cast<std::int32_t>(row));
        always = always || certain[row] != 0;
      }
      if (always || rows.empty()) {
        literal_[slot] = always ? TRUE_LITERAL : FALSE_LITERAL;
        rows.clear();
      } else {
        const auto [place, is_new] = known.try_emplace(rows, slot);
        literal_[slot] = 2 * place->second;
        if (!is_new) rows.clear();
      }
      new_.set_rows.insert(new_.set_rows.end(), rows.begin(), rows.end());
      new_.set_start.push_back(static_cast<std::int32_t>(new_.set_rows.size()));
    }
  }

  const Circuit& old_;
  Circuit new_;
  std::vector<Literal> literal_;  // [old slot] what it is now
  std::vector<Literal> scratch_;
  std::unordered_multimap<std::uint64_t, std::int32_t> known_;  // hash of literals -> gate outside loops
};

}  // namespace

Circuit circuit_of_turn(const Circuit& circuit, const Turns& turns, int turn) {
  return Folding(circuit, turns, turn).run();
}

}  // namespace gdl
