#include "match/thinker.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

struct TimeIsUp {};

// Publishing takes some microseconds.
constexpr double SECONDS_BETWEEN_PUBLICATIONS = 0.01;

// The player in the other seats. Its moves end the search and are ignored.
PlayerSpec other_player() {
  PlayerSpec player;
  player.kind = PlayerKind::Random;
  return player;
}

}  // namespace

Thinker::Thinker(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                 std::shared_ptr<const ProgramSet> of_search, PlayerSpec player, int role)
    : circuit_(circuit),
      role_(role),
      players_{std::move(player), other_player()},
      seats_(static_cast<std::size_t>(circuit.n_roles), 1),
      engine_(make_lane_engine(circuit, std::move(of_search),
                               width_for(static_cast<std::size_t>(lanes_of_match(players_))),
                               chosen_instruction_set())),
      arena_(circuit, players_, *engine_, std::move(programs)),
      searches_(seats_.size()) {
  seats_[static_cast<std::size_t>(role)] = 0;
}

Thoughts Thinker::think(std::span<const std::uint64_t> state, std::span<const std::int32_t> last_rows,
                        std::uint64_t seed, ThinkingLimits limits) {
  const auto& search = searches_[static_cast<std::size_t>(role_)];
  players_[0].playouts = limits.playouts;
  players_[0].seconds = std::numeric_limits<double>::infinity();
  const MatchStart start{.seed = seed,
                         .state = state.data(),
                         .last_rows = last_rows.empty() ? nullptr : last_rows.data(),
                         .seats = seats_,
                         .move_limit = 1,
                         .searches = searches_,
                         .search_always = true};
  const double end = limits.seconds > 0 ? limits.seconds : std::numeric_limits<double>::infinity();
  double due = 0;
  if (search) search->rest();
  try {
    arena_.run({&start, 1}, [this, state, seed, end, &due, &search](const ArenaProgress& progress) {
      // The search always begins, within a few steps, so that the statistics already in the tree are reported.
      if (!search || !search->begun()) return;
      if (stopped_ || progress.seconds >= end) throw TimeIsUp{};
      if (progress.seconds < due) return;
      publish(state, seed, thoughts());
      due = progress.seconds + SECONDS_BETWEEN_PUBLICATIONS;
    });
  } catch (const TimeIsUp&) {
    if (search) search->abandon();
  } catch (...) {
    if (search) search->abandon();
    throw;
  }
  Thoughts found = thoughts();
  publish(state, seed, found);
  return found;
}

Thoughts Thinker::known(std::span<const std::uint64_t> state, std::uint64_t seed) {
  const SearchThoughts& latest = published_.latest();
  if (!std::ranges::equal(latest.state, state)) return {};
  Thoughts found = latest.thoughts;
  if (latest.seed != seed) found.playouts = 0;
  return found;
}

Thoughts Thinker::thoughts() const {
  Thoughts found;
  const auto& search = searches_[static_cast<std::size_t>(role_)];
  if (!search || !search->begun()) return found;
  const RootResult result = search->result();
  for (const RootMove& move : result.moves(role_)) {
    found.rows.push_back(move.row);
    found.visits.push_back(move.visits);
    found.payoffs.push_back(move.payoff);
    found.verdicts.push_back(move.verdict);
  }
  for (const std::int32_t row : search->root_rows_in_flight(role_)) {
    --found.visits[static_cast<std::size_t>(std::ranges::lower_bound(found.rows, row) - found.rows.begin())];
  }
  found.solved = result.solved();
  found.playouts = search->playouts() - search->in_flight();
  found.nodes = search->tree().size();
  found.bytes = search->tree().bytes();
  return found;
}

std::vector<std::int32_t> Thinker::line(std::int32_t first, std::size_t longest) const {
  const auto& search = searches_[static_cast<std::size_t>(role_)];
  return search && search->begun() ? search->result().principal_line(role_, first, longest)
                                   : std::vector<std::int32_t>{};
}

}  // namespace gdl
