#include "training/forage.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "arithmetic/logarithm.hpp"
#include "circuit/legal_rows.hpp"
#include "hardware/instruction_set.hpp"
#include "random/random.hpp"

namespace gdl {
namespace {

constexpr double CERTAIN = 1e9;  // worth of a state in which everything is won
constexpr double STEEPEST = 40;  // beyond it, the logistic function is 0 or 1 to the last bit

double log_logistic(double x) { return x < -STEEPEST ? x : -natural_log(1 + exponential(-std::min(x, STEEPEST))); }

bool drawn(Draws& draws, double share) {
  constexpr std::uint64_t PARTS = std::uint64_t{1} << 32;
  return static_cast<double>(draws.below(PARTS)) < share * PARTS;
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("forage: ") + what);
}

}  // namespace

Forage::Forage(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, const ValueNetwork& network,
               std::span<const float> weights, std::span<const Ant> ants, const Landscape& landscape,
               const BeliefSpace& beliefs, const ForageSettings& settings)
    : circuit_(circuit),
      network_(network),
      ants_(ants),
      beliefs_(beliefs),
      settings_(settings),
      engine_(make_lane_engine(circuit, programs, settings.at_once, chosen_instruction_set())),
      afterstates_(circuit, programs, 512, network.derived),
      largest_goal_(static_cast<std::size_t>(circuit.n_roles)),
      initial_(static_cast<std::size_t>(circuit.state_words())),
      lanes_(static_cast<std::size_t>(settings.at_once)),
      games_(ants.size() * settings.steps.size()),
      states_(lanes_.size() * initial_.size()),
      derived_(lanes_.size() * network.derived.words()),
      after_(initial_.size()),
      goals_(largest_goal_.size()) {
  require(network.n_weights > 0 && weights.size() % network.n_weights == 0, "weights do not fit the network");
  const std::size_t n_players = weights.size() / network.n_weights;
  weights_.resize(n_players * network.room);
  for (std::size_t player = 0; player < n_players; ++player) {
    std::ranges::copy(weights.subspan(player * network.n_weights, network.n_weights),
                      weights_.begin() + static_cast<std::ptrdiff_t>(player * network.room));
    values_.push_back(std::make_unique<AfterstateValue<float, double>>(
        network, std::span<const float>(weights_).subspan(player * network.room, network.room)));
  }
  check();
  for (const Ant& ant : ants) {
    learners_.push_back(std::make_unique<AntLearner>(network, settings.rule, settings.trace, ant.role, ant.start));
    learning_.push_back(std::make_unique<AfterstateValue<float, double>>(network, learners_.back()->weights()));
  }
  if (!landscape.empty()) {
    for (const LandscapeLayer* layer : {&landscape.pheromone, &landscape.desirability}) {
      require(layer->moves.size() == circuit.legal.size(), "a landscape has not one number for each move");
      require(layer->features.size() == goals_.size() * network.n_weights,
              "a landscape has not one number for each role and weight");
    }
    for (std::int32_t role = 0; role < circuit.n_roles; ++role) {
      landscape_.push_back(std::make_unique<LandscapeOfRole>(network, landscape, role));
    }
  }
  for (std::size_t goal = 0; goal < circuit.goal_role.size(); ++goal) {
    std::int32_t& largest = largest_goal_[static_cast<std::size_t>(circuit.goal_role[goal])];
    largest = std::max(largest, circuit.goal_value[goal]);
  }
  for (std::size_t fluent = 0; fluent < circuit.initial.size(); ++fluent) {
    if (circuit.initial[fluent] != 0) initial_[fluent / 64] |= std::uint64_t{1} << (fluent % 64);
  }
  deposits_.feature_goals.resize(goals_.size() * network.room);
  deposits_.feature_count.resize(deposits_.feature_goals.size());
  deposits_.move_goals.resize(circuit.legal.size());
  deposits_.move_count.resize(circuit.legal.size());
}

