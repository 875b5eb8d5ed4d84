#include "match/arena.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "match/lane_mask.hpp"

namespace gdl {
namespace {

// Playouts as long as this are looked at now and then, and given up where the rules cannot end them.
constexpr std::int64_t LONG_PLAYOUT = 1 << 10;
constexpr std::int64_t ENDLESS_PLAYOUT = 1 << 20;

}  // namespace

int lanes_of_match(std::span<const Player> players) {
  int lanes = 1;
  for (const Player& player : players) lanes = std::max(lanes, player.in_flight);
  return lanes;
}

int width_for(std::size_t lanes) {
  int width = 64;
  while (width < 512 && static_cast<std::size_t>(width) < lanes) width *= 2;
  return width;
}

void Arena::Lanes::clear(std::size_t words) {
  for (Mask* mask : {&moving, &listing, &arriving, &playing, &drawing, &waiting}) mask->assign(words, 0);
}

Arena::Arena(const Circuit& circuit, std::span<const Player> players, LaneEngine& engine)
    : players_(players),
      circuit_(circuit),
      engine_(engine),
      words_(static_cast<std::size_t>(circuit.state_words())),
      group_size_(lanes_of_match(players)),
      lanes_(static_cast<std::size_t>(engine.lanes())),
      groups_(lanes_.size() / static_cast<std::size_t>(group_size_)),
      terminal_(lanes_.size() / 64),
      ready_(terminal_.size()),
      placing_(terminal_.size()),
      asked_(terminal_.size()),
      joints_(lanes_.size() * static_cast<std::size_t>(circuit.n_roles)),
      states_(lanes_.size() * words_),
      goals_(lanes_.size() * static_cast<std::size_t>(circuit.n_roles)) {
  for (const Player& player : players) workspaces_.emplace_back(circuit, player, memory_);
  counts_moves_ =
      std::ranges::any_of(workspaces_, [](const Workspace& each) { return each.policies.counts_simulations(); });
  draws_by_knowledge_ =
      std::ranges::any_of(workspaces_, [](const Workspace& each) { return each.policies.draws_by_state(); });
  lists_.rows.resize(lanes_.size());
  played_.rows.resize(lanes_.size());
}

void Arena::run(std::span<const MatchStart> starts, const Poll& poll) {
  const auto begin = std::chrono::steady_clock::now();
  starts_ = starts;
  order_starts();
  started_ = 0;
  histories_.assign(starts.size(), {});
  progress_ = {};
  for (Workspace& workspace : workspaces_) {
    workspace.playouts = 0;
    workspace.work = {};
  }
  moves_ = {};
  now_.clear(terminal_.size());
  next_.clear(terminal_.size());
  ended_ = {Mask(terminal_.size()), Mask(terminal_.size())};
  for (int group = 0; group < static_cast<int>(groups_.size()); ++group) start_match(group);
  while (progress_.matches < static_cast<std::int64_t>(starts.size())) {
    progress_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress_.playouts = 0;
    for (const Workspace& workspace : workspaces_) progress_.playouts += workspace.playouts;
    poll(progress_);
    step();
  }
}

Work Arena::work() const {
  Work work = moves_;
  for (const Workspace& workspace : workspaces_) work += workspace.work;
  return work;
}

// One step of all lanes. Tasks that load a lane take effect at the next step.
void Arena::step() {
  std::swap(now_, next_);
  next_.clear(terminal_.size());
  clock_.begin_step();
  engine_.place_loaded();
  clock_.end(SearchStage::Load);
  evaluate();
  clock_.end(SearchStage::Evaluate);
  ++progress_.steps;
  hold_ended();
  read_goals();
  clock_.end(SearchStage::Goals);
  finish_playouts();
  report_arrivals();
  report_lists();
  draw_playouts();
  clock_.end(SearchStage::Tree);
  if (progress_.steps % LONG_PLAYOUT == 0) check_long_playouts();
  engine_.choose(now_.playing.data());
  for (std::size_t word = 0; word < terminal_.size(); ++word) {
    moves_.add(Operation::Draw, std::popcount(now_.playing[word]));
    moves_.add(Operation::Weigh, std::popcount(now_.drawing[word]));
  }
  if (counts_moves_) note_played();
  clock_.end(SearchStage::Choose);
  for (std::size_t word = 0; word < terminal_.size(); ++word) next_.playing[word] |= now_.playing[word];
  make_moves();
  engine_.advance();
  clock_.end(SearchStage::Advance);
}

// What lanes of other turns do waits for a later step.
void Arena::evaluate() {
  std::fill(asked_.begin(), asked_.end(), 0);
  for (const Mask* mask : now_.of_states()) {
    for (std::size_t word = 0; word < asked_.size(); ++word) asked_[word] |= (*mask)[word];
  }
  engine_.evaluate(asked_.data(), ready_.data());
  engine_.terminal(terminal_.data());
  const auto now = now_.of_states(), next = next_.of_states();
  for (std::size_t mask = 0; mask < now.size(); ++mask) {
    for (std::size_t word = 0; word < ready_.size(); ++word) {
      (*next[mask])[word] |= (*now[mask])[word] & ~ready_[word];
      (*now[mask])[word] &= ready_[word];
    }
  }
}

void Arena::hold_ended() {
  for (std::size_t word = 0; word < terminal_.size(); ++word) {
    ended_.playouts[word] |= (now_.playing[word] | now_.drawing[word]) & terminal_[word];
    ended_.arrivals[word] |= now_.arriving[word] & terminal_[word];
    now_.playing[word] &= ~terminal_[word];
    now_.drawing[word] &= ~terminal_[word];
    now_.arriving[word] &= ~terminal_[word];
    terminal_[word] = 0;
  }
  if (!goals_due()) return;
  ended_.waited = 0;
  for (std::size_t word = 0; word < terminal_.size(); ++word) {
    now_.arriving[word] |= ended_.arrivals[word];
    terminal_[word] = ended_.arrivals[word] | ended_.playouts[word];
    ended_.arrivals[word] = 0;
  }
}

// Whatever the number of lanes and the order of reports, a match with one lane goes the same way; one with several
// must hear of its playouts in the steps in which they end. Waiting and asking cost the same in the long run where they
// have cost the same so far.
bool Arena::goals_due() {
  if (group_size_ > 1 || engine_.goal_cost() == 0) return true;
  for (std::size_t word = 0; word < terminal_.size(); ++word) {
    ended_.waited += std::popcount(ended_.playouts[word] | ended_.arrivals[word]) / static_cast<double>(lanes_.size());
  }
  if (ended_.waited >= engine_.goal_cost()) return true;
  const auto idle = [](const Mask* mask) { return !any(*mask); };
  return std::ranges::all_of(now_.of_states(), idle) && std::ranges::all_of(next_.of_states(), idle) &&
         idle(&now_.waiting);
}

void Arena::draw_playouts() {
  for_each_lane(now_.drawing, [this](int lane) {
    match_of(lane).draw_moves(place_of(lane), state_of(lane), lists_.rows[lane]);
    take_joint(lane);
  });
}

void Arena::note_played() {
  engine_.list_chosen(now_.playing.data(), played_);
  for_each_lane(now_.drawing, [this](int lane) {
    const std::int32_t* joint = joint_of(lane);
    played_.rows[lane].insert(played_.rows[lane].end(), joint, joint + circuit_.n_roles);
  });
}

// Moves drawn and moves chosen in trees: all the lanes did not choose themselves.
void Arena::make_moves() {
  for (std::size_t word = 0; word < asked_.size(); ++word) {
    asked_[word] = now_.moving[word] | now_.drawing[word];
    next_.arriving[word] |= now_.moving[word];
  }
  for_each_lane(asked_, [this](int lane) {
    const std::int32_t* joint = joint_of(lane);
    for (int role = 0; role < circuit_.n_roles; ++role) engine_.force(lane, joint[role]);
  });
  for_each_lane(now_.drawing, [this](int lane) {
    include(match_of(lane).draws_next(place_of(lane)) ? next_.drawing : next_.playing, lane);
  });
}

// A state without moves for some role, or one that comes again and again, would keep its lane for ever.
void Arena::check_long_playouts() {
  for (std::size_t word = 0; word < placing_.size(); ++word) placing_[word] = now_.playing[word] | now_.drawing[word];
  for_each_lane(placing_, [this](int lane) {
    const std::int64_t length = progress_.steps - lanes_[lane].playing_since;
    if (length > ENDLESS_PLAYOUT) throw RuleViolation("a match went on for more than a million moves");
    if (length < LONG_PLAYOUT) return;
    std::fill(asked_.begin(), asked_.end(), 0);
    include(asked_, lane);
    engine_.list_legal(asked_.data(), lists_);
    for (int role = 0; role < circuit_.n_roles; ++role) rows_of_role(circuit_, role, lists_.rows[lane]);
  });
}

}  // namespace gdl
