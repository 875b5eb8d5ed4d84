#include "values/value_network.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/logarithm.hpp"

namespace gdl {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("value network: ") + what);
}

// Returns one more than the last place that any state selects in the view.
std::size_t room_of(const ValueView& view, std::size_t n_fluents, std::size_t n_derived, std::size_t n_weights) {
  require(view.fact_weight.size() == n_fluents, "fact_weight has not one place for each fluent");
  for (const std::int32_t place : view.fact_weight) {
    require(place >= NO_WEIGHT && place < static_cast<std::int64_t>(n_weights),
            "fact_weight holds no place of a weight");
  }
  const std::vector<std::int32_t>& start = view.terms.start();
  require(start.size() == n_fluents + n_derived + 1 && start.front() == 0 && std::ranges::is_sorted(start) &&
              static_cast<std::size_t>(start.back()) == view.terms.values().size(),
          "term_start does not cover the terms, fact by fact");
  std::vector<std::int64_t> last(view.tuple_weight.begin(), view.tuple_weight.end());
  for (const std::int64_t place : last) {
    require(place >= 0 && place < static_cast<std::int64_t>(n_weights), "tuple_weight holds no place of a weight");
  }
  for (const TupleTerm& term : view.terms.values()) {
    require(term.tuple >= 0 && static_cast<std::size_t>(term.tuple) < last.size(), "a term names no tuple");
    require(term.term > 0, "a term is not positive");
    last[static_cast<std::size_t>(term.tuple)] += term.term;
  }
  const std::int64_t most = last.empty() ? 0 : std::ranges::max(last) + 1;
  require(most < INT32_MAX, "its tuples are too large");
  return static_cast<std::size_t>(most);
}

}  // namespace

std::int32_t ValueNetwork::phase(const std::uint64_t* state) const {
  std::int32_t turn = 0;
  for (const std::int32_t fluent : turn_fluents) {
    if ((state[fluent / 64] >> (fluent % 64) & 1u) != 0) break;
    ++turn;
  }
  if (stage_numbers.empty()) return turn;
  std::int32_t number = 0, stage = 0;
  for (std::size_t word = 0; word < stage_mask.size(); ++word) number += std::popcount(state[word] & stage_mask[word]);
  for (const std::int32_t first : stage_numbers) stage += number >= first;
  return turn * n_stages() + stage;
}

void ValueNetwork::check() {
  const auto fluents = static_cast<std::size_t>(n_fluents);
  require(n_fluents >= 0 && n_roles >= 1, "it has no roles");
  require(chance_role == NO_ROLE || (chance_role >= 0 && chance_role < n_roles && n_roles >= 2), "chance_role");
  require(n_outputs == n_players() || (n_outputs == 1 && n_players() == 2),
          "it has not one output, or one for each player");
  for (const std::int32_t fluent : turn_fluents) require(fluent >= 0 && fluent < n_fluents, "turn_fluents");
  require(stage_mask.size() == (fluents + 63) / 64, "stage_mask has not the words of a state");
  for (std::size_t i = 1; i < stage_numbers.size(); ++i) {
    require(stage_numbers[i - 1] < stage_numbers[i], "stage_numbers do not ascend");
  }
  require(views.size() == static_cast<std::size_t>(n_phases() * n_outputs),
          "it has not one view for each phase and output");
  require(next_tied.empty() || next_tied.size() == n_weights, "next_tied has not one place for each weight");
  std::vector<std::uint8_t> named(n_weights, 0);
  for (const std::int32_t place : next_tied) {
    require(place >= 0 && static_cast<std::size_t>(place) < n_weights, "next_tied holds no place of a weight");
    require(named[static_cast<std::size_t>(place)]++ == 0, "next_tied has no rings");
  }
  room = n_weights;
  for (const ValueView& view : views) room = std::max(room, room_of(view, fluents, derived.n_facts(), n_weights));
}

double logit(double value) { return natural_log(value / (1 - value)); }

}  // namespace gdl
