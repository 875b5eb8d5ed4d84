// The nodes of a tree with their states, and the child links of nodes where several roles choose at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "hardware/block_pool.hpp"
#include "hardware/page_source.hpp"
#include "hardware/prefetch.hpp"
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

enum class NodeKind : std::uint8_t {
  Unused,
  Leaf,      // reached once: its state is known, its moves are not yet listed
  Open,      // its moves are listed and have statistics
  Solved,    // its moves are listed, and its goals are proven
  Terminal,  // its goals are known
};

inline constexpr std::int16_t SEVERAL_CHOOSERS = -1;

struct Node {
  std::uint64_t last_visit = 0;
  NodeId next_in_bucket = NO_NODE;
  std::uint32_t generation = 0;
  std::uint32_t visits = 0;  // playouts that chose a move here
  BlockPool::Handle block = BlockPool::NO_BLOCK;
  std::uint32_t n_edges = 0;  // legal moves of all roles
  std::int16_t chooser = 0;   // the one role with a choice (role 0 where nobody has one), or SEVERAL_CHOOSERS
  NodeKind kind = NodeKind::Unused;
  std::uint8_t ranked : 1 = false;       // its moves are sorted by knowledge
  std::uint8_t some_proven : 1 = false;  // the goals of some of its moves are proven
  std::uint8_t valued : 1 = false;       // the values of its moves count as visits
  std::uint8_t unused : 5 = 0;           // fills the byte, so that a new node is written without being read
};
static_assert(sizeof(Node) == 32);  // a state of up to 256 fluents fills the other half of a cache line

// Each record consists of whole cache lines, mostly of a single one.
class NodeTable {
 public:
  // `words`: 64-bit words of a state.
  NodeTable(PageSource& pages, std::size_t words)
      : record_bytes_((sizeof(Node) + words * sizeof(std::uint64_t) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE),
        pages_(&pages) {}

  Node& operator[](NodeId id) { return *reinterpret_cast<Node*>(record(id)); }
  const Node& operator[](NodeId id) const { return *reinterpret_cast<const Node*>(record(id)); }
  std::uint64_t* state(NodeId id) { return reinterpret_cast<std::uint64_t*>(record(id) + sizeof(Node)); }
  const std::uint64_t* state(NodeId id) const {
    return reinterpret_cast<const std::uint64_t*>(record(id) + sizeof(Node));
  }

  NodeId size() const { return size_; }
  std::size_t bytes() const { return size_ * record_bytes_; }
  std::size_t record_bytes() const { return record_bytes_; }

  // Makes room for so many nodes, so that none is copied before there are more.
  void reserve(std::size_t nodes) {
    if (nodes * record_bytes_ <= room_) return;
    PageSource::Pages pages = pages_->take(nodes * record_bytes_);
    const std::size_t taken = pages.get_deleter().bytes;
    std::byte* records = pages.get() + pages_->stagger(taken - nodes * record_bytes_);
    if (size_ > 0) std::memcpy(records, records_, bytes());
    room_ = taken - static_cast<std::size_t>(records - pages.get());
    records_ = records;
    held_ = std::move(pages);
  }

  NodeId append() {
    if (bytes() + record_bytes_ > room_) reserve(std::max<std::size_t>(2 * size_, 1));
    new (record(size_)) Node;
    return size_++;
  }

  // The node may be the next one to be made.
  void prefetch(NodeId id) const { __builtin_prefetch(record(id), 1); }
  void prefetch_with_state(NodeId id) const { prefetch_bytes(record(id), record_bytes_); }

 private:
  std::byte* record(NodeId id) const { return records_ + id * record_bytes_; }

  std::byte* records_ = nullptr;  // within the pages held
  std::size_t record_bytes_;
  PageSource* pages_;
  PageSource::Pages held_;
  std::size_t room_ = 0;  // bytes
  NodeId size_ = 0;
};

// A hash table from (node, joint choice) to the child.
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
