#include "tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace gdl {
namespace {

constexpr std::size_t CHUNK_BYTES = BlockPool::CHUNK_UNITS * BlockPool::UNIT;

// The place of a joint choice among all joint choices of a node; none where 64 bits do not hold it.
std::optional<std::uint64_t> joint_code(const Edges& edges, std::size_t n_roles, const std::uint32_t* choice) {
  std::uint64_t code = 0;
  for (std::size_t role = 0; role < n_roles; ++role) {
    const std::uint64_t moves = edges.role_start[role + 1] - edges.role_start[role];
    if (__builtin_mul_overflow(code, moves, &code)) return std::nullopt;
    if (__builtin_add_overflow(code, choice[role] - edges.role_start[role], &code)) return std::nullopt;
  }
  return code;
}

}  // namespace

Tree::Tree(const Circuit& circuit, const TreeLimits& limits, bool keeps_proofs, std::uint64_t seed)
    : circuit_(&circuit),
      limits_(limits),
      keeps_proofs_(keeps_proofs),
      draws_(seed),
      words_(static_cast<std::size_t>(circuit.state_words())),
      n_roles_(static_cast<std::size_t>(circuit.n_roles)),
      buckets_(std::max<std::size_t>(256, std::bit_floor(limits.bytes / 256)), NO_NODE) {
  // Tables that grow would be copied, beyond their limit for a while, and in the midst of a search. Pages nobody
  // touches cost nothing.
  const std::size_t most = limits_.bytes / (sizeof(Node) + words_ * sizeof(std::uint64_t));
  nodes_.reserve(most);
  states_.reserve(most * words_);
}

std::size_t Tree::open_bytes(std::size_t links, std::size_t edges) const {
  const std::size_t proofs = keeps_proofs_ ? (n_roles_ + 1) * sizeof(std::int32_t) + edges : 0;
  return links * sizeof(Link) + (n_roles_ + 1) * sizeof(std::uint32_t) + edges * 4 * sizeof(std::uint32_t) + proofs;
}

std::size_t Tree::n_links(const Node& node, const std::uint32_t* role_start) const {
  return node.chooser == SEVERAL_CHOOSERS ? 0 : role_start[node.chooser + 1] - role_start[node.chooser];
}

Edges Tree::edges(NodeId id) const {
  const Node& node = nodes_[id];
  Edges edges;
  // The role starts come first: the number of links depends on them.
  edges.role_start = reinterpret_cast<std::uint32_t*>(blocks_.at(node.block));
  edges.visits = edges.role_start + n_roles_ + 1;
  edges.sums = edges.visits + node.n_edges;
  edges.rows = reinterpret_cast<std::int32_t*>(edges.sums + node.n_edges);
  edges.priors = reinterpret_cast<float*>(edges.rows + node.n_edges);
  edges.links = reinterpret_cast<Link*>(edges.priors + node.n_edges);
  if (node.some_proven) {
    edges.n_proven = reinterpret_cast<std::uint32_t*>(edges.links + n_links(node, edges.role_start));
    edges.outcome = reinterpret_cast<std::int32_t*>(edges.n_proven + 1);
    edges.proven = reinterpret_cast<std::int8_t*>(edges.outcome + n_roles_);
  }
  return edges;
}

std::span<const std::int32_t> Tree::goals(NodeId id) const {
  if (nodes_[id].kind == NodeKind::Solved) return {edges(id).outcome, n_roles_};
  return {reinterpret_cast<const std::int32_t*>(blocks_.at(nodes_[id].block)), n_roles_};
}

std::uint64_t Tree::hash(const std::uint64_t* state) const {
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < words_; ++word) hash = hash_combine(hash, state[word]);
  return hash;
}

NodeId Tree::find(std::uint64_t hash, const std::uint64_t* state) const {
  NodeId id = buckets_[hash & (buckets_.size() - 1)];
  while (id != NO_NODE && (nodes_[id].hash != hash || !std::equal(state, state + words_, this->state(id)))) {
    id = nodes_[id].next_in_bucket;
  }
  return id;
}

