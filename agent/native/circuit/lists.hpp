// Many short lists in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gdl {

// List i is the part of the values from start[i] up to start[i + 1].
template <class Value>
class Lists {
 public:
  Lists() = default;
  // Takes the offsets as they come; do not look at any list before the offsets have been checked.
  Lists(std::vector<std::int32_t> start, std::vector<Value> values)
      : start_(std::move(start)), values_(std::move(values)) {}

  std::size_t size() const { return start_.empty() ? 0 : start_.size() - 1; }
  std::span<const Value> operator[](std::size_t list) const {
    return {values_.data() + start_[list], values_.data() + start_[list + 1]};
  }

  void append(std::span<const Value> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    start_.push_back(static_cast<std::int32_t>(values_.size()));
  }

  const std::vector<std::int32_t>& start() const { return start_; }  // [size() + 1] into values()
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<std::int32_t> start_{0};
  std::vector<Value> values_;
};

}  // namespace gdl
