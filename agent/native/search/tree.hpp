// The transposition table of one search: the states reached and the links between them, with a size limit (thesis
// 5.1.4).
//
// The thesis keeps its states in a list ordered by their last visit. Here every node carries the time of its last
// visit, and the order is computed when the limit is reached, for a sixteenth of the states at a time. A visit then
// costs one store in the node visited, instead of four in other nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/block_pool.hpp"
#include "hardware/page_source.hpp"
#include "random/draws.hpp"
#include "search/node_table.hpp"

namespace gdl {

enum class Eviction : std::uint8_t {
  LeastRecentlyVisited,  // the linked table of the thesis: the oldest sixteenth is evicted
  RandomHalf,            // the plain table of thesis table 6.5: a random half is evicted
};

// Optional contents of a tree beside visits and payoffs.
struct TreeContents {
  bool priors = false;
  bool proofs = false;
  std::size_t nodes = 0;  // expected number, for which room is made at once
};

struct TreeLimits {
  std::uint32_t states = 1u << 20;
  std::size_t bytes = 0;  // limit of the memory held, kept to a few per cent; 0: no limit
  Eviction eviction = Eviction::LeastRecentlyVisited;
};

// The moves of an open node. The moves of role r are role_start[r] .. role_start[r + 1]; moves that knowledge has
// ranked stand in its order, the best first, the others in the order of their rows.
struct Edges {
  std::uint32_t* role_start;  // [n_roles + 1]
  std::uint32_t* visits;      // [n_edges]
  std::uint32_t* sums;        // [n_edges] payoffs of the role that owns the move
  Link* links;                // [moves of the chooser]; empty where several roles choose
  std::int32_t* rows;         // [n_edges]
  float* priors;  // [n_edges] 0..1; the largest of a role, or the sum, is 1; undefined before the moves are ranked
  // Proofs; nullptr where no move of the node is proven.
  std::uint32_t* n_proven = nullptr;  // moves of the chooser whose goals are proven
  std::int32_t* outcome = nullptr;    // [n_roles] goals of the best proven move
  std::int8_t* proven = nullptr;      // [n_edges] goal of the role that owns the move, -1 where it is not proven

  // For nodes at which one role chooses.
  Link* link_of(std::int16_t chooser, std::uint32_t edge) const { return links + (edge - role_start[chooser]); }
};

class Tree {
 public:
  // The circuit and the pages must outlive the tree.
  Tree(const Circuit& circuit, PageSource& pages, const TreeLimits& limits, const TreeContents& contents,
       std::uint64_t seed);

  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const std::uint64_t* state(NodeId id) const { return nodes_.state(id); }
  Edges edges(NodeId id) const;
  std::span<const std::int32_t> goals(NodeId id) const;  // of a terminal or solved node

  std::uint64_t hash(const std::uint64_t* state) const;
  NodeId find(std::uint64_t hash, const std::uint64_t* state) const;

  // Adds a leaf for a state that the table does not hold. Evicts nodes where a limit is reached, but none visited at or
  // after `keep_since` (a time of visit()). Returns NO_NODE where there is no room.
  NodeId add(std::uint64_t hash, const std::uint64_t* state, std::uint64_t keep_since);
  // The one role that has a choice among the legal rows of all roles, or SEVERAL_CHOOSERS; see Node.
  std::int16_t chooser_of(std::span<const std::int32_t> rows);
  // Lists the moves of a leaf. `rows` are in the order of the lanes, role by role.
  void open(NodeId id, std::span<const std::int32_t> rows);
  // Reorders the moves of a role: `order[place]` is the index of a move among those of the role.
  void sort_moves(NodeId id, int role, std::span<const std::uint32_t> order, std::span<const float> priors);
  // Makes room for proofs of the moves of an open node, none of which is proven yet.
  void begin_proofs(NodeId id);
  void make_terminal(NodeId id, std::span<const std::int32_t> goals);

