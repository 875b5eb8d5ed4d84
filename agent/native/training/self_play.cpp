#include "training/self_play.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "arithmetic/logarithm.hpp"
#include "circuit/legal_rows.hpp"
#include "hardware/instruction_set.hpp"
#include "random/random.hpp"

namespace gdl {
namespace {

constexpr double CERTAIN = 1e9;         // the sum of weights of a state in which everything is won
constexpr std::uint64_t LOOKED_AT = 8;  // most moves of chance that a role looks at

}  // namespace

SelfPlay::SelfPlay(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, ValueLearner& learner,
                   const SelfPlaySettings& settings)
    : circuit_(circuit),
      learner_(learner),
      settings_(settings),
      engine_(make_lane_engine(circuit, programs, settings.at_once, chosen_instruction_set())),
      team_(settings.threads),
      largest_goal_(circuit.largest_goals()),
      initial_(circuit.initial_state()),
      games_(static_cast<std::size_t>(settings.at_once)),
      states_(games_.size() * initial_.size()),
      derived_(games_.size() * learner.network().derived.words()),
      shares_(static_cast<std::size_t>(settings.threads) + 1) {
  for (int thread = 0; thread < settings.threads; ++thread) {
    valuers_.push_back({{circuit, programs, 512, learner.network().derived}, {learner.network(), learner.weights()}});
  }
}

SelfPlayTotals SelfPlay::run(const std::function<bool()>& goes_on) {
  for (int lane = 0; lane < engine_->lanes(); ++lane) start(lane);
  while (totals_.games < settings_.games && goes_on()) {
    engine_->evaluate();
    end_games();
    choose();
    if (settings_.most_work > 0 && work() >= settings_.most_work) settings_.games = started_;
    engine_->advance();
  }
  return totals_;
}

void SelfPlay::start(int lane) {
  SelfPlayGame& game = games_[static_cast<std::size_t>(lane)];
  game.plays = started_ < settings_.games;
  if (!game.plays) return;
  const std::uint64_t seed = hash_combine(settings_.seed, static_cast<std::uint64_t>(started_++));
  game.draws = Draws(seed);
  game.opening = static_cast<std::int32_t>(game.draws.below(static_cast<std::uint64_t>(settings_.opening) + 1));
  game.record.clear();
  game.joint.assign(static_cast<std::size_t>(circuit_.n_roles), 0);
  engine_->load(lane, initial_.data(), 0);
}

// Learns from the games that have ended, and begins others, which show their state at the next step.
void SelfPlay::end_games() {
  const DerivedFacts& facts = learner_.network().derived;
  const std::size_t words = initial_.size(), derived_words = facts.words();
  std::vector<std::uint64_t> terminal(games_.size() / 64), playing(terminal.size());
  engine_->terminal(terminal.data());
  std::vector<std::int32_t> goals(static_cast<std::size_t>(circuit_.n_roles));
  for (std::size_t lane = 0; lane < games_.size(); ++lane) {
    SelfPlayGame& game = games_[lane];
    if (!game.plays) continue;
    const bool ended = (terminal[lane / 64] >> (lane % 64) & 1u) != 0;
    const bool broken_off = !ended && std::ssize(game.record.exploring) >= settings_.move_limit;
    if (!ended && !broken_off) {
      playing[lane / 64] |= std::uint64_t{1} << (lane % 64);
      continue;
    }
    if (ended) {
      engine_->goals(static_cast<int>(lane), goals.data());
      for (std::int32_t& goal : goals) goal = std::max(goal, 0);
    }
    learner_.learn(game.record, ended ? std::span<const std::int32_t>(goals) : std::span<const std::int32_t>());
    ++totals_.games;
    totals_.moves += std::ssize(game.record.exploring);
    totals_.broken_off += broken_off;
    start(static_cast<int>(lane));
  }
  engine_->read_states(playing.data(), states_.data());
  if (!facts.empty()) engine_->read_derived(facts, playing.data(), derived_.data());
  engine_->list_legal(playing.data(), legal_);
  choices_.clear();
  positions_.clear();
  joints_.clear();
  for (std::size_t lane = 0; lane < games_.size(); ++lane) {
    if ((playing[lane / 64] >> (lane % 64) & 1u) == 0) continue;
    SelfPlayGame& game = games_[lane];
    const std::uint64_t* state = states_.data() + lane * words;
    const std::uint64_t* derived = derived_.data() + lane * derived_words;
    game.record.states.insert(game.record.states.end(), state, state + words);
    game.record.derived.insert(game.record.derived.end(), derived, derived + derived_words);
    ask(static_cast<int>(lane));
  }
}

void SelfPlay::ask(int lane) {
  SelfPlayGame& game = games_[static_cast<std::size_t>(lane)];
  const std::vector<std::int32_t>& rows = legal_.rows[static_cast<std::size_t>(lane)];
  const bool opens = std::ssize(game.record.exploring) < game.opening;
  game.explores = opens || game.draws.fraction() < settings_.exploration;
  bool has_choice = false;
  for (std::int32_t role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    game.joint[static_cast<std::size_t>(role)] = own[own.size() == 1 ? 0 : game.draws.below(own.size())];
    has_choice = has_choice || (own.size() > 1 && role != circuit_.chance_role);
  }
  game.record.exploring.push_back(game.explores && has_choice);
  if (!has_choice || opens) return;
  const bool all_chance = list_joints(game, rows);
  const std::uint64_t* state = states_.data() + static_cast<std::size_t>(lane) * initial_.size();
  for (std::int32_t role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    if (own.size() == 1 || role == circuit_.chance_role) continue;
    const std::size_t first = positions_.size();
    if (first_joint_ == joints_.size()) positions_.push_back({state, game.joint, role, own});
    for (std::size_t i = first_joint_; i < joints_.size(); ++i) positions_.push_back({state, joints_[i], role, own});
    choices_.push_back({lane, role, first, positions_.size() - first, all_chance});
  }
}

bool SelfPlay::list_joints(SelfPlayGame& game, const std::vector<std::int32_t>& rows) {
  first_joint_ = joints_.size();
  const auto moves = circuit_.chance_role == NO_ROLE ? std::span<const std::int32_t>()
                                                     : rows_of_role(circuit_, circuit_.chance_role, rows);
  const bool all = moves.size() <= LOOKED_AT;
  if (moves.size() <= 1) return all;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(moves.size(), LOOKED_AT); ++i) {
    joints_.push_back(game.joint);
    joints_.back()[static_cast<std::size_t>(circuit_.chance_role)] = moves[all ? i : game.draws.below(moves.size())];
  }
  return all;
}

