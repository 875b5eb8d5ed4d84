#include "compiler/rule_collector.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace gdl {

void RuleCollector::add(bool choice, std::span<const std::uint32_t> head, std::span<const std::int32_t> body) {
  for (const std::uint32_t atom : head) {
    if (atom >= derived_.size()) derived_.resize(2 * (std::size_t{atom} + 1), 0);
    derived_[atom] = 1;
    n_atoms_ = std::max(n_atoms_, atom + 1);
  }
  for (const std::int32_t literal : body) {
    n_atoms_ = std::max(n_atoms_, static_cast<std::uint32_t>(std::abs(literal)) + 1);
  }
  if (choice || head.empty()) return;
  rules_.push_back(static_cast<std::int32_t>(head.front()));
  rules_.push_back(static_cast<std::int32_t>(body.size()));
  rules_.insert(rules_.end(), body.begin(), body.end());
}

bool collect_rule(bool choice, const std::uint32_t* head, std::size_t head_size, const std::int32_t* body,
                  std::size_t body_size, void* collector) {
  try {
    static_cast<RuleCollector*>(collector)->add(choice, {head, head_size}, {body, body_size});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace gdl