void Forage::check() const {
  const auto n_players = static_cast<std::int32_t>(values_.size());
  for (const Ant& ant : ants_) {
    require(ant.role >= 0 && ant.role < circuit_.n_roles, "a player has no role of the game");
    require(ant.seats.size() == games_each() * goals_.size(), "a player has not one opponent for each game and role");
    for (const std::vector<float>* each : {&ant.start.weights, &ant.start.error_sum, &ant.start.error_size}) {
      require(each->size() == network_.n_weights, "the network has another number of weights");
    }
    for (std::size_t seat = 0; seat < ant.seats.size(); ++seat) {
      require(ant.seats[seat] >= 0 && ant.seats[seat] < n_players, "a seat has no player of the population");
      const bool own = seat % goals_.size() == static_cast<std::size_t>(ant.role);
      require(!own || ant.seats[seat] == ant.player, "another player has the seat of one that forages");
    }
  }
}

ForageTotals Forage::run(const std::function<void()>& poll) {
  for (int lane = 0; lane < engine_->lanes(); ++lane) start(lane);
  while (finished_ < games_.size()) {
    poll();
    engine_->evaluate();
    end_games();
    choose();
    engine_->advance();
  }
  return totals_;
}

const std::int32_t* Forage::seats(const LaneGame& game) const {
  return ants_[game.ant].seats.data() + game.number * goals_.size();
}

// Gives a lane the next ant that has not begun.
void Forage::start(int lane) {
  LaneGame& game = lanes_[static_cast<std::size_t>(lane)];
  game.plays = next_ant_ < ants_.size() && games_each() > 0;
  if (!game.plays) return;
  game.ant = next_ant_++;
  game.number = 0;
  begin_game(lane);
}

void Forage::begin_game(int lane) {
  LaneGame& game = lanes_[static_cast<std::size_t>(lane)];
  const auto player = static_cast<std::uint64_t>(ants_[game.ant].player);
  game.draws = Draws(hash_combine(hash_combine(settings_.seed, player), game.number));
  game.moves = 0;
  game.expects = false;
  game.record.clear();
  game.joint.assign(goals_.size(), 0);
  engine_->load(lane, initial_.data(), 0);
}

// Learns from the games that have ended, and begins others, which show their state at the next step.
void Forage::end_games() {
  const std::size_t words = initial_.size();
  std::vector<std::uint64_t> terminal(lanes_.size() / 64), playing(terminal.size());
  engine_->terminal(terminal.data());
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].plays) playing[lane / 64] |= std::uint64_t{1} << (lane % 64);
  }
  engine_->read_states(playing.data(), states_.data());
  const std::size_t derived_words = network_.derived.words();
  if (derived_words > 0) engine_->read_derived(network_.derived, playing.data(), derived_.data());
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    LaneGame& game = lanes_[lane];
    if (!game.plays) continue;
    const bool ended = (terminal[lane / 64] >> (lane % 64) & 1u) != 0;
    if (game.expects) {
      const std::uint64_t* state = states_.data() + lane * words;
      const std::uint64_t* derived = derived_.data() + lane * derived_words;
      game.record.states.insert(game.record.states.end(), state, state + words);
      game.record.derived.insert(game.record.derived.end(), derived, derived + derived_words);
      game.record.ends_terminal = ended;
      game.expects = false;
    }
    if (!ended && game.moves < settings_.move_limit) continue;
    playing[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
    if (ended) engine_->goals(static_cast<int>(lane), goals_.data());
    finish(game, ended);
    if (++game.number < games_each()) {
      begin_game(static_cast<int>(lane));
    } else {
      start(static_cast<int>(lane));
    }
  }
  engine_->list_legal(playing.data(), legal_);
  choices_.clear();
  positions_.clear();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if ((playing[lane / 64] >> (lane % 64) & 1u) != 0) ask(static_cast<int>(lane));
  }
}

void Forage::finish(LaneGame& game, bool ended) {
  ForagedGame& result = games_[game.ant * games_each() + game.number];
  if (ended) {
    for (std::int32_t& goal : goals_) goal = std::max(goal, 0);
  } else {
    std::ranges::fill(goals_, -1);
  }
  const std::int32_t goal = goals_[static_cast<std::size_t>(ants_[game.ant].role)];
  learners_[game.ant]->learn(game.record, goal, settings_.steps[game.number], deposits_);
  result.goals = goals_;
  result.states = game.record.states;
  if (game.record.ends_terminal) result.states.resize(result.states.size() - initial_.size());
  totals_.moves += game.moves;
  totals_.broken_off += !ended;
  ++finished_;
}

