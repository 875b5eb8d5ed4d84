#include "program/netlist.hpp"

#include <utility>

#include "program/set_factoring.hpp"

namespace gdl {

namespace {

constexpr Literal TRUE_LITERAL = 0;
constexpr Literal FALSE_LITERAL = 1;
constexpr Literal UNKNOWN_LITERAL = ~0u;

}  // namespace

Netlist::Netlist(const Circuit& circuit, Program& program) {
  const auto n_fluents = static_cast<std::uint32_t>(circuit.n_fluents);
  const auto n_rows = static_cast<std::uint32_t>(circuit.n_rows());
  add_node({});
  slot_[0] = 0;
  for (std::uint32_t fluent = 0; fluent < n_fluents; ++fluent) slot_[add_node({})] = program.fluent_slot + fluent;
  for (std::uint32_t row = 0; row < n_rows; ++row) slot_[add_node({})] = program.does_slot + row;
  first_gate_ = n_nodes();
  import_sets(circuit);
  import_gates(circuit);
  terminal_ = import(circuit, circuit.terminal);
  for (const Literal goal : circuit.goal_literal) goals_.push_back(import(circuit, goal));
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    bind_output(import(circuit, circuit.legal[row]), program.legal_slot + row, legal_copies_, program);
  }
  for (std::uint32_t fluent = 0; fluent < n_fluents; ++fluent) {
    bind_output(import(circuit, circuit.next[fluent]), program.next_slot + fluent, next_copies_, program);
  }
  mark_live();
  order_blocks(circuit);
  find_product_candidates();
  choose_products();
}

std::uint32_t Netlist::add_node(std::span<const Literal> literals) {
  literals_.insert(literals_.end(), literals.begin(), literals.end());
  start_.push_back(static_cast<std::uint32_t>(literals_.size()));
  slot_.push_back(NO_SLOT);
  inverted_.push_back(0);
  loop_initial_.push_back(0);
  return n_nodes() - 1;
}

void Netlist::import_sets(const Circuit& circuit) {
  const FactoredSets factored = factor_sets(circuit);
  std::vector<Literal> literal_of_row, literal_of_part(factored.parts.size(), UNKNOWN_LITERAL);
  for (std::int32_t row = 0; row < circuit.n_rows(); ++row) {
    literal_of_row.push_back(2 * static_cast<std::uint32_t>(1 + circuit.n_fluents + row));
  }
  // A set is the OR of its elements: the complement of a gate over their complements.
  const auto import_elements = [&](const auto& self, const std::vector<std::int32_t>& elements) -> Literal {
    std::vector<Literal> complements;
    for (const std::int32_t element : elements) {
      const auto row = static_cast<std::size_t>(element);
      if (row < literal_of_row.size()) {
        complements.push_back(literal_of_row[row] ^ 1u);
        continue;
      }
      const std::size_t part = row - literal_of_row.size();
      if (literal_of_part[part] == UNKNOWN_LITERAL) literal_of_part[part] = self(self, factored.parts[part]);
      complements.push_back(literal_of_part[part] ^ 1u);
    }
    if (complements.empty()) return FALSE_LITERAL;
    return complements.size() == 1 ? complements[0] ^ 1u : 2 * add_node(complements) + 1;
  };
  for (const auto& elements : factored.sets) set_literals_.push_back(import_elements(import_elements, elements));
}

Literal Netlist::import(const Circuit& circuit, Literal literal) const {
  const std::uint32_t slot = slot_of(literal);
  const Literal complement = literal & 1u;
  if (slot < circuit.first_set_slot()) return literal;
  if (slot < circuit.first_gate_slot()) return set_literals_[slot - circuit.first_set_slot()] ^ complement;
  return 2 * (first_circuit_gate_ + slot - circuit.first_gate_slot()) + complement;
}

