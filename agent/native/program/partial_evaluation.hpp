// Some literals of a circuit, written over nodes: first for a base, then again and again with a few slots changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/assumptions.hpp"

namespace gdl {

class PartialEvaluation {
 public:
  // Takes the gates that `wanted` needs, which no loop may have. The circuit and the assumptions must outlive it.
  PartialEvaluation(const Circuit& circuit, std::span<const Literal> wanted, Assumptions& assumptions);

  // Gives a fluent or a move set its literal in the base. All of them are TRUE before.
  void set_base(std::uint32_t slot, Literal literal) { literal_[slot] = literal; }
  void evaluate_base();

  // Changes a fluent or a move set. After propagate() all literals are those of the changed circuit, until reset()
  // returns to the base.
  void change(std::uint32_t slot, Literal literal);
  void propagate();
  void reset();

  // The literal over nodes that stands for one of the circuit.
  Literal operator()(Literal literal) const { return replaced(literal, literal_[slot_of(literal)]); }
  // Literals of the circuit that a propagation looks at.
  std::size_t size() const { return size_; }

 private:
  Literal gate_literal(std::uint32_t slot);

  const Circuit& circuit_;
  Assumptions& assumptions_;
  std::vector<std::uint32_t> gates_;  // slots, in the order of evaluation
  std::size_t size_ = 0;
  std::vector<Literal> literal_;       // [slot]
  std::vector<std::uint8_t> changed_;  // [slot]
  struct Change {
    std::uint32_t slot;
    Literal before;
  };
  std::vector<Change> changes_;
  std::vector<Literal> operands_;  // scratch
};

}  // namespace gdl
