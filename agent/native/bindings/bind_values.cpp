// Value networks in Python: values of states, and learning from self-play.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/read_network.hpp"
#include "bindings/stop.hpp"
#include "circuit/legal_rows.hpp"
#include "lanes/state_batch.hpp"
#include "machine/machine.hpp"
#include "training/self_play.hpp"
#include "values/state_values.hpp"
#include "values/value_function.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

constexpr std::chrono::milliseconds BETWEEN_POLLS{50};

ValueView read_view(nb::handle value) {
  const Attributes source(value, "value view");
  const auto tuples = source.elements<std::int32_t>("term_tuple");
  const auto terms = source.elements<std::int32_t>("term");
  if (tuples.size() != terms.size()) source.refuse("term_tuple and term differ in length");
  std::vector<TupleTerm> both(terms.size());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = {tuples[i], terms[i]};
  return {.fact_weight = source.elements<std::int32_t>("fact_weight"),
          .terms = {source.elements<std::int32_t>("term_start"), std::move(both)},
          .tuple_weight = source.elements<std::int32_t>("tuple_weight"),
          .against = source.integer("against", 1) != 0};
}

}  // namespace

std::shared_ptr<const PlayableCells> read_cells(nb::handle value, std::int32_t n_fluents, std::int32_t n_roles) {
  if (value.is_none()) return nullptr;
  const Attributes source(value, "playable cells");
  PlayableCells cells;
  cells.n_roles = n_roles;
  cells.several = source.integer("several", 1) != 0;
  cells.pieces = {source.elements<std::int32_t>("piece_start"), source.elements<std::int32_t>("pieces")};
  cells.row_cells = {source.elements<std::int32_t>("row_start"), source.elements<std::int32_t>("row_cells")};
  cells.role = source.elements<std::int32_t>("row_role");
  cells.check(n_fluents, n_roles);
  return std::make_shared<const PlayableCells>(std::move(cells));
}

std::shared_ptr<const RelaxedCosts> read_costs(nb::handle value, std::int32_t n_fluents, std::int32_t n_roles) {
  if (value.is_none()) return nullptr;
  const Attributes source(value, "relaxed costs");
  RelaxedCosts costs;
  costs.initial = source.elements<std::uint8_t>("initial");
  costs.shape = source.elements<std::int32_t>("step_shape");
  costs.steps = {source.elements<std::int32_t>("step_start"), source.elements<std::int32_t>("step_slots")};
  costs.loops = source.elements<std::int32_t>("loops");
  costs.role = source.elements<std::int32_t>("role_slots");
  const auto shapes = read<Array<std::int32_t, 2>>(value, "shapes");
  if (shapes.shape(1) != CostShape::NUMBERS) source.refuse("a shape has another number of numbers");
  for (const std::int32_t* each = shapes.data(); each != shapes.data() + shapes.size(); each += CostShape::NUMBERS) {
    if (each[0] < 0 || each[0] > static_cast<int>(CostStep::Move)) source.refuse("a step is of no kind");
    costs.shapes.push_back({static_cast<CostStep>(each[0]), each[1], each[2], each[3], each[4]});
  }
  costs.check(n_fluents, n_roles);
  return std::make_shared<const RelaxedCosts>(std::move(costs));
}

std::vector<std::int32_t> numbers_of(std::span<const CostShape> shapes) {
  std::vector<std::int32_t> numbers;
  for (const CostShape& each : shapes) {
    numbers.insert(numbers.end(),
                   {static_cast<std::int32_t>(each.kind), each.singles, each.pairs, each.triples, each.rest});
  }
  return numbers;
}

