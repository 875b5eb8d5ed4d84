#include "search/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>

#include "hardware/prefetch.hpp"

namespace gdl {
namespace {

constexpr std::size_t CHUNK_BYTES = BlockPool::CHUNK_UNITS * BlockPool::UNIT;
// Most nodes that room is made for before they exist.
constexpr std::size_t MOST_EXPECTED = std::size_t{1} << 16;
// Most bytes of an open node that are fetched at once.
constexpr std::size_t MOST_PREFETCHED = 1024;

// The number of a joint choice among all joint choices of a node; none where 64 bits do not hold it.
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

Tree::Tree(const Circuit& circuit, PageSource& pages, const TreeLimits& limits, const TreeContents& contents,
           std::uint64_t seed)
    : nodes_(pages, static_cast<std::size_t>(circuit.state_words())),
      words_(static_cast<std::size_t>(circuit.state_words())),
      n_roles_(static_cast<std::size_t>(circuit.n_roles)),
      blocks_(pages),
      limits_(limits),
      contents_(contents),
      circuit_(&circuit),
      pages_(&pages),
      draws_(seed) {
  // Tables that grow are copied, which exceeds their limit for a while and interrupts a search. Pages that are never
  // touched cost nothing.
  const std::size_t most = limits_.bytes != 0 ? limits_.bytes / nodes_.record_bytes()
                                              : std::min({contents.nodes, std::size_t{limits_.states}, MOST_EXPECTED});
  nodes_.reserve(most);
  const std::size_t buckets = limits_.bytes != 0 ? std::bit_floor(limits_.bytes / 256) : 2 * std::bit_ceil(most);
  make_buckets(std::max<std::size_t>(256, buckets));
}

std::size_t Tree::open_bytes(std::size_t links, std::size_t edges) const {
  const std::size_t proofs = contents_.proofs ? (n_roles_ + 1) * sizeof(std::int32_t) + edges : 0;
  const std::size_t priors = contents_.priors ? edges * sizeof(float) : 0;
  return (n_roles_ + 1) * sizeof(std::uint32_t) + links * sizeof(Link) + edges * 3 * sizeof(std::uint32_t) + priors +
         proofs;
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
  NodeId id = bucket_of(hash);
  while (id != NO_NODE && !std::equal(state, state + words_, this->state(id))) id = nodes_[id].next_in_bucket;
  return id;
}

NodeId Tree::add(std::uint64_t hash, const std::uint64_t* state, std::uint64_t keep_since) {
  if (full()) evict(keep_since);
  if (full()) return NO_NODE;
  NodeId id;
  if (unused_.empty()) {
    id = nodes_.append();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  if (++size_ > n_buckets_) grow_buckets();
  Node& node = nodes_[id];
  NodeId& bucket = bucket_of(hash);
  node = {.last_visit = ++clock_, .next_in_bucket = bucket, .generation = node.generation, .kind = NodeKind::Leaf};
  bucket = id;
  std::copy_n(state, words_, nodes_.state(id));
  return id;
}

std::int16_t Tree::chooser_of(std::span<const std::int32_t> rows) {
  starts_.assign(n_roles_ + 1, 0);
  std::int16_t chooser = 0;
  int choosers = 0;
  for (std::size_t role = 0; role < n_roles_; ++role) {
    const auto end = std::lower_bound(rows.begin() + starts_[role], rows.end(), circuit_->move_start[role + 1]);
    starts_[role + 1] = static_cast<std::uint32_t>(end - rows.begin());
    if (starts_[role + 1] - starts_[role] > 1) {
      chooser = static_cast<std::int16_t>(role);
      ++choosers;
    }
  }
  // Nobody brings about what chance chooses, so its moves are neither valued nor proven, as where several roles choose.
  return choosers > 1 || (choosers == 1 && chooser == circuit_->chance_role) ? SEVERAL_CHOOSERS : chooser;
}

void Tree::open(NodeId id, std::span<const std::int32_t> rows) {
  Node& node = nodes_[id];
  node.chooser = chooser_of(rows);
  node.n_edges = static_cast<std::uint32_t>(rows.size());
  node.block = blocks_.take(open_bytes(n_links(node), rows.size()));
  node.kind = NodeKind::Open;
  const Edges edges = this->edges(id);
  std::copy(starts_.begin(), starts_.end(), edges.role_start);
  std::fill_n(edges.visits, 2 * rows.size(), 0u);  // the sums follow the visits
  std::fill_n(edges.links, n_links(node), Link{});
  std::copy(rows.begin(), rows.end(), edges.rows);
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
  if (node.visits == 0 && edges.visits[first] == 0) return;
  sort(edges.visits + first);
  sort(edges.sums + first);
  if (node.some_proven) sort(edges.proven + first);
  if (node.chooser == role) sort(edges.links);
  if (node.chooser == SEVERAL_CHOOSERS) ++node.generation;  // invalidates links by joint choices of the old order
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

Link Tree::link_of(NodeId id, const std::uint32_t* choice) const {
  const Node& node = nodes_[id];
  const Edges edges = this->edges(id);
  if (node.chooser != SEVERAL_CHOOSERS) return *edges.link_of(node.chooser, choice[node.chooser]);
  const auto code = joint_code(edges, n_roles_, choice);
  return code ? joint_links_.find({id, node.generation}, *code) : Link{};
}

void Tree::prefetch_rest(NodeId id) const {
  const Node& node = nodes_[id];
  // While some moves were never visited, the lane mostly goes on from this state.
  if (node.visits < node.n_edges || node.kind == NodeKind::Leaf) nodes_.prefetch_with_state(id);
  if (node.kind == NodeKind::Leaf) return;
  const std::size_t bytes = node.kind == NodeKind::Open ? open_bytes(n_links(node), node.n_edges) : CACHE_LINE;
  prefetch_bytes(blocks_.at(node.block), std::min(bytes, MOST_PREFETCHED));
}

void Tree::link_jointly(NodeId id, const std::uint32_t* choice, NodeId child) {
  if (const auto code = joint_code(edges(id), n_roles_, choice)) {
    joint_links_.set(link_to(id), *code, link_to(child), limits_.bytes / 4,
                     [this](Link parent) { return resolve(parent); });
  }
}

std::size_t Tree::bytes() const {
  return nodes_.bytes() + blocks_.held() + joint_links_.bytes() + (n_buckets_ + unused_.capacity()) * sizeof(NodeId);
}

// When all the memory allowed is in use, there is still room where nodes and blocks were given back.
bool Tree::full() const {
  if (size_ >= limits_.states) return true;
  if (limits_.bytes == 0 || bytes() + CHUNK_BYTES <= std::max(limits_.bytes - limits_.bytes / 64, 4 * CHUNK_BYTES))
    return false;
  return unused_.empty() || !blocks_.has_room();
}

// The time of the last visit to the `count`-th of the nodes in the order of their last visits. Times are distinct.
std::uint64_t Tree::time_of_oldest(std::size_t count, std::uint64_t keep_since) const {
  constexpr int BITS = 12;
  std::array<std::size_t, std::size_t{1} << BITS> counts{};
  const int shift = std::max(0, static_cast<int>(std::bit_width(keep_since)) - BITS);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (evictable(nodes_[id], keep_since)) ++counts[nodes_[id].last_visit >> shift];
  }
  std::size_t interval = 0;
  for (; counts[interval] < count; ++interval) count -= counts[interval];
  std::vector<std::uint64_t> times;
  times.reserve(counts[interval]);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& node = nodes_[id];
    if (evictable(node, keep_since) && node.last_visit >> shift == interval) times.push_back(node.last_visit);
  }
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(times.begin(), last, times.end());
  return *last;
}

void Tree::evict(std::uint64_t keep_since) {
  std::size_t candidates = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) candidates += evictable(nodes_[id], keep_since) ? 1 : 0;
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
  NodeId* at = &bucket_of(hash(state(id)));
  while (*at != id) at = &nodes_[*at].next_in_bucket;
  *at = node.next_in_bucket;
  if (node.kind == NodeKind::Open || node.kind == NodeKind::Solved) {
    blocks_.give(node.block, open_bytes(n_links(node), node.n_edges));
  } else if (node.kind == NodeKind::Terminal) {
    blocks_.give(node.block, n_roles_ * sizeof(std::int32_t));
  }
  node.kind = NodeKind::Unused;
  ++node.generation;
  unused_.push_back(id);
  --size_;
}

void Tree::make_buckets(std::size_t count) {
  buckets_ = pages_->take(count * sizeof(NodeId));
  n_buckets_ = count;
  std::uninitialized_fill_n(reinterpret_cast<NodeId*>(buckets_.get()), count, NO_NODE);
}

void Tree::grow_buckets() {
  buckets_.reset();
  make_buckets(n_buckets_ * 2);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].kind == NodeKind::Unused) continue;
    NodeId& bucket = bucket_of(hash(state(id)));
    nodes_[id].next_in_bucket = bucket;
    bucket = id;
  }
}

}  // namespace gdl