void Netlist::import_gates(const Circuit& circuit) {
  first_circuit_gate_ = n_nodes();
  std::vector<Literal> gate_literals;
  for (std::int32_t gate = 0; gate < circuit.n_gates(); ++gate) {
    const auto index = static_cast<std::size_t>(gate);
    gate_literals.clear();
    for (std::int32_t i = circuit.gate_start[index]; i < circuit.gate_start[index + 1]; ++i) {
      gate_literals.push_back(import(circuit, circuit.gate_literals[static_cast<std::size_t>(i)]));
    }
    loop_initial_[add_node(gate_literals)] = circuit.loop_initial[index];
  }
}

// Makes `slot` hold a literal: by moving its gate there, else by a gate that copies it.
void Netlist::bind_output(Literal literal, std::uint32_t slot, std::vector<std::uint32_t>& copies, Program& program) {
  if (literal == FALSE_LITERAL) return;
  if (literal == TRUE_LITERAL) {
    program.true_slots.push_back(slot);
    return;
  }
  std::uint32_t node = slot_of(literal);
  if (is_gate(node) && slot_[node] == NO_SLOT) {
    inverted_[node] = is_complemented(literal);
  } else {
    node = add_node({&literal, 1});
    copies.push_back(node);
  }
  slot_[node] = slot;
}

void Netlist::mark_live() {
  live_.assign(n_nodes(), 0);
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t node) {
    if (live_[node]) return;
    live_[node] = 1;
    open.push_back(node);
  };
  for (std::uint32_t node = 0; node < n_nodes(); ++node) {
    if (slot_[node] != NO_SLOT) visit(node);
  }
  visit(slot_of(terminal_));
  for (const Literal goal : goals_) visit(slot_of(goal));
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const Literal literal : literals(node)) visit(slot_of(literal));
  }
}

// Appends a gate after the sets it reads; each set, and each part of sets, comes just before its first reader.
void Netlist::append(std::uint32_t node, std::vector<Block>& blocks, std::vector<std::uint8_t>& placed) {
  if (!live_[node] || placed[node]) return;
  for (const Literal literal : literals(node)) {
    const std::uint32_t operand = slot_of(literal);
    if (operand >= first_gate_ && operand < first_circuit_gate_) append(operand, blocks, placed);
  }
  placed[node] = 1;
  blocks.back().gates.push_back(node);
}

void Netlist::order_blocks(const Circuit& circuit) {
  std::vector<std::uint8_t> placed(n_nodes(), 0);
  state_blocks_.emplace_back();
  move_blocks_.emplace_back();
  // Sets read inside a loop must be ready before it.
  const auto place_sets = [&](std::uint32_t node) {
    for (const Literal literal : literals(node)) {
      const std::uint32_t operand = slot_of(literal);
      if (operand >= first_gate_ && operand < first_circuit_gate_) append(operand, move_blocks_, placed);
    }
  };
  std::size_t loop = 0;
  for (std::int32_t gate = 0; gate < circuit.n_gates(); ++gate) {
    auto& blocks = gate < circuit.n_state_gates ? state_blocks_ : move_blocks_;
    if (loop < circuit.loops.size() && gate == circuit.loops[loop].first) {
      const std::int32_t last = circuit.loops[loop++].last;
      const auto node_of = [&](std::int32_t g) { return first_circuit_gate_ + static_cast<std::uint32_t>(g); };
      for (std::int32_t g = gate; g < last; ++g) place_sets(node_of(g));
      blocks.push_back({{}, true});
      for (std::int32_t g = gate; g < last; ++g) append(node_of(g), blocks, placed);
      blocks.emplace_back();
      gate = last - 1;
      continue;
    }
    append(first_circuit_gate_ + static_cast<std::uint32_t>(gate), blocks, placed);
  }
  for (const std::uint32_t node : legal_copies_) append(node, state_blocks_, placed);
  for (std::uint32_t node = first_gate_; node < first_circuit_gate_; ++node) append(node, move_blocks_, placed);
  for (const std::uint32_t node : next_copies_) append(node, move_blocks_, placed);
}

}  // namespace gdl
