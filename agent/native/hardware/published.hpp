// A value that one thread publishes again and again, and that another thread reads. Neither ever waits for the other,
// even where the other has stopped in the middle of its work.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace gdl {

// There are three slots: one that the writer fills, one that the reader looks at, and one in the middle. The threads
// exchange their slot for the one in the middle.
template <typename Value>
class Published {
 public:
  // For the writer.
  void publish(Value value) {
    slots_[written_] = std::move(value);
    written_ = middle_.exchange(written_ | FRESH, std::memory_order_acq_rel) & ~FRESH;
  }

  // For the reader: the value published last, a default one before the first. It stays until the next call.
  const Value& latest() {
    if ((middle_.load(std::memory_order_relaxed) & FRESH) != 0) {
      read_ = middle_.exchange(read_, std::memory_order_acq_rel) & ~FRESH;
    }
    return slots_[read_];
  }

 private:
  static constexpr std::size_t FRESH = 4;  // set in `middle_` while the reader has not taken its slot

  std::array<Value, 3> slots_;
  std::size_t written_ = 0;
  std::size_t read_ = 1;
  std::atomic<std::size_t> middle_ = 2;
};

}  // namespace gdl
