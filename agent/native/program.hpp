// A circuit made ready for lanes: gates ordered into runs of equal shape, slots assigned and reused.
//
// Nothing here depends on the vector size or the instruction set. Slots:
//   0                      TRUE
//   fluent_slot + f        the state
//   next_slot + f          the next state, written by phase B
//   legal_slot + m         legality of row m, written by phase A
//   does_slot + m          whether row m was chosen
//   the rest               gates; a slot is reused once its gate's last reader is past
// Where it saves a copy, a gate lives in the slot of the row or next fluent it decides, or is stored complemented.
#pragma once

#include <cstdint>
#include <vector>

#include "circuit.hpp"

namespace gdl {

// How many literals a gate has of each kind, and whether its complement is stored.
struct Shape {
  int positive;
  int negative;
  bool inverted;
};

inline constexpr int MAX_SHAPE_LITERALS = 6;
inline constexpr int N_SHAPES = MAX_SHAPE_LITERALS * (MAX_SHAPE_LITERALS + 3);

// Shapes of 1 to MAX_SHAPE_LITERALS literals are numbered in order; two more stand for any wider gate (and none).
inline constexpr int shape_index(Shape shape) {
  const int literals = shape.positive + shape.negative;
  const int inverted = shape.inverted ? 1 : 0;
  if (literals == 0 || literals > MAX_SHAPE_LITERALS) return N_SHAPES + inverted;
  return ((literals - 1) * (literals + 2) / 2 + shape.positive) * 2 + inverted;
}

inline constexpr Shape shape_of_index(int index) {
  int literals = 1;
  while ((literals * (literals + 3)) <= index) ++literals;
  const int positive = index / 2 - (literals - 1) * (literals + 2) / 2;
  return {positive, literals - positive, index % 2 != 0};
}

// Gates of one shape. Code of a gate: its slot, then (wide shapes only) the numbers of positive and negative literals,
// then the slots of the positive and of the negative literals.
struct Run {
  int shape;
  std::uint32_t gates;
  std::size_t code;  // place of the first gate
};

struct LoopGate {
  std::uint32_t slot;
  bool initial;  // what the slot holds before the first round
};

// Runs [first_run, last_run), repeated to a fixpoint where there are loop gates.
struct Segment {
  std::size_t first_run;
  std::size_t last_run;
  std::vector<LoopGate> loop_gates;

  bool is_loop() const { return !loop_gates.empty(); }
};

struct Program {
  std::vector<Segment> state_phase;  // A: legal, terminal, goals
  std::vector<Segment> move_phase;   // B: next
  std::vector<Run> runs;
  std::vector<std::uint32_t> code;
  std::vector<std::uint32_t> slot_places;  // places of `code` that hold a slot

  std::uint32_t n_slots = 0;
  std::uint32_t fluent_slot = 1;
  std::uint32_t next_slot = 0;
  std::uint32_t legal_slot = 0;
  std::uint32_t does_slot = 0;
  std::vector<std::uint32_t> true_slots;  // constant TRUE; every other slot starts as FALSE

  Literal terminal = 0;                // 2 * slot + complement; readable until phase B
  std::vector<Literal> goal_literals;  // [n_goals] likewise
};

// Throws std::invalid_argument for a circuit too large for 32-bit byte offsets.
Program compile_program(const Circuit& circuit);

// A loop did not settle: its gates are not monotone.
[[noreturn]] void throw_endless_loop();

}  // namespace gdl
