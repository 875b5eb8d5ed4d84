// The states that a search has reached, each once, with the move that leads to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gdl {

class StateTable {
 public:
  using Id = std::uint32_t;
  static constexpr Id NONE = 0xffffffffu;

  // How a state was reached.
  struct ReachedState {
    Id parent = NONE;
    std::int32_t row = -1;    // the move that leads here from the parent
    std::uint32_t depth = 0;  // moves from the root
    bool expanded = false;
  };

  // States are equal if they agree on the fluents of `key` (packed), which has a word for each word of a state.
  explicit StateTable(std::vector<std::uint64_t> key);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;
  // The bytes that adding another state takes beside them for a while.
  std::size_t growth() const;
  // Whether no other state can have a number.
  bool full() const { return size_ >= MOST_STATES; }

  // The hash of a state, by which find() and add() go.
  std::uint64_t hash(const std::uint64_t* state) const;
  // Brings the place of a hash into the cache.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&index_[hash & mask_]); }
  // The equal state of the table, NONE if there is none.
  Id find(const std::uint64_t* state, std::uint64_t hash) const;
  // Adds a state that is not in the table.
  Id add(const std::uint64_t* state, std::uint64_t hash, const ReachedState& node);
  // Replaces a state by an equal one that was reached in another way.
  void replace(Id id, const std::uint64_t* state, const ReachedState& node);

  const std::uint64_t* state(Id id) const { return &chunks_[id / CHUNK]->states[id % CHUNK * key_.size()]; }
  ReachedState& node(Id id) { return chunks_[id / CHUNK]->nodes[id % CHUNK]; }
  const ReachedState& node(Id id) const { return chunks_[id / CHUNK]->nodes[id % CHUNK]; }
  // The rows that lead from the root to a state.
  std::vector<std::int32_t> line_to(Id id) const;

  void clear();

 private:
  static constexpr std::size_t CHUNK = 1024;  // states
  static constexpr std::size_t MOST_STATES = 0xfffffff0u;
  struct StateChunk {
    explicit StateChunk(std::size_t words) : states(new std::uint64_t[CHUNK * words]), nodes(CHUNK) {}
    std::unique_ptr<std::uint64_t[]> states;
    std::vector<ReachedState> nodes;
  };

  // An entry is the upper half of the hash and the number of the state plus one; 0 is an empty place.
  static std::uint64_t entry(std::uint64_t hash, Id id) { return (hash >> 32 << 32) | (id + 1u); }
  void grow();
  bool equal(const std::uint64_t* one, const std::uint64_t* other) const;

  std::vector<std::uint64_t> key_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<StateChunk>> chunks_;
  std::vector<std::uint64_t> index_;  // open addressing, at most two thirds full
  std::size_t mask_ = 0;
};

}  // namespace gdl
