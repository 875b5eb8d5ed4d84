// Memory for blocks of a few sizes, in chunks that never move; a block is named by a 32-bit handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace gdl {

class BlockPool {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle NO_BLOCK = 0xffffffffu;

  // At least `bytes` bytes, aligned to 16, contents undefined.
  Handle take(std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    used_ += units * UNIT;
    if (units < free_.size() && !free_[units].empty()) {
      const Handle handle = free_[units].back();
      free_[units].pop_back();
      return handle;
    }
    if (units > CHUNK_UNITS) return add_chunk(units);
    if (fill_ + units > CHUNK_UNITS) {
      current_ = add_chunk(CHUNK_UNITS);
      fill_ = 0;
    }
    const Handle handle = current_ + static_cast<Handle>(fill_);
    fill_ += units;
    return handle;
  }

  // Gives a block back; `bytes` as in take().
  void give(Handle handle, std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    used_ -= units * UNIT;
    if (units >= free_.size()) free_.resize(units + 1);
    free_[units].push_back(handle);
  }

  std::byte* at(Handle handle) const {
    return reinterpret_cast<std::byte*>(chunks_[handle / CHUNK_UNITS].get() + handle % CHUNK_UNITS);
  }

  // Bytes in blocks taken and not given back.
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t UNIT = 16;
  static constexpr std::size_t CHUNK_UNITS = 2048;  // 32 KiB: below the size where malloc maps pages of its own
  struct alignas(UNIT) Unit {
    std::byte bytes[UNIT];
  };

  // Larger blocks come in steps of four units, so that blocks given back fit others.
  static std::size_t units_of(std::size_t bytes) {
    const std::size_t units = (bytes + UNIT - 1) / UNIT;
    return units <= 8 ? units : (units + 3) / 4 * 4;
  }

  Handle add_chunk(std::size_t units) {
    chunks_.push_back(std::make_unique_for_overwrite<Unit[]>(units));
    return static_cast<Handle>((chunks_.size() - 1) * CHUNK_UNITS);
  }

  std::vector<std::unique_ptr<Unit[]>> chunks_;
  std::vector<std::vector<Handle>> free_;  // [units]
  Handle current_ = 0;
  std::size_t fill_ = CHUNK_UNITS;  // units taken of the current chunk
  std::size_t used_ = 0;
};

}  // namespace gdl
