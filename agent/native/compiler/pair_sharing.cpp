#include <algorithm>
#include <iterator>
#include <queue>
#include <unordered_map>
#include <utility>

#include "compiler/simplifier.hpp"
#include "random/random.hpp"

namespace gdl {

namespace {

constexpr std::size_t MIN_READERS = 4;    // fewer readers save no more literals than the new gate costs
constexpr std::size_t LARGEST_GATE = 32;  // pairs of larger gates are not counted

using LiteralPair = std::uint64_t;  // the larger literal in the upper half

LiteralPair pair_of(Literal one, Literal other) {
  return one < other ? LiteralPair{other} << 32 | one : LiteralPair{one} << 32 | other;
}

struct PairHash {
  std::size_t operator()(LiteralPair pair) const { return mix64(pair); }
};

struct FrequentPair {
  std::size_t readers;
  LiteralPair pair;
  // The most frequent pair comes first, then the smallest.
  bool operator<(const FrequentPair& other) const {
    return readers != other.readers ? readers < other.readers : pair > other.pair;
  }
};

class Sharing {
 public:
  Sharing(Nodes& nodes, const std::vector<std::uint32_t>& gates, Pace& pace);

  void run();

 private:
  void count_pairs();
  bool asks_for(std::uint32_t gate, Literal literal) const;
  void keep_readers(LiteralPair pair, std::vector<std::uint32_t>& readers) const;
  void take_out(LiteralPair pair, const std::vector<std::uint32_t>& readers);
  std::vector<Literal>& literals_of(std::uint32_t gate);

  Nodes& nodes_;
  Pace& pace_;
  std::vector<std::uint32_t> gates_;
  std::vector<std::vector<Literal>> literals_;  // [node] ascending; empty for all but gates_
  std::unordered_map<LiteralPair, std::vector<std::uint32_t>, PairHash>
      readers_;  // of frequent pairs; some may have stopped reading
  std::priority_queue<FrequentPair> queue_;
};

Sharing::Sharing(Nodes& nodes, const std::vector<std::uint32_t>& gates, Pace& pace)
    : nodes_(nodes), pace_(pace), gates_(gates), literals_(nodes.n_nodes()) {
  for (const std::uint32_t gate : gates_) literals_[gate].assign(nodes.gate(gate).begin(), nodes.gate(gate).end());
  count_pairs();
}

void Sharing::count_pairs() {
  std::unordered_map<LiteralPair, std::uint32_t, PairHash> counts;
  const auto for_each_pair = [this](auto visit) {
    for (const std::uint32_t gate : gates_) {
      const auto& literals = literals_[gate];
      if (literals.size() > LARGEST_GATE) continue;
      for (std::size_t i = 1; i < literals.size(); ++i) {
        pace_.step();
        for (std::size_t j = 0; j < i; ++j) visit(gate, pair_of(literals[i], literals[j]));
      }
    }
  };
  for_each_pair([&](std::uint32_t, LiteralPair pair) { ++counts[pair]; });
  for_each_pair([&](std::uint32_t gate, LiteralPair pair) {
    if (counts.find(pair)->second >= MIN_READERS) readers_[pair].push_back(gate);
  });
  for (const auto& [pair, readers] : readers_) queue_.push({readers.size(), pair});
}

bool Sharing::asks_for(std::uint32_t gate, Literal literal) const {
  return std::binary_search(literals_[gate].begin(), literals_[gate].end(), literal);
}

void Sharing::keep_readers(LiteralPair pair, std::vector<std::uint32_t>& readers) const {
  const auto one = static_cast<Literal>(pair);
  const auto other = static_cast<Literal>(pair >> 32);
  const auto reads = [&](std::uint32_t gate) { return asks_for(gate, one) && asks_for(gate, other); };
  std::sort(readers.begin(), readers.end());
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  readers.erase(std::remove_if(readers.begin(), readers.end(), [&](std::uint32_t gate) { return !reads(gate); }),
                readers.end());
}

void Sharing::run() {
  while (!queue_.empty()) {
    pace_.step();
    const FrequentPair frequent = queue_.top();
    queue_.pop();
    const auto found = readers_.find(frequent.pair);
    if (found == readers_.end()) continue;
    keep_readers(frequent.pair, found->second);
    if (found->second.size() == frequent.readers) {
      const std::vector<std::uint32_t> readers = std::move(found->second);
      readers_.erase(found);
      take_out(frequent.pair, readers);
    } else if (found->second.size() >= MIN_READERS) {
      queue_.push({found->second.size(), frequent.pair});
    } else {
      readers_.erase(found);
    }
  }
  for (std::uint32_t gate = 0; gate < literals_.size(); ++gate) {
    if (!literals_[gate].empty()) nodes_.narrow(gate, literals_[gate]);
  }
}

void Sharing::take_out(LiteralPair pair, const std::vector<std::uint32_t>& readers) {
  const Literal gone[] = {static_cast<Literal>(pair), static_cast<Literal>(pair >> 32)};
  const auto whole = std::find_if(readers.begin(), readers.end(), [this](std::uint32_t gate) {
    return literals_[gate].size() == 2 && !nodes_.is_placeholder(gate);
  });
  const Literal shared = whole != readers.end() ? literal_of(*whole) : nodes_.conjunction(gone);
  const std::uint32_t shared_gate = slot_of(shared);
  if (!nodes_.is_gate(shared_gate)) return;
  if (shared_gate >= literals_.size()) literals_.resize(shared_gate + 1);
  if (literals_[shared_gate].empty()) literals_[shared_gate].assign(std::begin(gone), std::end(gone));
  std::unordered_map<Literal, std::vector<std::uint32_t>> found;  // literal beside the shared one -> gates
  for (const std::uint32_t gate : readers) {
    if (gate == shared_gate) continue;
    auto& literals = literals_[gate];
    literals.erase(std::remove_if(literals.begin(), literals.end(),
                                  [&](Literal literal) { return literal == gone[0] || literal == gone[1]; }),
                   literals.end());
    for (const Literal other : literals) {
      pace_.step();
      found[other].push_back(gate);
    }
    literals.insert(std::lower_bound(literals.begin(), literals.end(), shared), shared);
  }
  for (const auto& [other, gates] : found) {
    const LiteralPair together = pair_of(other, shared);
    const auto known = readers_.find(together);
    if (known == readers_.end() && gates.size() < MIN_READERS) continue;
    auto& all = known == readers_.end() ? readers_[together] : known->second;
    all.insert(all.end(), gates.begin(), gates.end());
    queue_.push({all.size(), together});
  }
}

}  // namespace

void share_pairs(Nodes& nodes, const std::vector<std::uint32_t>& gates, Pace& pace) {
  Sharing(nodes, gates, pace).run();
}

}  // namespace gdl
