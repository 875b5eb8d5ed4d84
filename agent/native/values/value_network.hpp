// The value of a state to a role is the logistic function of a sum of weights, which the facts of the state and tuples
// of them select (n-tuple networks: Bledsoe & Browning 1959, Lucas 2008).
//
// A fact selects a weight of its own. A tuple is a list of places, each with fluents of which one at most counts; the
// numbers of these fluents, 0 where none holds, select one of the weights of the tuple. Tuples may share their weights,
// for example where a symmetry of the board makes one of another.
//
// Beside the facts of a state there may be derived facts (circuit/derived_facts.hpp), numbered after the
// fluents. They count in tuples, and have no weights of their own.
//
// A view says which weights facts and tuples select. There is one for each phase of a match and each role, so that the
// same piece may be worth one thing early and another late, or to one role what its twin is worth to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/derived_facts.hpp"
#include "circuit/lists.hpp"

namespace gdl {

inline constexpr std::int32_t NO_WEIGHT = -1;

// A fluent adds this to the place of the weight that a tuple selects.
struct TupleTerm {
  std::int32_t tuple;
  std::int32_t term;
};

struct ValueView {
  std::vector<std::int32_t> fact_weight;   // [fluent] place of its weight, or NO_WEIGHT
  Lists<TupleTerm> terms;                  // [fluent or derived fact]
  std::vector<std::int32_t> tuple_weight;  // [tuple] place of the weight that is selected where no fluent holds
  bool against = false;                    // whether the sum counts against the role
};

struct ValueNetwork {
  std::int32_t n_fluents = 0;
  std::int32_t n_roles = 0;
  std::int32_t chance_role = NO_ROLE;  // the one that moves at random, to which no state is worth anything
  // Number of players, the roles that choose, or 1 where the value to the second of two is one minus that to the first.
  std::int32_t n_outputs = 0;
  std::vector<std::int32_t> turn_fluents;   // the turn is the place of the first that holds, their number if none does
  std::vector<std::uint64_t> stage_mask;    // [words] fluents whose number tells the stage
  std::vector<std::int32_t> stage_numbers;  // ascending: the numbers from which the next stage begins
  std::vector<ValueView> views;             // [phase * n_outputs + output]
  DerivedFacts derived;                     // empty if no tuple asks for some
  std::size_t n_weights = 0;
  // [place] the next place whose weight is the same, in rings; empty if every weight is alone. Learning keeps the
  // weights of a ring equal.
  std::vector<std::int32_t> next_tied;
  // One more than the last place that any state selects, be it one that play cannot reach. Owners of weights make room
  // for so many.
  std::size_t room = 0;

  std::size_t state_words() const { return stage_mask.size(); }
  std::int32_t n_stages() const { return static_cast<std::int32_t>(stage_numbers.size()) + 1; }
  std::int32_t n_phases() const { return (static_cast<std::int32_t>(turn_fluents.size()) + 1) * n_stages(); }
  // The phase of a packed state: turn * n_stages + stage.
  std::int32_t phase(const std::uint64_t* state) const;
  std::int32_t n_players() const { return n_roles - (chance_role != NO_ROLE ? 1 : 0); }
  // The place of a role among the players.
  std::int32_t player_of(std::int32_t role) const {
    return role - (chance_role != NO_ROLE && role > chance_role ? 1 : 0);
  }
  // The role of the player of this place.
  std::int32_t role_of(std::int32_t player) const {
    return player + (chance_role != NO_ROLE && player >= chance_role ? 1 : 0);
  }
  // Whether one output tells the value to both of two players.
  bool shared() const { return n_outputs < n_players(); }
  const ValueView& view(std::int32_t phase, std::int32_t output) const {
    return views[static_cast<std::size_t>(phase * n_outputs + output)];
  }
  // Finds `room`. Throws std::invalid_argument where sizes or places do not fit.
  void check();
};

// The sums of a network for states that differ little from each other. One thread at a time may use it.
template <class Weight, class Sum>
class ValueSum {
 public:
  // The network and the weights, [room], must outlive the sum. Weights may change between calls of begin().
  ValueSum(const ValueNetwork& network, std::span<const Weight> weights) : network_(network), weights_(weights) {}

  // Takes a packed state in a view, and returns its sum. `derived`: the packed derived facts,
  // [derived.words()].
  Sum begin(const ValueView& view, const std::uint64_t* state, const std::uint64_t* derived);
  // The sum of a state that differs from that of begin() in these fluents, and has these derived facts;
  // `state` and `known` are those of begin().
  Sum after(std::span<const std::int32_t> changed, const std::uint64_t* derived, const std::uint64_t* state,
            const std::uint64_t* known);
  // The places of the weights that begin() selected: those of facts, then one for each tuple.
  std::span<const std::int32_t> selected() const { return selected_; }

