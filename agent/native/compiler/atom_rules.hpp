// Ground rules, sorted by their heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/ground_rules.hpp"

namespace gdl {

using Body = std::span<const std::int32_t>;  // atoms; a negative number is a negated atom

// The atom of a literal of a body.
inline std::uint32_t atom_of(std::int32_t literal) {
  return literal < 0 ? 0u - static_cast<std::uint32_t>(literal) : static_cast<std::uint32_t>(literal);
}

// The bodies of one atom lie next to each other, in the order of the program.
class AtomRules {
 public:
  // Throws std::invalid_argument for a malformed list of rules.
  explicit AtomRules(const GroundRules& program);

  std::uint32_t n_atoms() const { return static_cast<std::uint32_t>(first_rule_.size()) - 1; }
  std::uint32_t first_rule(std::uint32_t atom) const { return first_rule_[atom]; }
  std::uint32_t last_rule(std::uint32_t atom) const { return first_rule_[atom + 1]; }
  Body body(std::uint32_t rule) const { return Body(literals_).subspan(start_[rule], start_[rule + 1] - start_[rule]); }
  // The body literals of all rules of an atom.
  Body literals(std::uint32_t atom) const {
    const std::size_t first = start_[first_rule(atom)];
    return Body(literals_).subspan(first, start_[last_rule(atom)] - first);
  }

 private:
  std::vector<std::uint32_t> first_rule_;  // [atom]
  std::vector<std::size_t> start_;         // [rule] into literals_
  std::vector<std::int32_t> literals_;
};

}  // namespace gdl
