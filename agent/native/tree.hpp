// The memory of one search: states reached, linked to a graph, in a hash set with a size limit (thesis 5.1.4).
//
// The thesis keeps its states in a list ordered by their last visit. Here every node carries the time of its last
// visit, and the order is worked out when the limit is reached, a sixteenth of the states at a time: a visit then
// costs one store in a node that is at hand, instead of four in nodes that are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "block_pool.hpp"
#include "circuit.hpp"
#include "draws.hpp"
#include "joint_links.hpp"

namespace gdl {

enum class Eviction : std::uint8_t {
  LeastRecentlyVisited,  // the linked table of the thesis: the oldest sixteenth goes
  RandomHalf,            // the plain table it is compared with (thesis table 6.5): a random half goes
};

struct TreeLimits {
  std::uint32_t states = 1u << 20;
  std::size_t bytes = 0;  // of the memory held, to a few per cent; 0: no limit
  Eviction eviction = Eviction::LeastRecentlyVisited;
};

enum class NodeKind : std::uint8_t {
  Unused,
  Leaf,      // reached once: its state is known, its moves are not yet listed
  Open,      // its moves are listed and have statistics
  Solved,    // ... and what they lead to is proven
  Terminal,  // its goals are known
};

inline constexpr std::int16_t SEVERAL_CHOOSERS = -1;

struct Node {
  std::uint64_t hash = 0;
  std::uint64_t last_visit = 0;
  NodeId next_in_bucket = NO_NODE;
  std::uint32_t generation = 0;
  std::uint32_t visits = 0;  // playouts that chose a move here
  BlockPool::Handle block = BlockPool::NO_BLOCK;
  std::uint32_t n_edges = 0;  // legal moves of all roles
  std::int16_t chooser = 0;   // the one role with a choice (role 0 where nobody has one), or SEVERAL_CHOOSERS
  NodeKind kind = NodeKind::Unused;
  bool ranked : 1 = false;       // its moves are sorted by knowledge
  bool some_proven : 1 = false;  // some of its moves are
};

// The moves of an open node: those of role r are role_start[r] .. role_start[r + 1], best by knowledge first where it
// ranked them, then in order of rows.
struct Edges {
  Link* links;                // [moves of the chooser]; none where several roles choose
  std::uint32_t* role_start;  // [n_roles + 1]
  std::uint32_t* visits;      // [n_edges]
  std::uint32_t* sums;        // [n_edges] payoffs of the role that owns the move
  std::int32_t* rows;         // [n_edges]
  float* priors;              // [n_edges] 0..1, the largest of a role is 1; all 1 before they are ranked
  // Where some are proven:
  std::uint32_t* n_proven = nullptr;  // moves of the chooser whose goals are proven
  std::int32_t* outcome = nullptr;    // [n_roles] goals of the best of them
  std::int8_t* proven = nullptr;      // [n_edges] its role's goal, -1 where it is not proven
};

class Tree {
 public:
  Tree(const Circuit& circuit, const TreeLimits& limits, bool keeps_proofs, std::uint64_t seed);

  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const std::uint64_t* state(NodeId id) const { return states_.data() + static_cast<std::size_t>(id) * words_; }
  Edges edges(NodeId id) const;
  std::span<const std::int32_t> goals(NodeId id) const;  // of a terminal or solved node

  std::uint64_t hash(const std::uint64_t* state) const;
  NodeId find(std::uint64_t hash, const std::uint64_t* state) const;

  // A new leaf; the table must not hold the state. Evicts where a limit is reached, but no node visited at or after
  // `keep_since` (a time of visit()); where that leaves no room: NO_NODE.
  NodeId add(std::uint64_t hash, const std::uint64_t* state, std::uint64_t keep_since);
  // Lists the moves of a leaf. `rows` as the lanes list them: roles one after the other.
  void open(NodeId id, std::span<const std::int32_t> rows);
  // Puts the moves of a role into another order: `order[place]` is the number of a move among those of the role.
  void sort_moves(NodeId id, int role, std::span<const std::uint32_t> order, std::span<const float> priors);
  // Makes room for proofs of the moves of an open node; none is proven yet.
  void begin_proofs(NodeId id);
  void make_terminal(NodeId id, std::span<const std::int32_t> goals);

  // `choice` [n_roles] holds the chosen edge of every role.
  NodeId child(NodeId id, const std::uint32_t* choice) const;
  void link(NodeId id, const std::uint32_t* choice, NodeId child);

  std::uint64_t now() const { return clock_; }
  void visit(NodeId id) { nodes_[id].last_visit = ++clock_; }

  std::uint32_t size() const { return size_; }
  std::size_t bytes() const;  // of the memory held

 private:
  std::size_t n_links(const Node& node, const std::uint32_t* role_start) const;
  std::size_t open_bytes(std::size_t links, std::size_t edges) const;
  bool resolve(Link link) const { return link.node != NO_NODE && nodes_[link.node].generation == link.generation; }
  bool full() const;
  void evict(std::uint64_t keep_since);
  std::uint64_t time_of_oldest(std::size_t count, std::uint64_t keep_since) const;
  bool evictable(const Node& node, std::uint64_t keep_since) const {
    return node.kind != NodeKind::Unused && node.last_visit < keep_since;
  }
  void remove(NodeId id);
  void grow_buckets();

  const Circuit* circuit_;
  TreeLimits limits_;
  bool keeps_proofs_;
  Draws draws_;
  std::size_t words_;
  std::size_t n_roles_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> states_;  // [nodes, words]
  std::vector<NodeId> buckets_;        // heads of chains; size is a power of two
  std::vector<NodeId> unused_;
  std::vector<std::uint64_t> moved_;  // scratch of sort_moves
  BlockPool blocks_;
  JointLinks joint_links_;
  std::uint64_t clock_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace gdl
