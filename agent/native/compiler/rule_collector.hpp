// Collects ground rules from a grounder that reports each by a call of a C function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gdl {

class RuleCollector {
 public:
  void add(bool choice, std::span<const std::uint32_t> head, std::span<const std::int32_t> body);

  // The rules without choice, each as head, length of the body, body.
  const std::vector<std::int32_t>& rules() const { return rules_; }
  // One more than the largest atom in a rule.
  std::uint32_t n_atoms() const { return n_atoms_; }
  // Whether some rule, with choice or without, may make an atom true.
  bool derives(std::uint32_t atom) const { return atom < derived_.size() && derived_[atom] != 0; }

 private:
  std::vector<std::int32_t> rules_;
  std::vector<std::uint8_t> derived_;  // [atom]
  std::uint32_t n_atoms_ = 1;
};

// The C function, with the signature of the observers of clingo (clingo_ground_program_observer_t::rule). It returns
// false to tell the grounder to give up.
bool collect_rule(bool choice, const std::uint32_t* head, std::size_t head_size, const std::int32_t* body,
                  std::size_t body_size, void* collector);

}  // namespace gdl
