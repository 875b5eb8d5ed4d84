#include "values/state_values.hpp"

#include <algorithm>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

// The most facts of a change that is looked for among those known. Longer ones hardly come again, either.
constexpr std::size_t MOST_KNOWN = 8;

}  // namespace

StateValues::StateValues(const ValueFunction& function)
    : function_(function),
      network_(function.network()),
      logistic_(logistic_kernel(chosen_instruction_set())),
      known_(function.network(), function.weights()),
      outputs_(static_cast<std::size_t>(function.network().n_outputs)),
      after_(function.network().state_words()) {}

void StateValues::begin(const std::uint64_t* state, std::span<const std::uint64_t> usual) {
  state_ = state;
  usual_ = usual.data();
  for (OutputPlaces& output : outputs_) output.view = nullptr;
  sums_.clear();
}

void StateValues::begin_output(OutputPlaces& output, const ValueView& view) {
  output.view = &view;
  output.places = view.tuple_weight;
  const std::int32_t* const weights = function_.weights().data();
  std::int64_t sum = 0;
  std::int32_t* const places = output.places.data();
  const auto words = static_cast<std::size_t>(network_.n_fluents + 63) / 64;
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = state_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t fluent = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (view.fact_weight[fluent] != NO_WEIGHT) sum += weights[view.fact_weight[fluent]];
      for (const TupleTerm& term : view.terms[fluent]) places[term.tuple] += term.term;
    }
  }
  const std::size_t fluents = view.fact_weight.size();
  for (std::size_t word = 0; word < network_.derived.words(); ++word) {
    const std::size_t first = fluents + network_.derived.first_fact(word);
    for (std::uint64_t bits = usual_[word]; bits != 0; bits &= bits - 1) {
      for (const TupleTerm& term : view.terms[first + static_cast<std::size_t>(__builtin_ctzll(bits))]) {
        places[term.tuple] += term.term;
      }
    }
  }
  for (const std::int32_t place : output.places) sum += weights[place];
  output.sum = sum;
}

void StateValues::add(std::span<const std::int32_t> changed, std::span<const std::uint64_t> derived) {
  std::copy_n(state_, after_.size(), after_.begin());
  changes_.clear();
  for (const std::int32_t fluent : changed) {
    const auto word = static_cast<std::size_t>(fluent / 64);
    const std::uint64_t bit = std::uint64_t{1} << (fluent % 64);
    changes_.push_back(2 * fluent + ((state_[word] & bit) != 0 ? 1 : 0));
    after_[word] ^= bit;
  }
  const std::size_t cell_words = network_.derived.cell_words();
  add_changes(derived, 0, cell_words);
  // Costs hardly change in the same way again.
  const std::size_t again = changes_.size() <= MOST_KNOWN ? changes_.size() : 0;
  add_changes(derived, cell_words, network_.derived.words());
  const std::span<const FactChange> known = std::span(changes_).first(again),
                                    others = std::span(changes_).subspan(again);
  const std::int32_t phase = network_.phase(after_.data());
  for (std::int32_t number = 0; number < network_.n_outputs; ++number) {
    const ValueView& view = network_.view(phase, number);
    OutputPlaces& output = outputs_[static_cast<std::size_t>(number)];
    if (&view != output.view) begin_output(output, view);
    const std::int64_t moved = move(output, others);
    const std::int64_t sum = output.sum + moved + known_difference(output, known);
    move_back(output, others);
    sums_.push_back(static_cast<double>(view.against ? -sum : sum) / ValueFunction::UNIT);
  }
}

// Adds the changes of derived facts in some words, against the usual ones.
void StateValues::add_changes(std::span<const std::uint64_t> derived, std::size_t first_word, std::size_t end) {
  for (std::size_t word = first_word; word < end; ++word) {
    const std::size_t first = static_cast<std::size_t>(network_.n_fluents) + network_.derived.first_fact(word);
    for (std::uint64_t bits = derived[word] ^ usual_[word]; bits != 0; bits &= bits - 1) {
      const auto fact = static_cast<FactChange>(first + static_cast<std::size_t>(__builtin_ctzll(bits)));
      changes_.push_back(2 * fact + ((usual_[word] & bits & -bits) != 0 ? 1 : 0));
    }
  }
}

// Returns what the sum gains by changes that may be known.
std::int64_t StateValues::known_difference(const OutputPlaces& output, std::span<const FactChange> changes) {
  if (changes.empty()) return 0;
  const std::int32_t* const weights = function_.weights().data();
  const std::int32_t* const places = output.places.data();
  const KnownChanges::Effect effect = known_.find(*output.view, changes);
  std::int64_t sum = effect.facts;
  for (const TupleTerm& each : effect.terms) {
    const std::int32_t place = places[each.tuple];
    sum += std::int64_t{weights[place + each.term]} - weights[place];
  }
  return sum;
}

// Moves the tuples by changes, and returns what the sum gains. Where several facts move a tuple, the weights that it
// selects in between cancel out.
std::int64_t StateValues::move(OutputPlaces& output, std::span<const FactChange> changes) {
  const std::int32_t* const weights = function_.weights().data();
  const ValueView& view = *output.view;
  std::int32_t* const places = output.places.data();
  std::int64_t sum = 0;
  for (const FactChange change : changes) {
    const auto fact = static_cast<std::size_t>(change / 2);
    const std::int32_t sign = change % 2 != 0 ? -1 : 1;
    if (fact < view.fact_weight.size() && view.fact_weight[fact] != NO_WEIGHT) {
      sum += std::int64_t{sign} * weights[view.fact_weight[fact]];
    }
    for (const TupleTerm& each : view.terms[fact]) {
      std::int32_t& place = places[each.tuple];
      const std::int32_t before = place;
      place += sign * each.term;
      sum += std::int64_t{weights[place]} - weights[before];
    }
  }
  return sum;
}

void StateValues::move_back(OutputPlaces& output, std::span<const FactChange> changes) {
  for (const FactChange change : changes) {
    const std::int32_t sign = change % 2 != 0 ? 1 : -1;
    for (const TupleTerm& each : output.view->terms[static_cast<std::size_t>(change / 2)]) {
      output.places[static_cast<std::size_t>(each.tuple)] += sign * each.term;
    }
  }
}

std::span<const double> StateValues::values() {
  logistic_(sums_.data(), sums_.size());
  const auto roles = static_cast<std::size_t>(network_.n_roles);
  const auto outputs = static_cast<std::size_t>(network_.n_outputs);
  values_.assign(sums_.size() / outputs * roles, 0);
  double* values = values_.data();
  for (std::size_t first = 0; first < sums_.size(); first += outputs, values += roles) {
    for (std::size_t number = 0; number < outputs; ++number) {
      values[network_.role_of(static_cast<std::int32_t>(number))] = 100 * sums_[first + number];
    }
    if (network_.shared()) values[network_.role_of(1)] = 100 - values[network_.role_of(0)];
  }
  return values_;
}

}  // namespace gdl
