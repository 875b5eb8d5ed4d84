// A ground program: the rules of a game with a value for every variable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gdl {

// Atoms are numbered 1 .. n_atoms - 1. Atom 0 always holds, and atom NEVER never does.
struct GroundRules {
  static constexpr std::int32_t NEVER = -1;

  std::int32_t n_atoms = 1;
  std::vector<std::int32_t> rules;       // each as head, length of the body, body; a negative number is a negated atom
  std::vector<std::int32_t> fluents;     // [fluent] the atom `true` of it
  std::vector<std::int32_t> does;        // [row]
  std::vector<std::int32_t> move_start;  // [n_roles + 1] rows of role r: move_start[r] .. move_start[r + 1]
  std::vector<std::int32_t> legal;       // [row]
  std::int32_t terminal = NEVER;
  std::vector<std::int32_t> goals;  // [goal]
  std::vector<std::int32_t> next;   // [fluent]
};

}  // namespace gdl