  // `choice` [n_roles] holds the chosen edge of every role.
  Link link_of(NodeId id, const std::uint32_t* choice) const;
  NodeId child(NodeId id, const std::uint32_t* choice) const {
    const Link link = link_of(id, choice);
    return resolve(link) ? link.node : NO_NODE;
  }
  // Whether the node of a link is still there.
  bool resolve(Link link) const { return link.node != NO_NODE && nodes_[link.node].generation == link.generation; }
  Link link_to(NodeId id) const { return {id, nodes_[id].generation}; }
  // For nodes at which several roles choose; the links of other nodes are in edges().
  void link_jointly(NodeId id, const std::uint32_t* choice, NodeId child);

  std::uint64_t now() const { return clock_; }
  void visit(NodeId id) { nodes_[id].last_visit = ++clock_; }

  // Fetch memory that is read soon: the table of blocks; a node; the block of a node that was fetched before; and, in
  // two steps, the bucket of a hash and the node that it leads to.
  void prefetch_blocks() const { blocks_.prefetch(); }
  void prefetch(NodeId id) const { nodes_.prefetch(id); }
  void prefetch_rest(NodeId id) const;
  void prefetch_bucket(std::uint64_t hash) const { __builtin_prefetch(&bucket_of(hash), 1); }
  void prefetch_found(std::uint64_t hash) const {
    const NodeId id = bucket_of(hash);
    if (id != NO_NODE) nodes_.prefetch_with_state(id);
    nodes_.prefetch_with_state(unused_.empty() ? nodes_.size() : unused_.back());
  }

  std::size_t n_roles() const { return n_roles_; }
  std::uint32_t size() const { return size_; }
  std::size_t bytes() const;  // bytes of memory held

 private:
  // At a node with one chooser the other roles have one move each.
  std::size_t n_links(const Node& node) const {
    return node.chooser == SEVERAL_CHOOSERS ? 0 : node.n_edges - (n_roles_ - 1);
  }
  std::size_t open_bytes(std::size_t links, std::size_t edges) const;
  bool full() const;
  void evict(std::uint64_t keep_since);
  std::uint64_t time_of_oldest(std::size_t count, std::uint64_t keep_since) const;
  bool evictable(const Node& node, std::uint64_t keep_since) const {
    return node.kind != NodeKind::Unused && node.last_visit < keep_since;
  }
  void remove(NodeId id);
  NodeId& bucket_of(std::uint64_t hash) const {
    return reinterpret_cast<NodeId*>(buckets_.get())[hash & (n_buckets_ - 1)];
  }
  void make_buckets(std::size_t count);
  void grow_buckets();

  // The members that every playout reads come first.
  NodeTable nodes_;
  std::uint64_t clock_ = 0;
  PageSource::Pages buckets_;  // NodeId [n_buckets_]: heads of chains
  std::size_t n_buckets_ = 0;  // a power of two
  std::size_t words_;
  std::size_t n_roles_;
  BlockPool blocks_;
  std::uint32_t size_ = 0;
  TreeLimits limits_;
  TreeContents contents_;
  std::vector<NodeId> unused_;
  std::vector<std::uint32_t> starts_;  // scratch memory of open()
  const Circuit* circuit_;
  PageSource* pages_;
  Draws draws_;
  std::vector<std::uint64_t> moved_;  // scratch memory of sort_moves()
  JointLinks joint_links_;
};

inline Edges Tree::edges(NodeId id) const {
  const Node& node = nodes_[id];
  Edges edges;
  edges.role_start = reinterpret_cast<std::uint32_t*>(blocks_.at(node.block));
  edges.visits = edges.role_start + n_roles_ + 1;
  edges.sums = edges.visits + node.n_edges;
  edges.links = reinterpret_cast<Link*>(edges.sums + node.n_edges);
  edges.rows = reinterpret_cast<std::int32_t*>(edges.links + n_links(node));
  edges.priors = reinterpret_cast<float*>(edges.rows + node.n_edges);
  if (node.some_proven) {
    edges.n_proven = reinterpret_cast<std::uint32_t*>(edges.priors + (contents_.priors ? node.n_edges : 0));
    edges.outcome = reinterpret_cast<std::int32_t*>(edges.n_proven + 1);
    edges.proven = reinterpret_cast<std::int8_t*>(edges.outcome + n_roles_);
  }
  return edges;
}

}  // namespace gdl