void Forage::ask(int lane) {
  LaneGame& game = lanes_[static_cast<std::size_t>(lane)];
  const std::vector<std::int32_t>& rows = legal_.rows[static_cast<std::size_t>(lane)];
  ++game.moves;
  for (std::int32_t role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::int32_t& row = game.joint[static_cast<std::size_t>(role)];
    row = own[own.size() == 1 ? 0 : game.draws.below(own.size())];
    if (own.size() == 1) continue;
    const bool is_ant = role == ants_[game.ant].role;
    const bool explores = drawn(game.draws, is_ant ? settings_.exploration : settings_.opponent_exploration);
    if (is_ant) {
      game.expects = true;
      game.record.exploring.push_back(explores);
      game.record.rows.push_back(row);
    }
    if (explores) continue;
    choices_.push_back({lane, role});
    positions_.push_back({states_.data() + static_cast<std::size_t>(lane) * initial_.size(), game.joint, role, own});
  }
}

// All positions are asked about while the moves of other roles are the random ones.
void Forage::choose() {
  afterstates_.find(positions_);
  std::vector<std::int32_t> chosen(choices_.size());
  for (std::size_t position = 0; position < choices_.size(); ++position) {
    chosen[position] = best_row(position, lanes_[static_cast<std::size_t>(choices_[position].lane)]);
  }
  for (std::size_t position = 0; position < choices_.size(); ++position) {
    LaneGame& game = lanes_[static_cast<std::size_t>(choices_[position].lane)];
    const std::int32_t role = choices_[position].role;
    game.joint[static_cast<std::size_t>(role)] = chosen[position];
    if (role == ants_[game.ant].role) game.record.rows.back() = chosen[position];
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (!lanes_[lane].plays || lanes_[lane].moves == 0) continue;
    for (const std::int32_t row : lanes_[lane].joint) engine_->force(static_cast<int>(lane), row);
  }
}

std::int32_t Forage::best_row(std::size_t position, LaneGame& game) {
  const PositionMoves& from = positions_[position];
  const bool is_ant = from.role == ants_[game.ant].role;
  const auto player = static_cast<std::size_t>(seats(game)[from.role]);
  AfterstateValue<float, double>& values = is_ant ? *learning_[game.ant] : *values_[player];
  const std::span<const std::uint64_t> usual = afterstates_.usual(position);
  values.begin(from.state, usual);
  if (!landscape_.empty()) landscape_[static_cast<std::size_t>(from.role)]->begin(from.state, usual);
  std::size_t best = 0, alike = 0, believed = 0;
  double most = -std::numeric_limits<double>::infinity(), strongest = -1;
  for (std::size_t move = 0; move < from.rows.size(); ++move) {
    const Afterstate after = afterstates_.at(position, move);
    const double value = worth(from.role, after, from.rows[move], values);
    if (!beliefs_.empty()) {
      const double found = belief(from.role, after, from.state);
      if (found > strongest) {
        strongest = found;
        believed = move;
      }
    }
    if (value < most) continue;
    alike = value > most ? 1 : alike + 1;
    most = value;
    if (alike == 1 || game.draws.below(alike) == 0) best = move;
  }
  return from.rows[most < CERTAIN && strongest >= 0 ? believed : best];
}

// Without a landscape, the sum of weights whose logistic function is the value to a role; with one, the logarithm of
// the product of value, pheromone and desirability.
double Forage::worth(std::int32_t role, const Afterstate& after, std::int32_t row,
                     AfterstateValue<float, double>& values) {
  const auto place = static_cast<std::size_t>(role);
  if (after.goals != nullptr) {
    const std::int32_t goal = after.goals[place];
    if (goal <= 0) return -CERTAIN;
    if (goal == largest_goal_[place]) return CERTAIN;
    if (landscape_.empty()) return logit(goal / 100.0);
    return natural_log(goal / 100.0) + landscape_[place]->log_attraction(row, after.changed, after.derived);
  }
  const double sum = values.after(after.changed, after.derived, role);
  if (landscape_.empty()) return sum;
  return log_logistic(sum) + landscape_[place]->log_attraction(row, after.changed, after.derived);
}

double Forage::belief(std::int32_t role, const Afterstate& after, const std::uint64_t* state) {
  if (after.goals != nullptr) return -1;
  std::copy_n(state, after_.size(), after_.begin());
  for (const std::int32_t fluent : after.changed) {
    after_[static_cast<std::size_t>(fluent / 64)] ^= std::uint64_t{1} << (fluent % 64);
  }
  return beliefs_.belief(role, after_);
}

}  // namespace gdl
