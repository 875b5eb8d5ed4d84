#include "compiler/common_factors.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <unordered_map>

namespace gdl {

namespace {

// So many alternatives must share a literal; those of two literals count three times.
constexpr std::size_t WORTHWHILE = 6;

struct Factor {
  std::size_t count;
  Literal literal;
  // The most frequent factor comes first, then the smallest.
  bool operator<(const Factor& other) const {
    return count != other.count ? count < other.count : literal > other.literal;
  }
};

class FactorExtraction {
 public:
  FactorExtraction(Nodes& nodes, std::vector<Literal>& literals, const AlternativeOf& alternative);

  bool possible() const { return alternatives_.size() > 1; }
  void run(const std::function<void(Literal)>& rest, Pace& pace);

 private:
  void count();
  void take_out(Literal factor, std::span<const std::uint32_t> found, const std::function<void(Literal)>& rest);
  void replace();

  Nodes& nodes_;
  std::vector<Literal>& literals_;
  std::vector<Literal> alternatives_;        // ascending
  std::vector<std::vector<Literal>> parts_;  // [alternative] its literals
  std::vector<std::uint8_t> gone_;           // [alternative] whether it is taken apart
  std::unordered_map<Literal, std::vector<std::uint32_t>>
      alternatives_with_;  // literal -> alternatives, also those that are gone
  std::priority_queue<Factor> queue_;
  std::vector<Literal> products_;
  std::vector<Literal> others_;
  std::vector<Literal> rests_;
};

FactorExtraction::FactorExtraction(Nodes& nodes, std::vector<Literal>& literals, const AlternativeOf& alternative)
    : nodes_(nodes), literals_(literals) {
  for (const Literal literal : literals) {
    const auto inner = alternative(literal);
    if (inner.empty()) continue;
    alternatives_.push_back(literal);
    parts_.emplace_back(inner.begin(), inner.end());
  }
  gone_.assign(parts_.size(), 0);
}

void FactorExtraction::count() {
  for (std::uint32_t index = 0; index < parts_.size(); ++index) {
    for (const Literal literal : parts_[index]) alternatives_with_[literal].push_back(index);
  }
  for (const auto& [literal, found] : alternatives_with_) {
    if (found.size() > 1) queue_.push({found.size(), literal});
  }
}

void FactorExtraction::run(const std::function<void(Literal)>& rest, Pace& pace) {
  count();
  while (!queue_.empty()) {
    pace.step();
    const Factor factor = queue_.top();
    queue_.pop();
    auto& found = alternatives_with_[factor.literal];
    found.erase(std::remove_if(found.begin(), found.end(), [this](std::uint32_t index) { return gone_[index] != 0; }),
                found.end());
    if (found.size() != factor.count) {
      if (found.size() > 1) queue_.push({found.size(), factor.literal});
      continue;
    }
    std::size_t worth = found.size();
    for (const std::uint32_t index : found) worth += 2 * (parts_[index].size() == 2);
    if (worth < WORTHWHILE) break;
    take_out(factor.literal, found, rest);
  }
  if (!products_.empty()) replace();
}

void FactorExtraction::take_out(Literal factor, std::span<const std::uint32_t> found,
                                const std::function<void(Literal)>& rest) {
  rests_.clear();
  for (const std::uint32_t index : found) {
    others_.clear();
    for (const Literal literal : parts_[index]) {
      if (literal != factor) others_.push_back(literal);
    }
    const Literal other = nodes_.conjunction(others_);
    rest(other);
    rests_.push_back(negated(other));
    gone_[index] = 1;
  }
  const Literal product[] = {factor, negated(nodes_.conjunction(rests_))};
  products_.push_back(negated(nodes_.conjunction(product)));
}

// Replaces the alternatives that are gone by the products.
void FactorExtraction::replace() {
  std::size_t kept = 0;
  std::size_t next = 0;
  for (const Literal literal : literals_) {
    if (next < alternatives_.size() && alternatives_[next] == literal && gone_[next++] != 0) continue;
    literals_[kept++] = literal;
  }
  literals_.resize(kept);
  literals_.insert(literals_.end(), products_.begin(), products_.end());
}

}  // namespace

void take_out_common_factors(Nodes& nodes, std::vector<Literal>& literals, const AlternativeOf& alternative,
                             const std::function<void(Literal)>& rest, Pace& pace) {
  FactorExtraction factoring(nodes, literals, alternative);
  if (factoring.possible()) factoring.run(rest, pace);
}

}  // namespace gdl
