// Arrays of equal contents share their memory. The knowledge files of one game have the tables of its board in common,
// which therefore stay in the cache whichever file is used.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gdl {

// Immutable. Any thread may make and copy arrays.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(std::vector<T> values)
      : owned_(one_of(std::move(values))), data_(owned_->data()), size_(owned_->size()) {}

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t index) const { return data_[index]; }

 private:
  using Owned = std::shared_ptr<const std::vector<T>>;

  static Owned one_of(std::vector<T> values) {
    static std::mutex mutex;
    static std::vector<std::weak_ptr<const std::vector<T>>> known;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const auto& each) { return each.expired(); });
    for (const auto& each : known) {
      const Owned other = each.lock();
      if (other && *other == values) return other;
    }
    const Owned made = std::make_shared<const std::vector<T>>(std::move(values));
    known.push_back(made);
    return made;
  }

  Owned owned_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gdl
