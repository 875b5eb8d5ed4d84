#include "compiler/rule_compiler.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "compiler/atom_rules.hpp"
#include "compiler/components.hpp"

namespace gdl {

namespace {

constexpr Literal UNKNOWN = std::numeric_limits<Literal>::max();

class Compiler {
 public:
  Compiler(const GroundRules& program, Pace& pace);

  CompiledRules run();

 private:
  void bind(std::span<const std::int32_t> atoms, const char* what, Literal (Compiler::*literal)(std::size_t));
  Literal fluent(std::size_t index) { return nodes_.fluent(static_cast<std::uint32_t>(index)); }
  Literal row(std::size_t row);
  std::vector<std::uint32_t> asked() const;
  void compile_component(std::span<const std::uint32_t> component);
  void close(std::span<const std::uint32_t> cycle);
  Literal any_of(std::uint32_t atom);
  void add_alternative(Body body);
  Literal factored();
  Literal answer(std::int32_t atom) const;
  void append_moves(Literal moves, std::vector<Literal>& out) const;

  struct Alternative {
    Literal state;
    Literal moves;
    auto operator<=>(const Alternative&) const = default;
  };

  const GroundRules& program_;
  Pace& pace_;
  AtomRules rules_;
  Nodes nodes_;
  std::vector<Literal> literal_;       // [atom]
  std::vector<std::uint32_t> member_;  // [atom] the first atom of its component, which is never atom 0
  std::vector<Alternative> alternatives_;
  std::vector<Literal> parts_;
  std::vector<Literal> moves_;
  std::vector<Literal> states_;
  std::vector<Literal> results_;
};

Compiler::Compiler(const GroundRules& program, Pace& pace)
    : program_(program),
      pace_(pace),
      rules_(program),
      nodes_(static_cast<std::uint32_t>(program.fluents.size()), program.move_start),
      literal_(rules_.n_atoms(), UNKNOWN),
      member_(rules_.n_atoms(), 0) {
  const auto& start = program.move_start;
  if (start.empty() || start.front() != 0 || !std::is_sorted(start.begin(), start.end()) ||
      static_cast<std::size_t>(start.back()) != program.does.size() || program.legal.size() != program.does.size() ||
      program.next.size() != program.fluents.size()) {
    throw std::invalid_argument("ground rules: fluents, rows and what is asked about them do not match");
  }
  bind(program.fluents, "fluent", &Compiler::fluent);
  bind(program.does, "row", &Compiler::row);
  literal_[0] = TRUE_LITERAL;
}

void Compiler::bind(std::span<const std::int32_t> atoms, const char* what, Literal (Compiler::*literal)(std::size_t)) {
  for (std::size_t index = 0; index < atoms.size(); ++index) {
    if (atoms[index] < 1 || atoms[index] >= program_.n_atoms) {
      throw std::invalid_argument(std::string("ground rules: a ") + what + " without an atom of its own");
    }
    literal_[static_cast<std::size_t>(atoms[index])] = (this->*literal)(index);
  }
}

Literal Compiler::row(std::size_t row) {
  const auto number = static_cast<std::int32_t>(row);
  return nodes_.move_set({&number, 1});
}

std::vector<std::uint32_t> Compiler::asked() const {
  std::vector<std::uint32_t> atoms;
  const auto ask = [&](std::int32_t atom) {
    if (atom >= program_.n_atoms || atom < GroundRules::NEVER) {
      throw std::invalid_argument("ground rules: what is asked about is no atom");
    }
    if (atom > 0 && literal_[static_cast<std::size_t>(atom)] == UNKNOWN) {
      atoms.push_back(static_cast<std::uint32_t>(atom));
    }
  };
  for (const std::int32_t atom : program_.legal) ask(atom);
  ask(program_.terminal);
  for (const std::int32_t atom : program_.goals) ask(atom);
  for (const std::int32_t atom : program_.next) ask(atom);
  return atoms;
}

CompiledRules Compiler::run() {
  const auto known = [this](std::uint32_t atom) { return literal_[atom] != UNKNOWN; };
  for_each_component(
      rules_.n_atoms(), asked(),
      [&](std::uint32_t atom) { return known(atom) ? 0u : static_cast<std::uint32_t>(rules_.literals(atom).size()); },
      [&](std::uint32_t atom, std::uint32_t edge) { return atom_of(rules_.literals(atom)[edge]); },
      [&](std::span<const std::uint32_t> component) {
        pace_.step();
        if (!known(component.front())) compile_component(component);
      });
  Roots roots;
  const auto answers = [this](const std::vector<std::int32_t>& atoms) {
    std::vector<Literal> literals;
    for (const std::int32_t atom : atoms) literals.push_back(answer(atom));
    return literals;
  };
  roots.legal = answers(program_.legal);
  roots.terminal = answer(program_.terminal);
  roots.goals = answers(program_.goals);
  roots.next = answers(program_.next);
  return {std::move(nodes_), std::move(roots)};
}

Literal Compiler::answer(std::int32_t atom) const {
  return atom < 0 ? FALSE_LITERAL : literal_[static_cast<std::size_t>(atom)];
}

void Compiler::compile_component(std::span<const std::uint32_t> component) {
  for (const std::uint32_t atom : component) member_[atom] = component.front();
  for (const std::uint32_t atom : component) {
    for (const std::int32_t literal : rules_.literals(atom)) {
      if (literal < 0 && member_[atom_of(literal)] == component.front()) {
        throw NegativeCycle("ground rules: an atom depends on its own negation");
      }
    }
  }
  if (component.size() == 1) {
    literal_[component.front()] = any_of(component.front());
  } else {
    close(component);
  }
}

// Compiles atoms that depend on each other. In the least element all of them are false.
void Compiler::close(std::span<const std::uint32_t> cycle) {
  for (const std::uint32_t atom : cycle) {
    const bool alternatives = rules_.last_rule(atom) - rules_.first_rule(atom) > 1;  // an OR is its gate's complement
    literal_[atom] = negated_if(alternatives, literal_of(nodes_.add_placeholder(alternatives)));
  }
  for (const std::uint32_t atom : cycle) {
    nodes_.define(slot_of(literal_[atom]), replaced(literal_[atom], any_of(atom)));
  }
}

// The OR of the bodies of an atom, except those that need the atom itself.
Literal Compiler::any_of(std::uint32_t atom) {
  alternatives_.clear();
  for (std::uint32_t rule = rules_.first_rule(atom); rule < rules_.last_rule(atom); ++rule) {
    pace_.step();
    const Body body = rules_.body(rule);
    if (std::find(body.begin(), body.end(), static_cast<std::int32_t>(atom)) == body.end()) add_alternative(body);
  }
  return factored();
}

// Splits a body into the literals that read the state and the sets of moves.
void Compiler::add_alternative(Body body) {
  parts_.clear();
  moves_.clear();
  for (const std::int32_t atom : body) {
    const Literal literal = negated_if(atom < 0, literal_[atom_of(atom)]);
    if (literal == FALSE_LITERAL) return;
    if (literal == TRUE_LITERAL) continue;
    const std::size_t before = moves_.size();
    append_moves(literal, moves_);
    if (moves_.size() == before) {
      parts_.push_back(literal);
    } else {
      moves_.resize(before);
      moves_.push_back(literal);
    }
  }
  const Literal moves = nodes_.conjunction(moves_);
  if (moves == FALSE_LITERAL) return;
  const Literal state = nodes_.conjunction(parts_);
  if (state != FALSE_LITERAL) alternatives_.push_back({state, moves});
}

// Appends the sets (of several roles) whose OR is the literal. Appends nothing if it reads more than moves.
void Compiler::append_moves(Literal moves, std::vector<Literal>& out) const {
  const std::uint32_t node = slot_of(moves);
  if (nodes_.is_set(node)) {
    out.push_back(moves);
  } else if (is_complemented(moves) && nodes_.is_gate(node) && nodes_.gate(node).size() > 0) {
    const auto inner = nodes_.gate(node);
    if (!std::all_of(inner.begin(), inner.end(), [this](Literal part) { return nodes_.is_set(slot_of(part)); })) return;
    for (const Literal part : inner) out.push_back(negated(part));
  }
}

// The OR of the alternatives. Alternatives of one state are united first, then those of one set of moves.
Literal Compiler::factored() {
  std::sort(alternatives_.begin(), alternatives_.end());
  std::size_t united = 0;
  for (std::size_t first = 0, last = 0; first < alternatives_.size(); first = last) {
    const Literal state = alternatives_[first].state;
    moves_.clear();
    for (; last < alternatives_.size() && alternatives_[last].state == state; ++last) {
      const std::size_t before = moves_.size();
      append_moves(alternatives_[last].moves, moves_);
      if (moves_.size() == before) moves_.push_back(alternatives_[last].moves);
    }
    alternatives_[united++] = {state, nodes_.disjunction(moves_)};
  }
  alternatives_.resize(united);
  std::sort(alternatives_.begin(), alternatives_.end(), [](const Alternative& one, const Alternative& other) {
    return std::pair(one.moves, one.state) < std::pair(other.moves, other.state);
  });
  results_.clear();
  for (std::size_t first = 0, last = 0; first < alternatives_.size(); first = last) {
    const Literal moves = alternatives_[first].moves;
    states_.clear();
    for (; last < alternatives_.size() && alternatives_[last].moves == moves; ++last) {
      states_.push_back(alternatives_[last].state);
    }
    const Literal both[] = {moves, nodes_.disjunction(states_)};
    results_.push_back(nodes_.conjunction(both));
  }
  return nodes_.disjunction(results_);
}

}  // namespace

CompiledRules compile_rules(const GroundRules& rules, Pace& pace) { return Compiler(rules, pace).run(); }

}  // namespace gdl
