// A circuit made ready for lanes: gates ordered into runs of equal shape, slots assigned and reused.
//
// Nothing here depends on the vector size or the instruction set. Slots:
//   0                      TRUE
//   fluent_slot + f        the state
// and from a first slot of the program's own:
//   next_slot + f          the next state, written by phase B
//   legal_slot + m         legality of row m, written by phase A
//   does_slot + m          whether row m was chosen
//   preferred_slot + m     whether row m is preferred, written by phase A; further kinds of preferences follow
//   the rest               gates; a slot is reused once its gate's last reader is past
// If it saves a copy, a gate lives in the slot of the row or next fluent that it decides, or is stored complemented.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// A product inside a gate: the AND of some slots and the complements of others.
struct Product {
  int positive = 0;
  int negative = 0;
  auto operator<=>(const Product&) const = default;
};

inline constexpr int MAX_PRODUCT_LITERALS = 3;

// The function of a gate: AND(positive slots) & ~OR(negative slots) & ~OR(products), or the complement of that.
// Products are gates that nothing else reads, computed in passing: `n_first` of one kind, then `n_second` of another.
struct Shape {
  int positive = 0;
  int negative = 0;
  Product first;
  Product second;
  int n_first = 0;
  int n_second = 0;
  bool inverted = false;
  auto operator<=>(const Shape&) const = default;
};

// Gates of one shape. The code of a gate is its slot and then the slots that it reads, in the order of Shape and, in
// every product, the positive ones first.
struct GateRun {
  Shape shape;
  std::uint32_t gates;
  std::size_t code;  // place of the first gate
};

struct LoopGate {
  std::uint32_t slot;
  bool initial;  // the value of the slot before the first round
};

// The runs [first_run, last_run), repeated to a fixpoint if there are loop gates.
struct Segment {
  std::size_t first_run;
  std::size_t last_run;
  std::vector<LoopGate> loop_gates;

  bool is_loop() const { return !loop_gates.empty(); }
};

// Consecutive rows of a role.
struct RowRun {
  std::int32_t first;
  std::int32_t rows;
};

struct Program {
  std::vector<Segment> state_phase;  // A: legal, terminal, goals
  std::vector<Segment> move_phase;   // B: next
  std::vector<GateRun> runs;
  std::vector<std::uint32_t> code;  // slots

  std::uint32_t n_slots = 0;  // one more than the last slot
  std::uint32_t fluent_slot = 1;
  std::uint32_t next_slot = 0;
  std::uint32_t legal_slot = 0;
  std::uint32_t does_slot = 0;
  std::uint32_t preferred_slot = 0;
  std::uint32_t n_preferences = 0;
  std::vector<std::uint32_t> true_slots;  // slots that are TRUE; every other slot starts as FALSE

  std::vector<std::vector<RowRun>> live_rows;  // [role] all rows that may be legal, and a few others

  Literal terminal = FALSE_LITERAL;    // of slots; it can be read until phase B, as can the goals
  std::vector<Literal> goal_literals;  // [goal]
};

// Throws std::invalid_argument for a circuit that is too large for 32-bit byte offsets.
Program compile_program(const Circuit& circuit, std::uint32_t first_slot);

// Throws the error for a loop that does not settle, because its gates are not monotone.
[[noreturn]] void throw_endless_loop();

}  // namespace gdl
