// The lanes of one vector: a value per slot, a random stream per lane.
#pragma once

#include "lanes/lane_streams.hpp"
#include "lanes/vector_array.hpp"
#include "program/program_set.hpp"

namespace gdl::GDL_ISA {

template <class V>
struct LaneChunk {
  explicit LaneChunk(const ProgramSet& set) : values(set.n_slots) {
    for (const Program& program : set.programs) {
      for (const std::uint32_t slot : program.true_slots) values[slot] = ones<V>();
    }
    for (int lane = 0; lane < LANES<V>; ++lane) streams.seed(lane, 0);
  }

  V* fluents(const Program& program) { return &values[program.fluent_slot]; }
  const V* fluents(const Program& program) const { return &values[program.fluent_slot]; }
  const V* next(const Program& program) const { return &values[program.next_slot]; }
  const V* legal(const Program& program) const { return &values[program.legal_slot]; }
  // [row] of one kind of preference, or of the legal rows if the program has none.
  const V* preferred(const Program& program, std::uint32_t kind) const {
    if (program.n_preferences == 0) return legal(program);
    return &values[program.preferred_slot] + kind * (program.preferred_slot - program.does_slot);
  }
  V* does(const Program& program) { return &values[program.does_slot]; }
  V value(Literal literal) const {
    const V value = values[slot_of(literal)];
    return is_complemented(literal) ? ~value : value;
  }

  LaneStreams<V> streams;
  V loaded = zeros<V>();  // lanes whose state waits in the engine's load buffer
  V moving = zeros<V>();  // lanes with a chosen move
  int turn = 0;           // the turn whose program ran last
  VectorArray<V> values;  // [slot]
};

}  // namespace gdl::GDL_ISA
