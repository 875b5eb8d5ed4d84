// Arrays of states and joint moves that come from Python, and their checks.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "bindings/bindings.hpp"
#include "circuit/circuit.hpp"

namespace gdl {

using PackedStates = Array<std::uint64_t, 2>;  // [n, state_words]
using JointMoveRows = Array<std::int32_t, 2>;  // [n, n_roles] rows

// Throws a ValueError for states that have not as many words as those of the game.
inline void check_states(const Circuit& circuit, const PackedStates& states) {
  if (states.shape(1) != static_cast<std::size_t>(circuit.state_words())) {
    throw nanobind::value_error("the states are of another game");
  }
}

// Throws a ValueError, which begins with the name of the question, unless there is a row of each role for each state.
inline void check_joints(const Circuit& circuit, const PackedStates& states, const JointMoveRows& joints,
                         const std::string& question) {
  const auto roles = static_cast<std::size_t>(circuit.n_roles);
  if (joints.shape(0) != states.shape(0) || joints.shape(1) != roles) {
    throw nanobind::value_error((question + ": a joint move for each state, with a row for each role").c_str());
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const std::int32_t row = joints.data()[i];
    if (row < circuit.move_start[i % roles] || row >= circuit.move_start[i % roles + 1]) {
      throw nanobind::value_error((question + ": a row is not a move of its role").c_str());
    }
  }
}

}  // namespace gdl