NodeId Tree::add(std::uint64_t hash, const std::uint64_t* state, std::uint64_t keep_since) {
  if (full()) evict(keep_since);
  if (full()) return NO_NODE;
  NodeId id = static_cast<NodeId>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
    states_.resize(states_.size() + words_);
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  if (++size_ > buckets_.size()) grow_buckets();
  Node& node = nodes_[id];
  NodeId& bucket = buckets_[hash & (buckets_.size() - 1)];
  node = {.hash = hash, .last_visit = ++clock_, .next_in_bucket = bucket, .generation = node.generation};
  node.kind = NodeKind::Leaf;
  bucket = id;
  std::copy_n(state, words_, states_.begin() + static_cast<std::ptrdiff_t>(id * words_));
  return id;
}

void Tree::open(NodeId id, std::span<const std::int32_t> rows) {
  Node& node = nodes_[id];
  std::vector<std::uint32_t> starts(n_roles_ + 1);
  int choosers = 0;
  for (std::size_t role = 0; role < n_roles_; ++role) {
    const auto end = std::lower_bound(rows.begin(), rows.end(), circuit_->move_start[role + 1]);
    starts[role + 1] = static_cast<std::uint32_t>(end - rows.begin());
    if (starts[role + 1] - starts[role] > 1) {
      node.chooser = static_cast<std::int16_t>(role);
      ++choosers;
    }
  }
  if (choosers > 1) node.chooser = SEVERAL_CHOOSERS;
  node.n_edges = static_cast<std::uint32_t>(rows.size());
  const std::size_t links = n_links(node, starts.data());
  node.block = blocks_.take(open_bytes(links, rows.size()));
  node.kind = NodeKind::Open;
  std::copy(starts.begin(), starts.end(), reinterpret_cast<std::uint32_t*>(blocks_.at(node.block)));
  const Edges edges = this->edges(id);
  std::fill_n(edges.visits, 2 * rows.size(), 0u);  // and the sums behind them
  std::copy(rows.begin(), rows.end(), edges.rows);
  std::fill_n(edges.priors, rows.size(), 1.0f);
  std::fill_n(edges.links, links, Link{});
}

void Tree::sort_moves(NodeId id, int role, std::span<const std::uint32_t> order, std::span<const float> priors) {
  Node& node = nodes_[id];
  const Edges edges = this->edges(id);
  const std::uint32_t first = edges.role_start[role];
  const auto sort = [this, order]<typename T>(T* values) {
    moved_.resize(order.size());
    T* moved = reinterpret_cast<T*>(moved_.data());
    for (std::size_t place = 0; place < order.size(); ++place) moved[place] = values[order[place]];
    std::copy_n(moved, order.size(), values);
  };
  sort(edges.rows + first);
  std::copy(priors.begin(), priors.end(), edges.priors + first);
  if (node.visits == 0) return;
  sort(edges.visits + first);
  sort(edges.sums + first);
  if (node.some_proven) sort(edges.proven + first);
  if (node.chooser == role) sort(edges.links);
  if (node.chooser == SEVERAL_CHOOSERS) ++node.generation;  // links by joint choice would lead astray
}

void Tree::begin_proofs(NodeId id) {
  nodes_[id].some_proven = true;
  const Edges edges = this->edges(id);
  *edges.n_proven = 0;
  std::fill_n(edges.proven, nodes_[id].n_edges, std::int8_t{-1});
}

void Tree::make_terminal(NodeId id, std::span<const std::int32_t> goals) {
  Node& node = nodes_[id];
  node.kind = NodeKind::Terminal;
  node.block = blocks_.take(n_roles_ * sizeof(std::int32_t));
  std::memcpy(blocks_.at(node.block), goals.data(), n_roles_ * sizeof(std::int32_t));
}

NodeId Tree::child(NodeId id, const std::uint32_t* choice) const {
  const Node& node = nodes_[id];
  const Edges edges = this->edges(id);
  Link link;
  if (node.chooser != SEVERAL_CHOOSERS) {
    link = edges.links[choice[node.chooser] - edges.role_start[node.chooser]];
  } else if (const auto code = joint_code(edges, n_roles_, choice)) {
    link = joint_links_.find({id, node.generation}, *code);
  }
  return resolve(link) ? link.node : NO_NODE;
}

