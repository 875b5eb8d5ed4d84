// Forages of populations in Python (miner/learners/culture/forages.py).
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/read_network.hpp"
#include "bindings/stop.hpp"
#include "circuit/legal_rows.hpp"
#include "machine/machine.hpp"
#include "training/forage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

constexpr std::chrono::milliseconds BETWEEN_POLLS{50};

template <class Element, int Dimensions = 1>
std::vector<Element> elements(nb::handle object, const char* attribute) {
  const auto array = read<Array<Element, Dimensions>>(object, attribute);
  return {array.data(), array.data() + array.size()};
}

ForageSettings read_settings(nb::handle settings) {
  return {.at_once = read<int>(settings, "at_once"),
          .exploration = read<double>(settings, "exploration"),
          .opponent_exploration = read<double>(settings, "opponent_exploration"),
          .move_limit = read<std::int32_t>(settings, "move_limit"),
          .rule = read<bool>(settings, "coherent") ? StepRule::Coherent : StepRule::Even,
          .trace = read<double>(settings, "trace"),
          .steps = elements<double>(settings, "steps"),
          .seed = read<std::uint64_t>(settings, "seed")};
}

LandscapeLayer read_layer(nb::handle layer) {
  return {.features = elements<float, 2>(layer, "features"),
          .moves = elements<float>(layer, "moves"),
          .influence = read<double>(layer, "influence")};
}

Landscape read_landscape(nb::handle landscape) {
  if (landscape.is_none()) return {};
  return {.pheromone = read_layer(landscape.attr("pheromone")),
          .desirability = read_layer(landscape.attr("desirability"))};
}

std::vector<Ant> read_ants(nb::handle population, nb::handle ants) {
  const auto weights = read<Array<float, 2>>(population, "weights");
  const auto error_sum = read<Array<float, 2>>(population, "error_sum");
  const auto error_size = read<Array<float, 2>>(population, "error_size");
  const auto players = read<Array<std::int32_t>>(ants, "players");
  const auto roles = read<Array<std::int32_t>>(ants, "roles");
  const auto seats = read<Array<std::int32_t, 3>>(ants, "seats");
  if (error_sum.size() != weights.size() || error_size.size() != weights.size() || roles.size() != players.size() ||
      seats.shape(0) != players.size()) {
    throw nb::value_error("forage: the arrays of players differ in length");
  }
  const auto row = [](const auto& array, std::size_t number) {
    const std::size_t width = array.size() / std::max<std::size_t>(1, array.shape(0));
    return std::vector(array.data() + number * width, array.data() + (number + 1) * width);
  };
  std::vector<Ant> result;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const std::int32_t player = players.data()[i];
    if (player < 0 || static_cast<std::size_t>(player) >= weights.shape(0)) {
      throw nb::value_error("forage: a player is none of the population");
    }
    const auto place = static_cast<std::size_t>(player);
    result.push_back({.player = player,
                      .role = roles.data()[i],
                      .seats = row(seats, i),
                      .start = {row(weights, place), row(error_sum, place), row(error_size, place)}});
  }
  return result;
}

// The first `width` of every `room` numbers, for each role.
std::vector<std::int64_t> cut(const std::vector<std::int64_t>& values, std::size_t room, std::size_t width) {
  std::vector<std::int64_t> result;
  for (std::size_t first = 0; first < values.size(); first += room) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

nb::tuple results(const Forage& forage, std::size_t n_ants, const ValueNetwork& network, const ForageTotals& totals) {
  std::vector<float> weights, error_sum, error_size;
  double squared_error = 0;
  std::int64_t updates = 0;
  for (std::size_t ant = 0; ant < n_ants; ++ant) {
    const AntLearner& learner = forage.learner(ant);
    const LearnedWeights learned = learner.result();
    weights.insert(weights.end(), learned.weights.begin(), learned.weights.end());
    error_sum.insert(error_sum.end(), learned.error_sum.begin(), learned.error_sum.end());
    error_size.insert(error_size.end(), learned.error_size.begin(), learned.error_size.end());
    squared_error += learner.squared_error();
    updates += learner.updates();
  }
  std::vector<std::int32_t> goals;
  std::vector<std::int64_t> start{0};
  std::vector<std::uint64_t> states;
  for (const ForagedGame& game : forage.games()) {
    goals.insert(goals.end(), game.goals.begin(), game.goals.end());
    states.insert(states.end(), game.states.begin(), game.states.end());
    start.push_back(static_cast<std::int64_t>(states.size() / network.state_words()));
  }
  const Deposits& deposits = forage.deposits();
  const auto roles = static_cast<std::size_t>(network.n_roles);
  return nb::make_tuple(to_table(std::move(weights), network.n_weights),
                        to_table(std::move(error_sum), network.n_weights),
                        to_table(std::move(error_size), network.n_weights), to_table(std::move(goals), roles),
                        to_numpy(std::move(start)), to_table(std::move(states), network.state_words()),
                        to_table(cut(deposits.feature_goals, network.room, network.n_weights), network.n_weights),
                        to_table(cut(deposits.feature_count, network.room, network.n_weights), network.n_weights),
                        to_numpy(deposits.move_goals), to_numpy(deposits.move_count), squared_error, updates,
                        totals.moves, totals.broken_off);
}

nb::tuple forage(const Machine& machine, nb::handle network_value, nb::handle population, nb::handle ants_value,
                 nb::handle landscape_value, nb::handle beliefs_value, nb::handle settings_value) {
  const Circuit& circuit = machine.circuit();
  const ValueNetwork network = read_network(network_value, circuit.n_fluents, circuit.n_roles);
  const auto weights = read<Array<float, 2>>(population, "weights");
  if (weights.shape(1) != network.n_weights) throw nb::value_error("the network has another number of weights");
  const std::vector<Ant> ants = read_ants(population, ants_value);
  const Landscape landscape = read_landscape(landscape_value);
  const BeliefSpace beliefs(network.state_words(), elements<std::uint64_t, 2>(beliefs_value, "states"),
                            elements<std::int32_t>(beliefs_value, "roles"), elements<double>(beliefs_value, "beliefs"));
  const ForageSettings settings = read_settings(settings_value);
  std::unique_ptr<Forage> games;
  ForageTotals totals;
  bool stopped = false;
  {
    const nb::gil_scoped_release release;
    games = std::make_unique<Forage>(circuit, machine.programs(TurnPolicy::Ignore), network,
                                     std::span(weights.data(), weights.size()), ants, landscape, beliefs, settings);
    struct ForageStopped {};
    auto polled = std::chrono::steady_clock::now();
    try {
      totals = games->run([&polled] {
        const auto now = std::chrono::steady_clock::now();
        if (now - polled < BETWEEN_POLLS) return;
        polled = now;
        if (stop_requested()) throw ForageStopped{};
      });
    } catch (const ForageStopped&) {
      stopped = true;
    }
  }
  if (stopped) throw_if_stopped();
  return results(*games, ants.size(), network, totals);
}

}  // namespace

void bind_forage(nb::module_& m) {
  m.def("forage", &forage, "machine"_a, "network"_a, "population"_a, "ants"_a, "landscape"_a.none(), "beliefs"_a,
        "settings"_a,
        "Lets players play against others of the population and learn. Returns, for each of `ants`, its weights and "
        "their error sums and sizes (float32[ant, n_weights]); the goals of each game (int32[game, role]); the packed "
        "states that its player moved to (int64[game + 1], uint64[state, word]); sums of goals and counts of features "
        "(int64[role, n_weights]) and of moves (int64[row]); the squared error of values, the numbers of errors, moves "
        "and games broken off.");
}

}  // namespace gdl
