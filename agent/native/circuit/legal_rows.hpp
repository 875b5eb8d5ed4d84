// The legal rows of one role.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "circuit/circuit.hpp"

namespace gdl {

// Thrown where a match shows that the rules are not those of a playable game.
struct RuleViolation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws the RuleViolation of a role that cannot go on.
[[noreturn]] void throw_no_legal_move(int role);

// Returns the legal rows of one role among `rows`, the legal rows of all roles, role by role. Throws RuleViolation
// where the role has none.
std::span<const std::int32_t> rows_of_role(const Circuit& circuit, int role, std::span<const std::int32_t> rows);

}  // namespace gdl
