#include "program/netlist.hpp"

#include <utility>

#include "circuit/reachable.hpp"
#include "program/set_factoring.hpp"

namespace gdl {

namespace {

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
  terminal_ = imported(circuit, circuit.terminal);
  for (const Literal goal : circuit.goal_literal) goals_.push_back(imported(circuit, goal));
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    bind_output(imported(circuit, circuit.legal[row]), program.legal_slot + row, legal_copies_, program);
  }
  for (std::uint32_t row = 0; row < circuit.preferred.size(); ++row) {
    bind_output(imported(circuit, circuit.preferred[row]), program.preferred_slot + row, legal_copies_, program);
  }
  for (std::uint32_t fluent = 0; fluent < n_fluents; ++fluent) {
    bind_output(imported(circuit, circuit.next[fluent]), program.next_slot + fluent, next_copies_, program);
  }
  mark_live();
  order_blocks(circuit);
  find_product_candidates();
  choose_products();
}

std::uint32_t Netlist::add_node(std::span<const Literal> literals) {
  literals_.append(literals);
  slot_.push_back(NO_SLOT);
  inverted_.push_back(0);
  loop_initial_.push_back(0);
  return n_nodes() - 1;
}

void Netlist::import_sets(const Circuit& circuit) {
  const FactoredSets factored = factor_sets(circuit);
  std::vector<Literal> literal_of_row, literal_of_part(factored.parts.size(), UNKNOWN_LITERAL);
  for (std::int32_t row = 0; row < circuit.n_rows(); ++row) {
    literal_of_row.push_back(literal_of(static_cast<std::uint32_t>(1 + circuit.n_fluents + row)));
  }
  // A set is the OR of its elements: the complement of a gate over their complements.
  const auto import_elements = [&](const auto& self, const std::vector<std::int32_t>& elements) -> Literal {
    std::vector<Literal> complements;
    for (const std::int32_t element : elements) {
      const auto row = static_cast<std::size_t>(element);
      if (row < literal_of_row.size()) {
        complements.push_back(negated(literal_of_row[row]));
        continue;
      }
      const std::size_t part = row - literal_of_row.size();
      if (literal_of_part[part] == UNKNOWN_LITERAL) literal_of_part[part] = self(self, factored.parts[part]);
      complements.push_back(negated(literal_of_part[part]));
    }
    if (complements.empty()) return FALSE_LITERAL;
    return negated(complements.size() == 1 ? complements[0] : literal_of(add_node(complements)));
  };
  for (const auto& elements : factored.sets) set_literals_.push_back(import_elements(import_elements, elements));
}

Literal Netlist::imported(const Circuit& circuit, Literal literal) const {
  const std::uint32_t slot = slot_of(literal);
  if (circuit.is_set(slot)) return replaced(literal, set_literals_[slot - circuit.first_set_slot()]);
  if (circuit.is_gate(slot)) return literal + literal_of(first_circuit_gate_) - literal_of(circuit.first_gate_slot());
  return literal;
}

void Netlist::import_gates(const Circuit& circuit) {
  first_circuit_gate_ = n_nodes();
  std::vector<Literal> literals;
  for (std::size_t gate = 0; gate < circuit.gates.size(); ++gate) {
    literals.clear();
    for (const Literal literal : circuit.gates[gate]) literals.push_back(imported(circuit, literal));
    loop_initial_[add_node(literals)] = circuit.loop_initial[gate];
  }
}

// Makes `slot` hold a literal, either by moving its gate there or by a gate that copies it.
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
  std::vector<std::uint32_t> roots;
  for (std::uint32_t node = 0; node < n_nodes(); ++node) {
    if (slot_[node] != NO_SLOT) roots.push_back(node);
  }
  roots.push_back(slot_of(terminal_));
  for (const Literal goal : goals_) roots.push_back(slot_of(goal));
  live_ = reachable(n_nodes(), roots, [this](std::uint32_t node, auto visit) {
    for (const Literal literal : literals_[node]) visit(slot_of(literal));
  });
}

// Appends a gate after the sets it reads; each set, and each part of sets, comes just before its first reader.
void Netlist::append(std::uint32_t node, std::vector<Block>& blocks, std::vector<std::uint8_t>& placed) {
  if (!live_[node] || placed[node]) return;
  append_sets_read(node, blocks, placed);
  placed[node] = 1;
  blocks.back().gates.push_back(node);
}

void Netlist::append_sets_read(std::uint32_t node, std::vector<Block>& blocks, std::vector<std::uint8_t>& placed) {
  for (const Literal literal : literals_[node]) {
    const std::uint32_t operand = slot_of(literal);
    if (operand >= first_gate_ && operand < first_circuit_gate_) append(operand, blocks, placed);
  }
}

void Netlist::order_blocks(const Circuit& circuit) {
  std::vector<std::uint8_t> placed(n_nodes(), 0);
  const auto order = [&](const std::vector<GateBlock>& phase, std::vector<Block>& blocks) {
    blocks.emplace_back();
    for (const GateBlock& block : phase) {
      const auto first = first_circuit_gate_ + static_cast<std::uint32_t>(block.first);
      const auto last = first_circuit_gate_ + static_cast<std::uint32_t>(block.last);
      if (block.is_loop) {
        for (std::uint32_t node = first; node < last; ++node)
          append_sets_read(node, blocks, placed);  // they must be ready before the loop
        blocks.push_back({{}, true});
      }
      for (std::uint32_t node = first; node < last; ++node) append(node, blocks, placed);
      if (block.is_loop) blocks.emplace_back();
    }
  };
  order(circuit.state_blocks(), state_blocks_);
  order(circuit.move_blocks(), move_blocks_);
  for (const std::uint32_t node : legal_copies_) append(node, state_blocks_, placed);
  for (std::uint32_t node = first_gate_; node < first_circuit_gate_; ++node) append(node, move_blocks_, placed);
  for (const std::uint32_t node : next_copies_) append(node, move_blocks_, placed);
}

}  // namespace gdl
