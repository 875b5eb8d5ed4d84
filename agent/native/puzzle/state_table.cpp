#include "puzzle/state_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "random/random.hpp"

namespace gdl {
namespace {

constexpr std::size_t SMALLEST_INDEX = 1024;

}  // namespace

StateTable::StateTable(std::vector<std::uint64_t> key) : key_(std::move(key)) { clear(); }

void StateTable::clear() {
  size_ = 0;
  chunks_.clear();
  index_.assign(SMALLEST_INDEX, 0);
  index_.shrink_to_fit();
  mask_ = SMALLEST_INDEX - 1;
}

std::size_t StateTable::bytes() const {
  return chunks_.size() * CHUNK * (8 * key_.size() + sizeof(ReachedState)) + index_.size() * 8;
}

std::size_t StateTable::growth() const {
  const std::size_t chunk = size_ % CHUNK == 0 ? CHUNK * (8 * key_.size() + sizeof(ReachedState)) : 0;
  return 3 * (size_ + 1) > 2 * index_.size() ? chunk + index_.size() * 16 : chunk;  // an index of twice the size
}

std::uint64_t StateTable::hash(const std::uint64_t* state) const {
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < key_.size(); ++word) {
    hash = mix64(hash * 0x9E3779B97F4A7C15u + (state[word] & key_[word]) + 1);
  }
  return hash;
}

bool StateTable::equal(const std::uint64_t* one, const std::uint64_t* other) const {
  std::uint64_t different = 0;
  for (std::size_t word = 0; word < key_.size(); ++word) different |= (one[word] ^ other[word]) & key_[word];
  return different == 0;
}

StateTable::Id StateTable::find(const std::uint64_t* state, std::uint64_t hash) const {
  for (std::size_t place = hash & mask_; index_[place] != 0; place = (place + 1) & mask_) {
    if ((index_[place] ^ hash) >> 32 != 0) continue;
    const auto id = static_cast<Id>(index_[place]) - 1;
    if (equal(this->state(id), state)) return id;
  }
  return NONE;
}

StateTable::Id StateTable::add(const std::uint64_t* state, std::uint64_t hash, const ReachedState& node) {
  if (3 * (size_ + 1) > 2 * index_.size()) grow();
  if (size_ % CHUNK == 0) chunks_.push_back(std::make_unique<StateChunk>(key_.size()));
  const auto id = static_cast<Id>(size_++);
  replace(id, state, node);
  std::size_t place = hash & mask_;
  while (index_[place] != 0) place = (place + 1) & mask_;
  index_[place] = entry(hash, id);
  return id;
}

void StateTable::replace(Id id, const std::uint64_t* state, const ReachedState& node) {
  StateChunk& chunk = *chunks_[id / CHUNK];
  std::memcpy(&chunk.states[id % CHUNK * key_.size()], state, 8 * key_.size());
  chunk.nodes[id % CHUNK] = node;
}

void StateTable::grow() {
  const std::size_t size = 2 * index_.size();
  index_ = {};
  index_.resize(size);
  mask_ = index_.size() - 1;
  for (Id id = 0; id < size_; ++id) {
    const std::uint64_t hash = this->hash(state(id));
    std::size_t place = hash & mask_;
    while (index_[place] != 0) place = (place + 1) & mask_;
    index_[place] = entry(hash, id);
  }
}

std::vector<std::int32_t> StateTable::line_to(Id id) const {
  std::vector<std::int32_t> rows;
  for (; node(id).parent != NONE; id = node(id).parent) rows.push_back(node(id).row);
  std::ranges::reverse(rows);
  return rows;
}

}  // namespace gdl