void Tree::link(NodeId id, const std::uint32_t* choice, NodeId child) {
  const Node& node = nodes_[id];
  const Edges edges = this->edges(id);
  const Link link{child, nodes_[child].generation};
  if (node.chooser != SEVERAL_CHOOSERS) {
    edges.links[choice[node.chooser] - edges.role_start[node.chooser]] = link;
  } else if (const auto code = joint_code(edges, n_roles_, choice)) {
    joint_links_.set({id, node.generation}, *code, link, limits_.bytes / 4,
                     [this](Link parent) { return resolve(parent); });
  }
}

std::size_t Tree::bytes() const {
  return nodes_.size() * (sizeof(Node) + words_ * sizeof(std::uint64_t)) + blocks_.held() + joint_links_.bytes() +
         (buckets_.size() + unused_.capacity()) * sizeof(NodeId);
}

// With the memory there may be all in use, there is room where nodes and blocks that were given back fill it.
bool Tree::full() const {
  if (size_ >= limits_.states) return true;
  if (limits_.bytes == 0 || bytes() + CHUNK_BYTES <= std::max(limits_.bytes - limits_.bytes / 64, 4 * CHUNK_BYTES))
    return false;
  return unused_.empty() || !blocks_.has_room();
}

// The time of the last visit to the last of the `count` nodes that were not visited for longest. Times are distinct.
std::uint64_t Tree::time_of_oldest(std::size_t count, std::uint64_t keep_since) const {
  constexpr int BITS = 12;
  std::array<std::size_t, std::size_t{1} << BITS> counts{};
  const int shift = std::max(0, static_cast<int>(std::bit_width(keep_since)) - BITS);
  for (const Node& node : nodes_) {
    if (evictable(node, keep_since)) ++counts[node.last_visit >> shift];
  }
  std::size_t interval = 0;
  for (; counts[interval] < count; ++interval) count -= counts[interval];
  std::vector<std::uint64_t> times;
  times.reserve(counts[interval]);
  for (const Node& node : nodes_) {
    if (evictable(node, keep_since) && node.last_visit >> shift == interval) times.push_back(node.last_visit);
  }
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(times.begin(), last, times.end());
  return *last;
}

void Tree::evict(std::uint64_t keep_since) {
  const auto candidates = static_cast<std::size_t>(std::count_if(
      nodes_.begin(), nodes_.end(), [this, keep_since](const Node& node) { return evictable(node, keep_since); }));
  const bool oldest = limits_.eviction == Eviction::LeastRecentlyVisited;
  const std::size_t wanted = std::max<std::size_t>(1, size_ / (oldest ? 16 : 2));
  const std::size_t count = std::min(wanted, candidates);
  if (count == 0) return;
  if (oldest) {
    const std::uint64_t last = time_of_oldest(count, keep_since);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id].kind != NodeKind::Unused && nodes_[id].last_visit <= last) remove(id);
    }
  } else {
    std::vector<NodeId> ids;
    ids.reserve(candidates);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (evictable(nodes_[id], keep_since)) ids.push_back(id);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(ids[i], ids[i + draws_.below(ids.size() - i)]);
      remove(ids[i]);
    }
  }
  if (limits_.bytes != 0) blocks_.merge();
}

void Tree::remove(NodeId id) {
  Node& node = nodes_[id];
  NodeId* at = &buckets_[node.hash & (buckets_.size() - 1)];
  while (*at != id) at = &nodes_[*at].next_in_bucket;
  *at = node.next_in_bucket;
  if (node.kind == NodeKind::Open || node.kind == NodeKind::Solved) {
    const Edges edges = this->edges(id);
    blocks_.give(node.block, open_bytes(n_links(node, edges.role_start), node.n_edges));
  } else if (node.kind == NodeKind::Terminal) {
    blocks_.give(node.block, n_roles_ * sizeof(std::int32_t));
  }
  node.kind = NodeKind::Unused;
  ++node.generation;
  unused_.push_back(id);
  --size_;
}

void Tree::grow_buckets() {
  buckets_.assign(buckets_.size() * 2, NO_NODE);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].kind == NodeKind::Unused) continue;
    NodeId& bucket = buckets_[nodes_[id].hash & (buckets_.size() - 1)];
    nodes_[id].next_in_bucket = bucket;
    bucket = id;
  }
}

}  // namespace gdl
