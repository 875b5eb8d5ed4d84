#include "compiler/atom_rules.hpp"

#include <algorithm>
#include <stdexcept>

namespace gdl {

namespace {

template <class Visit>
void for_each_rule(const GroundRules& program, Visit visit) {
  const auto check = [](bool sound) {
    if (!sound) throw std::invalid_argument("ground rules: not a list of head, length of the body, body");
  };
  const Body rules(program.rules);
  for (std::size_t at = 0; at < rules.size();) {
    check(at + 2 <= rules.size() && rules[at] >= 0 && rules[at] < program.n_atoms && rules[at + 1] >= 0);
    const auto length = static_cast<std::size_t>(rules[at + 1]);
    check(length <= rules.size() - at - 2);
    const Body body = rules.subspan(at + 2, length);
    for (const std::int32_t literal : body) check(atom_of(literal) < static_cast<std::uint32_t>(program.n_atoms));
    visit(static_cast<std::uint32_t>(rules[at]), body);
    at += 2 + length;
  }
}

}  // namespace

AtomRules::AtomRules(const GroundRules& program) {
  if (program.n_atoms < 1) throw std::invalid_argument("ground rules: n_atoms must be above 0");
  const auto n_atoms = static_cast<std::size_t>(program.n_atoms);
  std::vector<std::uint32_t> rules_of(n_atoms, 0);
  std::vector<std::size_t> literals_of(n_atoms, 0);
  for_each_rule(program, [&](std::uint32_t head, Body body) {
    ++rules_of[head];
    literals_of[head] += body.size();
  });
  first_rule_.assign(n_atoms + 1, 0);
  std::vector<std::size_t> next_literal(n_atoms, 0);
  std::size_t total = 0;
  for (std::size_t atom = 0; atom < n_atoms; ++atom) {
    first_rule_[atom + 1] = first_rule_[atom] + rules_of[atom];
    next_literal[atom] = total;
    total += literals_of[atom];
  }
  start_.assign(first_rule_.back() + 1, total);
  literals_.resize(total);
  std::vector<std::uint32_t> next_rule(first_rule_.begin(), first_rule_.end() - 1);
  for_each_rule(program, [&](std::uint32_t head, Body body) {
    start_[next_rule[head]++] = next_literal[head];
    std::copy(body.begin(), body.end(), literals_.begin() + static_cast<std::ptrdiff_t>(next_literal[head]));
    next_literal[head] += body.size();
  });
}

}  // namespace gdl
