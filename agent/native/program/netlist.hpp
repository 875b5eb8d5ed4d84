// The gates of a circuit as the program compiler sees them: move sets are gates too, dead gates are gone, a gate with a
// single reader may be a product inside it, and every gate knows whether its complement is stored and in which slot it
// must live, if in any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/program.hpp"

namespace gdl {

// Node 0 is TRUE, then come the fluents, the `does` rows and the gates. The slots of literals are nodes.
class Netlist {
 public:
  static constexpr std::uint32_t NO_SLOT = ~0u;

  // Takes the slots of fluents, rows and next fluents from `program`, and notes the constant slots there.
  Netlist(const Circuit& circuit, Program& program);

  struct Block {
    std::vector<std::uint32_t> gates;  // outside loops every gate comes before its readers
    bool is_loop = false;
  };
  const std::vector<Block>& state_blocks() const { return state_blocks_; }
  const std::vector<Block>& move_blocks() const { return move_blocks_; }

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(literals_.size()); }
  bool is_gate(std::uint32_t node) const { return node >= first_gate_; }
  // The function of a gate, and the nodes that it reads in the order of its shape.
  const Shape& shape(std::uint32_t node) const { return shape_[node]; }
  std::span<const std::uint32_t> operands(std::uint32_t node) const { return operands_[node]; }
  bool inverted(std::uint32_t node) const { return inverted_[node] != 0; }
  bool loop_initial(std::uint32_t node) const { return loop_initial_[node] != 0; }
  // The slot of a source, or of a gate that is bound to one; NO_SLOT for other gates.
  std::uint32_t bound_slot(std::uint32_t node) const { return slot_[node]; }

  Literal terminal() const { return terminal_; }
  std::span<const Literal> goals() const { return goals_; }

  // Whether a literal reads the complement of what its node stores.
  bool reads_complement(Literal literal) const { return is_complemented(literal) != inverted(slot_of(literal)); }

 private:
  std::uint32_t add_node(std::span<const Literal> literals);
  void import_sets(const Circuit& circuit);
  Literal imported(const Circuit& circuit, Literal literal) const;
  void import_gates(const Circuit& circuit);
  void bind_output(Literal literal, std::uint32_t slot, std::vector<std::uint32_t>& copies, Program& program);
  void mark_live();
  void order_blocks(const Circuit& circuit);
  void append(std::uint32_t node, std::vector<Block>& blocks, std::vector<std::uint8_t>& placed);
  void append_sets_read(std::uint32_t node, std::vector<Block>& blocks, std::vector<std::uint8_t>& placed);

  void find_product_candidates();
  void choose_products();
  void take_products(std::uint32_t node);
  void settle(std::uint32_t node, std::span<const std::uint32_t> first, std::span<const std::uint32_t> second);
  void append_operands(std::uint32_t node, std::vector<std::uint32_t>& out, Product& count) const;
  Product product(std::uint32_t node) const;

  std::uint32_t first_gate_ = 0;          // the first gate of a set
  std::uint32_t first_circuit_gate_ = 0;  // gate 0 of the circuit
  Lists<Literal> literals_;               // [node] a gate is the AND of its literals; none for other nodes
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint8_t> inverted_;
  std::vector<std::uint8_t> loop_initial_;
  std::vector<std::uint8_t> live_;
  std::vector<std::uint8_t> loop_gate_;  // [node]
  std::vector<std::uint8_t> candidate_;  // [node] whether it may become a product of its only reader
  std::vector<std::uint8_t> is_product_;
  std::vector<Shape> shape_;
  std::vector<std::vector<std::uint32_t>> operands_;
  std::vector<Literal> set_literals_;
  std::vector<std::uint32_t> legal_copies_;
  std::vector<std::uint32_t> next_copies_;
  Literal terminal_ = 0;
  std::vector<Literal> goals_;
  std::vector<Block> state_blocks_;
  std::vector<Block> move_blocks_;
};

}  // namespace gdl