ValueNetwork read_network(nb::handle value, std::int32_t n_fluents, std::int32_t n_roles) {
  const Attributes source(value, "value network");
  ValueNetwork network;
  network.n_fluents = n_fluents;
  network.n_roles = n_roles;
  const auto chance_role = static_cast<std::int32_t>(source.integer("chance_role", n_roles));
  network.chance_role = chance_role < n_roles ? chance_role : NO_ROLE;
  network.n_outputs = static_cast<std::int32_t>(source.integer("n_outputs"));
  network.turn_fluents = source.elements<std::int32_t>("turn_fluents");
  network.stage_mask = source.elements<std::uint64_t>("stage_mask");
  network.stage_numbers = source.elements<std::int32_t>("stage_numbers");
  network.n_weights = static_cast<std::size_t>(source.integer("n_weights"));
  network.next_tied = source.elements<std::int32_t>("next_tied");
  network.derived.cells = read_cells(read<nb::object>(value, "cells"), n_fluents, n_roles);
  network.derived.costs = read_costs(read<nb::object>(value, "costs"), n_fluents, n_roles);
  for (const nb::handle view : read<nb::sequence>(value, "views")) network.views.push_back(read_view(view));
  network.check();
  return network;
}

namespace {

// Makes a function in memory that Python has reserved for it.
void make_function(ValueFunction* self, ValueNetwork network, const Array<std::int32_t>& weights) {
  if (weights.size() != network.n_weights) throw nb::value_error("the network has another number of weights");
  new (self) ValueFunction(std::move(network), {weights.data(), weights.data() + weights.size()});
}

// A function as values that travel between processes: network, n_fluents, n_roles, weights.
using FunctionState = std::tuple<nb::object, std::int32_t, std::int32_t, Array<std::int32_t>>;

nb::object view_as_value(const ValueView& view) {
  std::vector<std::int32_t> tuples, terms;
  for (const TupleTerm& each : view.terms.values()) {
    tuples.push_back(each.tuple);
    terms.push_back(each.term);
  }
  return nb::module_::import_("types").attr("SimpleNamespace")(
      "fact_weight"_a = to_numpy(view.fact_weight), "term_start"_a = to_numpy(view.terms.start()),
      "term_tuple"_a = to_numpy(std::move(tuples)), "term"_a = to_numpy(std::move(terms)),
      "tuple_weight"_a = to_numpy(view.tuple_weight), "against"_a = static_cast<int>(view.against));
}

nb::object cells_as_value(const PlayableCells* cells) {
  if (cells == nullptr) return nb::none();
  return nb::module_::import_("types").attr("SimpleNamespace")(
      "several"_a = static_cast<int>(cells->several), "piece_start"_a = to_numpy(cells->pieces.start()),
      "pieces"_a = to_numpy(cells->pieces.values()), "row_start"_a = to_numpy(cells->row_cells.start()),
      "row_cells"_a = to_numpy(cells->row_cells.values()), "row_role"_a = to_numpy(cells->role));
}

nb::object costs_as_value(const RelaxedCosts* costs) {
  if (costs == nullptr) return nb::none();
  return nb::module_::import_("types").attr("SimpleNamespace")(
      "initial"_a = to_numpy(costs->initial), "shapes"_a = to_table(numbers_of(costs->shapes), CostShape::NUMBERS),
      "step_shape"_a = to_numpy(costs->shape), "step_start"_a = to_numpy(costs->steps.start()),
      "step_slots"_a = to_numpy(costs->steps.values()), "loops"_a = to_numpy(costs->loops),
      "role_slots"_a = to_numpy(costs->role));
}

// The packed derived facts of states, which are those of the machine.
std::vector<std::uint64_t> derived_of(const Machine& machine, const DerivedFacts& facts, const std::uint64_t* states,
                                      std::size_t n) {
  if (facts.empty()) return {};
  return StateBatch(machine.circuit(), machine.programs(TurnPolicy::Ignore)).derived(facts, states, n);
}

nb::tuple state_of_function(const ValueFunction& function) {
  const ValueNetwork& network = function.network();
  nb::list views;
  for (const ValueView& view : network.views) views.append(view_as_value(view));
  nb::object value = nb::module_::import_("types").attr("SimpleNamespace")(
      "n_outputs"_a = network.n_outputs,
      "chance_role"_a = network.chance_role != NO_ROLE ? network.chance_role : network.n_roles,
      "turn_fluents"_a = to_numpy(network.turn_fluents), "stage_mask"_a = to_numpy(network.stage_mask),
      "stage_numbers"_a = to_numpy(network.stage_numbers), "n_weights"_a = network.n_weights,
      "next_tied"_a = to_numpy(network.next_tied), "views"_a = views,
      "cells"_a = cells_as_value(network.derived.cells.get()), "costs"_a = costs_as_value(network.derived.costs.get()));
  const auto weights = function.weights().first(network.n_weights);
  return nb::make_tuple(value, network.n_fluents, network.n_roles,
                        to_numpy(std::vector<std::int32_t>(weights.begin(), weights.end())));
}

std::vector<float> elements_of(const Array<float>& array) { return {array.data(), array.data() + array.size()}; }

LearningRates read_rates(nb::handle settings) {
  return {.step = read<double>(settings, "step"),
          .trace = read<double>(settings, "trace"),
          .discount = read<double>(settings, "discount")};
}

nb::tuple train_values(const Machine& machine, nb::handle network_value, const Array<float>& weights,
                       const Array<float>& error_sum, const Array<float>& error_size, nb::handle settings) {
  const Circuit& circuit = machine.circuit();
  const ValueNetwork network = read_network(network_value, circuit.n_fluents, circuit.n_roles);
  const SelfPlaySettings self_play{.games = read<std::int64_t>(settings, "games"),
                                   .at_once = read<int>(settings, "at_once"),
                                   .threads = read<int>(settings, "threads"),
                                   .exploration = read<double>(settings, "exploration"),
                                   .opening = read<std::int32_t>(settings, "opening"),
                                   .move_limit = read<std::int32_t>(settings, "move_limit"),
                                   .seed = read<std::uint64_t>(settings, "seed"),
                                   .most_work = read<double>(settings, "work"),
                                   .choice_work = read<double>(settings, "choice_work"),
                                   .afterstate_work = read<double>(settings, "afterstate_work")};
  const std::chrono::duration<double> longest(read<double>(settings, "seconds"));
  const LearningRates rates = read_rates(settings);
  const LearnedWeights start{elements_of(weights), elements_of(error_sum), elements_of(error_size)};
  LearnedWeights result;
  SelfPlayTotals totals;
  double squared_error = 0;
  bool stopped = false;
  {
    const nb::gil_scoped_release release;
    ValueLearner learner(network, rates, start);
    SelfPlay games(circuit, machine.programs(TurnPolicy::Ignore), learner, self_play);
    const auto begun = std::chrono::steady_clock::now();
    auto polled = begun;
    totals = games.run([&] {
      const auto now = std::chrono::steady_clock::now();
      if (longest.count() > 0 && now - begun >= longest) return false;
      if (now - polled < BETWEEN_POLLS) return true;
      polled = now;
      stopped = stop_requested();
      return !stopped;
    });
    result = learner.result();
    squared_error = learner.mean_squared_error();
  }
  if (stopped) throw_if_stopped();
  return nb::make_tuple(to_numpy(std::move(result.weights)), to_numpy(std::move(result.error_sum)),
                        to_numpy(std::move(result.error_size)), totals.games, totals.moves, totals.broken_off,
                        squared_error, totals.choices, totals.afterstates);
}

nb::tuple learn_values(const Machine& machine, nb::handle network_value, const Array<float>& weights,
                       const Array<float>& error_sum, const Array<float>& error_size, nb::handle games_value,
                       nb::handle settings) {
  const Circuit& circuit = machine.circuit();
  const ValueNetwork network = read_network(network_value, circuit.n_fluents, circuit.n_roles);
  const auto states = read<Array<std::uint64_t, 2>>(games_value, "states");
  const auto start = read<Array<std::int64_t>>(games_value, "start");
  const auto exploring = read<Array<bool>>(games_value, "exploring");
  const auto goals = read<Array<std::int32_t, 2>>(games_value, "goals");
  const std::size_t games = goals.shape(0), words = network.state_words();
  const auto roles = static_cast<std::size_t>(circuit.n_roles);
  if (states.shape(1) != words || goals.shape(1) != roles) throw nb::value_error("the games are of other rules");
  if (exploring.size() != states.shape(0)) throw nb::value_error("exploring and states differ in length");
  const std::int64_t* first = start.data();
  if (start.size() != games + 1 || first[0] != 0 || first[games] != static_cast<std::int64_t>(states.shape(0)) ||
      !std::is_sorted(first, first + games + 1)) {
    throw nb::value_error("start does not say where the states of each game begin");
  }
  ValueLearner learner(network, read_rates(settings),
                       {elements_of(weights), elements_of(error_sum), elements_of(error_size)});
  const std::vector<std::uint64_t> derived = derived_of(machine, network.derived, states.data(), states.shape(0));
  const auto derived_words = static_cast<std::ptrdiff_t>(network.derived.words());
  GameRecord game;
  for (std::size_t number = 0; number < games; ++number) {
    const auto from = static_cast<std::size_t>(first[number]), to = static_cast<std::size_t>(first[number + 1]);
    game.states.assign(states.data() + from * words, states.data() + to * words);
    game.derived.assign(derived.begin() + start.data()[number] * derived_words,
                        derived.begin() + start.data()[number + 1] * derived_words);
    game.exploring.assign(exploring.data() + from, exploring.data() + to);
    const std::span<const std::int32_t> ends(goals.data() + number * roles, roles);
    const bool broken_off = std::ranges::any_of(ends, [](std::int32_t goal) { return goal < 0; });
    learner.learn(game, broken_off ? std::span<const std::int32_t>() : ends);
  }
  LearnedWeights result = learner.result();
  return nb::make_tuple(to_numpy(std::move(result.weights)), to_numpy(std::move(result.error_sum)),
                        to_numpy(std::move(result.error_size)), learner.mean_squared_error());
}

}  // namespace

