// Child links of nodes where several roles choose at once: a hash table from (node, joint choice) to the child.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/random.hpp"

namespace gdl {

using NodeId = std::uint32_t;
inline constexpr NodeId NO_NODE = 0xffffffffu;

// A node and the generation that it had when the link was made. An evicted node changes its generation, so the links to
// it are invalid without being searched for.
struct Link {
  NodeId node = NO_NODE;
  std::uint32_t generation = 0;
};

class JointLinks {
 public:
  Link find(Link parent, std::uint64_t code) const {
    if (entries_.empty()) return {};
    return entries_[slot(parent, code)].child;
  }

  // Links a joint choice to a child. `is_live(link)` says whether a parent still exists; when the table is rebuilt, the
  // entries of other parents are dropped. All entries are dropped where they would need more than `most_bytes` (0: no
  // limit), since a search also finds children without them.
  template <typename IsLive>
  void set(Link parent, std::uint64_t code, Link child, std::size_t most_bytes, const IsLive& is_live) {
    if (2 * (used_ + 1) > entries_.size()) rebuild(most_bytes, is_live);
    LinkEntry& entry = entries_[slot(parent, code)];
    if (entry.parent.node == NO_NODE) ++used_;
    entry = {code, parent, child};
  }

  std::size_t bytes() const { return entries_.size() * sizeof(LinkEntry); }

 private:
  struct LinkEntry {
    std::uint64_t code = 0;
    Link parent;
    Link child;
  };

  static constexpr std::size_t LEAST = 64;

  // The slot of the key, or the empty slot that it would take.
  std::size_t slot(Link parent, std::uint64_t code) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash_combine(code, parent.node) & mask;
    while (entries_[at].parent.node != NO_NODE &&
           (entries_[at].parent.node != parent.node || entries_[at].parent.generation != parent.generation ||
            entries_[at].code != code)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  template <typename IsLive>
  void rebuild(std::size_t most_bytes, const IsLive& is_live) {
    std::vector<LinkEntry> kept;
    for (const LinkEntry& entry : entries_) {
      if (entry.parent.node != NO_NODE && is_live(entry.parent)) kept.push_back(entry);
    }
    std::size_t size = LEAST;
    while (size < 4 * (kept.size() + 1)) size *= 2;
    if (most_bytes != 0 && size > LEAST && size * sizeof(LinkEntry) > most_bytes) {
      kept.clear();
      size = std::max(LEAST, entries_.size());
    }
    entries_.assign(size, {});
    used_ = kept.size();
    for (const LinkEntry& entry : kept) entries_[slot(entry.parent, entry.code)] = entry;
  }

  std::vector<LinkEntry> entries_;  // size is a power of two
  std::size_t used_ = 0;
};

}  // namespace gdl
