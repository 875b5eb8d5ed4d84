#include "program/after_moves.hpp"

#include <utility>

#include "compiler/circuit_layout.hpp"

namespace gdl {
namespace {

// Together these bound the time to a few seconds.
constexpr std::uint64_t MOST_LOOKS = 400'000'000;  // literals of circuits that are looked at
constexpr std::uint64_t MOST_WORK = 6'000'000;     // literals of conjunctions made
constexpr std::uint32_t MOST_NEW_NODES = 150'000;
constexpr std::int32_t NO_ROW = -1;
constexpr std::int32_t SEVERAL_ROWS = -2;

void set_fluents(PartialEvaluation& evaluation, const Circuit& circuit, const Nodes& nodes) {
  for (std::uint32_t fluent = 0; fluent < nodes.n_fluents(); ++fluent) {
    evaluation.set_base(circuit.fluent_slot(fluent), nodes.fluent(fluent));
  }
}

}  // namespace

Circuit question_of(const Nodes& nodes, Literal terminal, std::vector<Literal> literals) {
  const std::vector<Literal> never(nodes.n_fluents(), FALSE_LITERAL);
  Pace pace;
  return lay_out(nodes, {{}, terminal, std::move(literals), never, {}}, pace);
}

AfterMoves::AfterMoves(const Circuit& now, Nodes& nodes, const MutualExclusion& exclusion)
    : now_(now),
      nodes_(nodes),
      assumptions_(nodes, exclusion),
      kinds_(now.legal.size(), RowKind::Dead),
      sets_of_row_(now.legal.size()),
      moved_(now, now.next, assumptions_) {
  evaluate_state();
  find_kinds();
  set_fluents(moved_, now, nodes);
  for (std::size_t set = 0; set < now.sets.size(); ++set) {
    moved_.set_base(now.set_slot(set), FALSE_LITERAL);
    for (const std::int32_t row : now.sets[set]) {
      sets_of_row_[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(set));
    }
  }
  moved_.evaluate_base();
}

// The matches that matter have not ended.
void AfterMoves::evaluate_state() {
  std::vector<Literal> wanted = now_.legal;
  wanted.push_back(now_.terminal);
  PartialEvaluation state(now_, wanted, assumptions_);
  set_fluents(state, now_, nodes_);
  state.evaluate_base();
  for (const Literal literal : now_.legal) legal_.push_back(state(literal));
  assumptions_.assume(negated(state(now_.terminal)));
}

std::int32_t AfterMoves::only_row(std::int32_t role) const {
  std::int32_t found = NO_ROW;
  const auto* rows = now_.move_start.data() + role;
  for (std::int32_t row = rows[0]; row < rows[1]; ++row) {
    const Literal legal = legal_[static_cast<std::size_t>(row)];
    if (legal == FALSE_LITERAL || assumptions_.contradicts(legal)) continue;
    if (found != NO_ROW) return SEVERAL_ROWS;
    found = row;
  }
  return found;
}

void AfterMoves::find_kinds() {
  for (std::size_t row = 0; row < legal_.size(); ++row) {
    if (legal_[row] == FALSE_LITERAL) continue;
    const auto before = assumptions_.now();
    assumptions_.assume(legal_[row]);
    if ((work_ += legal_.size()) > MOST_LOOKS) throw TooMuchWork{};
    const auto own = static_cast<std::int32_t>(role_of_row(now_.move_start, static_cast<std::int32_t>(row)));
    bool alone = true;
    for (std::int32_t role = 0; role < now_.n_roles; ++role) {
      alone = alone && (role == own || only_row(role) != SEVERAL_ROWS);
    }
    kinds_[row] = only_row(own) != SEVERAL_ROWS ? RowKind::Idle : alone ? RowKind::Choosing : RowKind::Unclear;
    assumptions_.return_to(before);
  }
}

// Makes the move of a row, and the only moves that other roles have under the assumptions.
void AfterMoves::choose(std::int32_t row) {
  const auto own = static_cast<std::int32_t>(role_of_row(now_.move_start, row));
  for (std::int32_t role = 0; role < now_.n_roles; ++role) {
    const std::int32_t chosen = role == own ? row : only_row(role);
    if (chosen == NO_ROW) continue;
    for (const std::int32_t set : sets_of_row_[static_cast<std::size_t>(chosen)]) {
      moved_.change(now_.set_slot(static_cast<std::size_t>(set)), TRUE_LITERAL);
    }
  }
}

void AfterMoves::for_each(const Circuit& question, std::span<const Literal> wanted,
                          const std::function<void(std::int32_t)>& each) {
  PartialEvaluation after(question, wanted, assumptions_);
  const auto next_into = [&](auto give) {
    for (std::size_t f = 0; f < now_.next.size(); ++f) give(question.fluent_slot(f), moved_(now_.next[f]));
  };
  next_into([&](std::uint32_t slot, Literal literal) { after.set_base(slot, literal); });
  after.evaluate_base();
  after_ = &after;
  const std::uint32_t most_nodes = nodes_.n_nodes() + MOST_NEW_NODES;
  for (std::int32_t row = 0; row < now_.n_rows(); ++row) {
    if (kinds_[static_cast<std::size_t>(row)] != RowKind::Choosing) continue;
    work_ += moved_.size() + after.size();
    if (work_ > MOST_LOOKS || assumptions_.work() > MOST_WORK || nodes_.n_nodes() > most_nodes) throw TooMuchWork{};
    const auto before = assumptions_.now();
    assumptions_.assume(legal_[static_cast<std::size_t>(row)]);
    choose(row);
    moved_.propagate();
    next_into([&](std::uint32_t slot, Literal literal) { after.change(slot, literal); });
    after.propagate();
    each(row);
    after.reset();
    moved_.reset();
    assumptions_.return_to(before);
  }
  after_ = nullptr;
}

}  // namespace gdl
