#include "match/thinker.hpp"

#include <limits>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

struct TimeIsUp {};

// The player in the other seats. Its moves end the search and are ignored.
PlayerSpec other_player() {
  PlayerSpec player;
  player.kind = PlayerKind::Random;
  return player;
}

}  // namespace

Thinker::Thinker(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, PlayerSpec player, int role)
    : circuit_(circuit),
      role_(role),
      players_{std::move(player), other_player()},
      seats_(static_cast<std::size_t>(circuit.n_roles), 1),
      engine_(make_lane_engine(circuit, programs, width_for(static_cast<std::size_t>(lanes_of_match(players_))),
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
  if (search) search->rest();
  try {
    arena_.run({&start, 1}, [this, end, &search](const ArenaProgress& progress) {
      // The search always begins, within a few steps, so that the statistics already in the tree are reported.
      if (!search || !search->begun()) return;
      if (stopped_ || progress.seconds >= end) throw TimeIsUp{};
    });
  } catch (const TimeIsUp&) {
    if (search) search->abandon();
  } catch (...) {
    if (search) search->abandon();
    throw;
  }
  return thoughts();
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
  found.solved = result.solved();
  found.playouts = search->playouts();
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
