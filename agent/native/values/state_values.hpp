// The values of states that differ little from each other, such as those that the moves of a position lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "values/known_changes.hpp"
#include "values/logistic_kernels.hpp"
#include "values/value_function.hpp"

namespace gdl {

// Values are in goals, 0..100. One thread at a time may use them.
class StateValues {
 public:
  // The function must outlive this object.
  explicit StateValues(const ValueFunction& function);

  // Takes a packed state, and packed derived facts, [derived.words()], that states like it are likely to have. Both
  // must last while states are added. Forgets the states added before.
  void begin(const std::uint64_t* state, std::span<const std::uint64_t> usual);
  // Adds the state that differs in these fluents, and has these packed derived facts, [derived.words()].
  void add(std::span<const std::int32_t> changed, std::span<const std::uint64_t> derived);
  // The values of the states added, [added, n_roles]; that to chance is 0.
  std::span<const double> values();

 private:
  // The tuples of an output at the state of begin().
  struct OutputPlaces {
    const ValueView* view = nullptr;  // nullptr where they are not known
    std::int64_t sum = 0;
    std::vector<std::int32_t> places;  // [tuple] of the weight that it selects
  };

  void begin_output(OutputPlaces& output, const ValueView& view);
  void add_changes(std::span<const std::uint64_t> derived, std::size_t first_word, std::size_t end);
  std::int64_t known_difference(const OutputPlaces& output, std::span<const FactChange> changes);
  std::int64_t move(OutputPlaces& output, std::span<const FactChange> changes);
  void move_back(OutputPlaces& output, std::span<const FactChange> changes);

  const ValueFunction& function_;
  const ValueNetwork& network_;
  LogisticKernel logistic_;
  KnownChanges known_;
  std::vector<OutputPlaces> outputs_;
  const std::uint64_t* state_ = nullptr;
  const std::uint64_t* usual_ = nullptr;
  std::vector<std::uint64_t> after_;  // scratch: a packed state
  std::vector<FactChange> changes_;   // scratch
  std::vector<double> sums_;          // [added, n_outputs]
  std::vector<double> values_;
};

}  // namespace gdl