// All positions are asked about while the moves of other roles are the random ones.
void SelfPlay::choose() {
  share_choices();
  chosen_.resize(choices_.size());
  team_.run([this](std::size_t thread) { choose_share(thread); });
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    if (chosen_[i] < 0) continue;
    SelfPlayGame& game = games_[static_cast<std::size_t>(choices_[i].lane)];
    game.joint[static_cast<std::size_t>(choices_[i].role)] = chosen_[i];
  }
  for (std::size_t lane = 0; lane < games_.size(); ++lane) {
    if (!games_[lane].plays || games_[lane].record.exploring.empty()) continue;
    for (const std::int32_t row : games_[lane].joint) engine_->force(static_cast<int>(lane), row);
  }
}

void SelfPlay::share_choices() {
  std::size_t all = 0, listed = 0, thread = 1;
  for (const PositionMoves& position : positions_) all += position.rows.size();
  totals_.choices += std::ssize(choices_);
  totals_.afterstates += static_cast<std::int64_t>(all);
  std::ranges::fill(shares_, choices_.size());
  shares_[0] = 0;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const bool begins_game = i == 0 || choices_[i].lane != choices_[i - 1].lane;
    for (; begins_game && listed * (shares_.size() - 1) >= all * thread; ++thread) shares_[thread] = i;
    listed += choices_[i].positions * positions_[choices_[i].first].rows.size();
  }
}

void SelfPlay::choose_share(std::size_t thread) {
  const auto choices = std::span(choices_).subspan(shares_[thread], shares_[thread + 1] - shares_[thread]);
  if (choices.empty()) return;
  MoveValuer& valuer = valuers_[thread];
  const GameChoice& last = choices.back();
  valuer.first_position = choices.front().first;
  valuer.afterstates.find(
      std::span(positions_).subspan(valuer.first_position, last.first + last.positions - valuer.first_position));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    SelfPlayGame& game = games_[static_cast<std::size_t>(choices[i].lane)];
    const auto [move, wins] = best(valuer, choices[i], game.draws);
    const bool takes = wins || !game.explores;
    chosen_[shares_[thread] + i] = takes ? positions_[choices[i].first].rows[move] : -1;
    if (wins) game.record.exploring.back() = 0;
  }
}

std::pair<std::size_t, bool> SelfPlay::best(MoveValuer& valuer, const GameChoice& choice, Draws& draws) {
  value_moves(valuer, choice);
  std::size_t best = 0, alike = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t move = 0; move < valuer.worths.size(); ++move) {
    const double value = valuer.worths[move];
    if (value < most) continue;
    alike = value > most ? 1 : alike + 1;
    most = value;
    if (alike == 1 || draws.below(alike) == 0) best = move;
  }
  return {best, wins(valuer, choice, best)};
}

void SelfPlay::value_moves(MoveValuer& valuer, const GameChoice& choice) {
  valuer.worths.assign(positions_[choice.first].rows.size(), 0);
  for (std::size_t position = choice.first; position < choice.first + choice.positions; ++position) {
    const std::size_t own = position - valuer.first_position;
    valuer.values.begin(positions_[position].state, valuer.afterstates.usual(own));
    for (std::size_t move = 0; move < valuer.worths.size(); ++move) {
      const double sum = worth(valuer, choice.role, valuer.afterstates.at(own, move));
      valuer.worths[move] += choice.positions == 1 ? sum : logistic(sum);
    }
  }
}

// A move that wins beside the moves of chance that were drawn may lose beside others.
bool SelfPlay::wins(const MoveValuer& valuer, const GameChoice& choice, std::size_t move) const {
  if (!choice.all_chance) return false;
  const auto role = static_cast<std::size_t>(choice.role);
  for (std::size_t position = choice.first; position < choice.first + choice.positions; ++position) {
    const Afterstate after = valuer.afterstates.at(position - valuer.first_position, move);
    if (after.goals == nullptr || after.goals[role] != largest_goal_[role]) return false;
  }
  return true;
}

double SelfPlay::work() const {
  return static_cast<double>(totals_.choices) * settings_.choice_work +
         static_cast<double>(totals_.afterstates) * settings_.afterstate_work;
}

// The sum of weights whose logistic function is the value of an afterstate to a role.
double SelfPlay::worth(MoveValuer& valuer, std::int32_t role, const Afterstate& after) {
  if (after.goals != nullptr) {
    const std::int32_t goal = after.goals[static_cast<std::size_t>(role)];
    if (goal <= 0) return -CERTAIN;
    return goal >= 100 ? CERTAIN : logit(goal / 100.0);
  }
  return valuer.values.after(after.changed, after.derived, role);
}

}  // namespace gdl