void bind_values(nb::module_& m) {
  nb::class_<ValueFunction>(m, "ValueFunction", "A value network with the weights that searches use.")
      .def(
          "__init__",
          [](ValueFunction* self, const Machine& machine, nb::handle network, const Array<std::int32_t>& weights) {
            const Circuit& circuit = machine.circuit();
            make_function(self, read_network(network, circuit.n_fluents, circuit.n_roles), weights);
          },
          "machine"_a, "network"_a, "weights"_a, "`weights`: int32[n_weights] in units of 2^-16.")
      .def("__getstate__", &state_of_function)
      .def("__setstate__",
           [](ValueFunction* self, const FunctionState& state) {
             const auto& [network, n_fluents, n_roles, weights] = state;
             make_function(self, read_network(network, n_fluents, n_roles), weights);
           })
      .def(
          "values",
          [](const ValueFunction& self, const Array<std::uint64_t, 2>& states, const Machine* machine) {
            const ValueNetwork& network = self.network();
            if (states.shape(1) != network.state_words()) throw nb::value_error("the states are of another game");
            const auto roles = static_cast<std::size_t>(network.n_roles);
            std::vector<double> values(states.shape(0) * roles);
            const std::size_t words = network.derived.words();
            if (words > 0 && machine == nullptr)
              throw nb::value_error("the values look at derived facts: give the machine");
            std::vector<std::uint64_t> derived;
            if (words > 0) derived = derived_of(*machine, network.derived, states.data(), states.shape(0));
            StateValues of(self);
            for (std::size_t i = 0; i < states.shape(0); ++i) {
              const auto own = std::span<const std::uint64_t>(derived).subspan(i * words, words);
              of.begin(states.data() + i * states.shape(1), own);
              of.add({}, own);
              std::ranges::copy(of.values(), values.begin() + static_cast<std::ptrdiff_t>(i * roles));
            }
            return to_table(std::move(values), roles);
          },
          "states"_a, "machine"_a.none() = nb::none(),
          "The values of packed states to every role: float64[n, n_roles], 0..100. The machine is needed where values "
          "look at playable cells or at costs.")
      .def_prop_ro(
          "n_outputs", [](const ValueFunction& self) { return self.network().n_outputs; },
          "Number of sums of weights that make the value of a state.")
      .def_prop_ro(
          "n_tuples", [](const ValueFunction& self) { return self.network().views[0].tuple_weight.size(); },
          "Number of tuples in a sum.")
      .def_prop_ro(
          "n_weights", [](const ValueFunction& self) { return self.network().n_weights; }, "Number of weights.")
      .def_prop_ro(
          "cells", [](const ValueFunction& self) { return cells_as_value(self.network().derived.cells.get()); },
          "The playable cells that the values look at (agent.values.PlayableCells), None if they look at none.")
      .def_prop_ro(
          "costs", [](const ValueFunction& self) { return costs_as_value(self.network().derived.costs.get()); },
          "The costs that the values look at (agent.values.RelaxedCosts), None if they look at none.")
      .def(
          "tuples_of_fluents",
          [](const ValueFunction& self) {
            const ValueNetwork& network = self.network();
            const auto fluents = static_cast<std::size_t>(network.n_fluents);
            std::vector<std::int32_t> counts(fluents + network.derived.n_facts());
            for (const ValueView& view : network.views) {
              const std::vector<std::int32_t>& start = view.terms.start();
              for (std::size_t fact = &view == network.views.data() ? 0 : fluents; fact < counts.size(); ++fact) {
                counts[fact] = std::max(counts[fact], start[fact + 1] - start[fact]);
              }
            }
            return to_numpy(std::move(counts));
          },
          "Number of tuples to which each fluent belongs, and after them each derived fact: int32[facts].");
  m.def(
      "cost_reads",
      [](const Machine& machine, nb::handle value, const Array<std::uint64_t, 2>& states,
         const Array<std::int64_t>& start) {
        const Circuit& circuit = machine.circuit();
        const auto costs = read_costs(value, circuit.n_fluents, circuit.n_roles);
        const std::size_t words = states.shape(1);
        if (words != static_cast<std::size_t>(circuit.state_words())) {
          throw nb::value_error("the states are of another game");
        }
        const std::span<const std::int64_t> places(start.data(), start.size());
        if (places.empty() || places.front() != 0 || places.back() != static_cast<std::int64_t>(states.shape(0)) ||
            std::ranges::adjacent_find(places, std::ranges::greater_equal()) != places.end()) {
          throw nb::value_error("start does not say where the states of each group begin");
        }
        std::vector<std::uint8_t> found(states.shape(0) * costs->role.size());
        std::vector<std::int64_t> reads;
        for (std::size_t group = 0; group + 1 < places.size(); ++group) {
          const auto first = static_cast<std::size_t>(places[group]),
                     last = static_cast<std::size_t>(places[group + 1]);
          const std::span<const std::uint64_t> own(states.data() + first * words, states.data() + last * words);
          reads.push_back(static_cast<std::int64_t>(costs->find(own, last - first, found.data())));
        }
        return to_numpy(std::move(reads));
      },
      "machine"_a, "costs"_a, "states"_a, "start"_a,
      "How many slots are written or read to find the costs (agent.values.RelaxedCosts) of packed states, those of a "
      "group together, `start` saying where each begins (int64[groups + 1]): int64[groups]. A step of a loop that is "
      "run "
      "again counts as more than one.");
  m.def("train_values", &train_values, "machine"_a, "network"_a, "weights"_a, "error_sum"_a, "error_size"_a,
        "settings"_a,
        "Learns the weights of a value network from games that it plays against itself. Returns the weights and their "
        "error sums and sizes (float32[n_weights]), the numbers of games, moves and games broken off, the mean squared "
        "error of values, and the numbers of choices and of afterstates that were valued for them.");
  m.def("learn_values", &learn_values, "machine"_a, "network"_a, "weights"_a, "error_sum"_a, "error_size"_a, "games"_a,
        "settings"_a,
        "Learns the weights of a value network from games that others have played: `states` without the last of each "
        "game, `start` where those of each game begin (int64[n + 1]), `exploring` (bool[state]), and `goals` (int32[n, "
        "n_roles], negative where a game was broken off). Returns the weights and their error sums and sizes, and the "
        "mean squared error of values.");
}

}  // namespace gdl