 private:
  const ValueNetwork& network_;
  std::span<const Weight> weights_;
  const ValueView* view_ = nullptr;
  Sum sum_ = 0;
  std::vector<std::int32_t> selected_;
  std::size_t n_tuples_ = 0;  // the last of selected_ are theirs
  // Counts a fact among those that move tuples, or takes it out.
  void move(std::size_t fact, bool held, const std::int32_t* places);

  // Scratch memory of after().
  std::vector<std::int32_t> moved_;       // [tuple] place of the weight that it selects now
  std::vector<std::uint8_t> has_moved_;   // [tuple]
  std::vector<std::int32_t> moved_ones_;  // tuples
};

template <class Weight, class Sum>
Sum ValueSum<Weight, Sum>::begin(const ValueView& view, const std::uint64_t* state, const std::uint64_t* derived) {
  view_ = &view;
  selected_.clear();
  n_tuples_ = view.tuple_weight.size();
  moved_ = view.tuple_weight;
  has_moved_.assign(n_tuples_, 0);
  const auto words = static_cast<std::size_t>(network_.n_fluents + 63) / 64;
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
      const std::size_t fluent = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (view.fact_weight[fluent] != NO_WEIGHT) selected_.push_back(view.fact_weight[fluent]);
      for (const TupleTerm& term : view.terms[fluent]) moved_[static_cast<std::size_t>(term.tuple)] += term.term;
    }
  }
  const std::size_t fluents = view.fact_weight.size();
  for (std::size_t word = 0; word < network_.derived.words(); ++word) {
    const std::size_t first = fluents + network_.derived.first_fact(word);
    for (std::uint64_t bits = derived[word]; bits != 0; bits &= bits - 1) {
      const std::size_t fact = first + static_cast<std::size_t>(__builtin_ctzll(bits));
      for (const TupleTerm& term : view.terms[fact]) moved_[static_cast<std::size_t>(term.tuple)] += term.term;
    }
  }
  selected_.insert(selected_.end(), moved_.begin(), moved_.end());
  sum_ = 0;
  for (const std::int32_t place : selected_) sum_ += weights_[static_cast<std::size_t>(place)];
  return sum_;
}

template <class Weight, class Sum>
Sum ValueSum<Weight, Sum>::after(std::span<const std::int32_t> changed, const std::uint64_t* derived,
                                 const std::uint64_t* state, const std::uint64_t* known) {
  const std::int32_t* places = selected_.data() + (selected_.size() - n_tuples_);
  Sum sum = sum_;
  moved_ones_.clear();
  for (const std::int32_t each : changed) {
    const auto fluent = static_cast<std::size_t>(each);
    const bool held = (state[fluent / 64] >> (fluent % 64) & 1u) != 0;
    if (view_->fact_weight[fluent] != NO_WEIGHT) {
      const Sum weight = weights_[static_cast<std::size_t>(view_->fact_weight[fluent])];
      sum += held ? -weight : weight;
    }
    move(fluent, held, places);
  }
  const std::size_t fluents = view_->fact_weight.size();
  for (std::size_t word = 0; word < network_.derived.words(); ++word) {
    const std::size_t first = fluents + network_.derived.first_fact(word);
    for (std::uint64_t bits = derived[word] ^ known[word]; bits != 0; bits &= bits - 1) {
      const bool held = (known[word] & bits & -bits) != 0;
      move(first + static_cast<std::size_t>(__builtin_ctzll(bits)), held, places);
    }
  }
  for (const std::int32_t each : moved_ones_) {
    const auto tuple = static_cast<std::size_t>(each);
    has_moved_[tuple] = 0;
    sum += static_cast<Sum>(weights_[static_cast<std::size_t>(moved_[tuple])]) -
           static_cast<Sum>(weights_[static_cast<std::size_t>(places[tuple])]);
  }
  return sum;
}

template <class Weight, class Sum>
void ValueSum<Weight, Sum>::move(std::size_t fact, bool held, const std::int32_t* places) {
  for (const TupleTerm& term : view_->terms[fact]) {
    const auto tuple = static_cast<std::size_t>(term.tuple);
    if (has_moved_[tuple] == 0) {
      has_moved_[tuple] = 1;
      moved_[tuple] = places[tuple];
      moved_ones_.push_back(term.tuple);
    }
    moved_[tuple] += held ? -term.term : term.term;
  }
}

// The x at which the logistic function is `value`, which is above 0 and below 1.
double logit(double value);

}  // namespace gdl
