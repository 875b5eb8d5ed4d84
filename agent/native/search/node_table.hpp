// The nodes of a tree and their states. Each record consists of whole cache lines, mostly of a single one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "hardware/block_pool.hpp"
#include "hardware/page_source.hpp"
#include "hardware/prefetch.hpp"
#include "search/joint_links.hpp"

namespace gdl {

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

}  // namespace gdl
