#include "match/match.hpp"

#include <limits>

namespace gdl {
namespace {

// The part of a move's seed by which the move is drawn; playouts have the parts from 0.
constexpr std::uint64_t DRAW_OF_MOVE = std::numeric_limits<std::uint64_t>::max();

}  // namespace

LaneMatch::LaneMatch(const Circuit& circuit, std::span<const PlayerSpec> players, std::span<Workspace> workspaces,
                     const MatchStart& start)
    : circuit_(circuit),
      players_(players),
      workspaces_(workspaces),
      start_(start),
      state_(start.state, start.state + circuit.state_words()),
      joint_(static_cast<std::size_t>(circuit.n_roles)),
      own_searches_(start.searches.empty() ? static_cast<std::size_t>(circuit.n_roles) : 0),
      searches_(start.searches.empty() ? std::span(own_searches_) : start.searches) {
  if (start.last_rows != nullptr) last_rows_.assign(start.last_rows, start.last_rows + circuit.n_roles);
  history_.playouts.assign(searches_.size(), 0);
  history_.nodes_added.assign(searches_.size(), 0);
  history_.nodes_held.assign(searches_.size(), 0);
}

std::uint64_t LaneMatch::seed_of(int role, std::uint64_t part) const {
  return hash_combine(hash_combine(start_.seed, static_cast<std::uint64_t>(role)), part);
}

LaneTask LaneMatch::place(int lane, const std::uint64_t* state, const std::int32_t* goals,
                          std::span<const std::int32_t> rows, double now) {
  if (!history_.moves.empty()) last_rows_ = joint_;
  state_.assign(state, state + state_.size());
  rows_.assign(rows.begin(), rows.end());
  history_.states.insert(history_.states.end(), state_.begin(), state_.end());
  const auto limit = static_cast<std::uint64_t>(start_.move_limit);
  if (goals == nullptr && (limit == 0 || move_number_ < limit)) return decide(lane, 0, now);
  history_.moves.insert(history_.moves.end(), joint_.size(), -1);
  history_.visit_end.push_back(static_cast<std::int64_t>(history_.visit_row.size()));
  history_.goals.assign(joint_.size(), -1);
  if (goals != nullptr) history_.goals.assign(goals, goals + joint_.size());
  return LaneTask::Done;
}

LaneTask LaneMatch::decide(int lane, int role, double now) {
  const bool opening = move_number_ < static_cast<std::uint64_t>(start_.opening_plies);
  for (; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows_);
    const auto seat = static_cast<std::size_t>(role);
    const auto index = static_cast<std::size_t>(start_.seats[seat]);
    const PlayerSpec& player = players_[index];
    const bool choiceless = own.size() == 1 && !(start_.search_always && player.kind == PlayerKind::Uct);
    if (choiceless) {
      joint_[seat] = own[0];
    } else if (opening || player.kind == PlayerKind::Random || role == circuit_.chance_role) {
      joint_[seat] = own[Draws(seed_of(role, move_number_)).below(own.size())];
    } else {
      auto& search = searches_[seat];
      if (!search) {
        search = std::make_unique<UctSearch>(circuit_, player, workspaces_[index], role,
                                             seed_of(role, std::numeric_limits<std::uint64_t>::max()));
      }
      thinking_ = role;
      thinker_ = search.get();
      const std::int32_t* last_rows = last_rows_.empty() ? nullptr : last_rows_.data();
      search->begin(state_.data(), last_rows, rows_, seed_of(role, move_number_), now);
      wake_ = true;
      return resume(lane, now);
    }
  }
  ++move_number_;
  history_.moves.insert(history_.moves.end(), joint_.begin(), joint_.end());
  history_.visit_end.push_back(static_cast<std::int64_t>(history_.visit_row.size()));
  return LaneTask::AdvancePosition;
}

LaneTask LaneMatch::pursue(int lane, LaneTask task, double now) {
  if (task != LaneTask::Done) return task;
  const int role = thinking_;
  conclude();
  return decide(lane, role + 1, now);
}

// Records the result of the search and takes its move.
void LaneMatch::conclude() {
  const UctSearch& search = *thinker_;
  const RootResult result = search.result();
  for (const RootMove& move : result.moves(thinking_)) {
    history_.visit_row.push_back(move.row);
    history_.visit_count.push_back(static_cast<std::int32_t>(move.visits));
    history_.visit_payoff.push_back(move.payoff);
  }
  const auto seat = static_cast<std::size_t>(thinking_);
  history_.playouts[seat] += search.playouts();
  history_.nodes_added[seat] = search.nodes_added();
  history_.nodes_held[seat] = search.tree().size();
  const PlayerSpec& player = players_[static_cast<std::size_t>(start_.seats[seat])];
  const double share = player.draws_moves ? 0 : result.several_choose(circuit_.chance_role) ? player.mixed_share : 1;
  joint_[seat] = result.drawn_row(thinking_, share, hash_combine(seed_of(thinking_, move_number_), DRAW_OF_MOVE));
  thinking_ = -1;
  thinker_ = nullptr;
}

LaneTask LaneMatch::expand(int lane, const std::uint64_t* state, std::span<const std::uint64_t> derived,
                           const std::int32_t* goals, double now) {
  return pursue(lane, thinker_->expand(lane, state, derived, goals, now), now);
}

LaneTask LaneMatch::open(int lane, std::span<const std::int32_t> rows, std::span<const std::uint64_t> derived,
                         double now) {
  return pursue(lane, thinker_->open(lane, rows, derived, now), now);
}

LaneTask LaneMatch::value_moves(int lane, const Afterstates& found, std::size_t position,
                                std::span<const std::int32_t> rows, double now) {
  return pursue(lane, thinker_->value_moves(lane, found, position, rows, now), now);
}

LaneTask LaneMatch::back_up(int lane, const std::int32_t* goals, double now) {
  return pursue(lane, thinker_->back_up(lane, goals, now), now);
}

LaneTask LaneMatch::resume(int lane, double now) {
  if (thinker_ == nullptr || !thinker_->has_lane(lane)) return LaneTask::Rest;
  return pursue(lane, thinker_->resume(lane, now), now);
}

}  // namespace gdl
