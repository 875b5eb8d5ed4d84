// Batched search for Python: play_matches() takes one request and returns arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/read_decisive_moves.hpp"
#include "bindings/stop.hpp"
#include "hardware/instruction_set.hpp"
#include "machine/machine.hpp"
#include "match/arena.hpp"
#include "search/leaf_values.hpp"

namespace nb = nanobind;

namespace gdl {

PlayerSpec read_player(nb::handle spec, int n_roles) {
  PlayerSpec player;
  player.kind = read<std::string>(spec, "kind") == "random" ? PlayerKind::Random : PlayerKind::Uct;
  player.playouts = read<std::int64_t>(spec, "playouts");
  player.seconds = read<double>(spec, "seconds");
  player.in_flight = read<int>(spec, "in_flight");
  player.draws_moves = read<bool>(spec, "draws_moves");
  player.limits.states = read<std::uint32_t>(spec, "table_states");
  player.limits.bytes = read<std::size_t>(spec, "max_bytes");
  if (read<std::string>(spec, "eviction") == "random") player.limits.eviction = Eviction::RandomHalf;
  const nb::object scorer = spec.attr("scorer");
  if (!scorer.is_none()) player.scorer = nb::cast<const Scorer*>(scorer);
  const nb::object values = spec.attr("values");
  if (!values.is_none()) player.values = nb::cast<const ValueFunction*>(values);
  const nb::object parameters = spec.attr("parameters");
  player.value_weight = read<double>(parameters, "value_weight");
  player.experience = read<std::uint32_t>(parameters, "experience");
  player.trusted_playouts = read<std::int64_t>(parameters, "trusted_playouts");
  player.valued_playouts = read<std::int64_t>(parameters, "valued_playouts");
  player.decisive_moves = read_decisive_moves(read<std::string>(parameters, "decisive_moves"));
  player.solves = read<bool>(parameters, "solver");
  player.expansions = read<double>(parameters, "expansions");
  player.scoring_visits = read<std::uint32_t>(parameters, "scoring_visits");
  player.opponent_knowledge = read<double>(parameters, "opponent_knowledge");
  player.playout_moves = read<std::int64_t>(parameters, "playout_moves");
  SelectionParameters& selection = player.selection;
  selection.uct_c = read<double>(parameters, "uct_c");
  const auto growth = read<std::string>(parameters, "uct_growth");
  if (growth == "root") selection.uct_growth = UctGrowth::Root;
  if (growth == "deep") selection.uct_growth = UctGrowth::Deep;
  selection.first_play_urgency = read<double>(parameters, "first_play_urgency");
  if (read<std::string>(parameters, "exploration") == "puct") selection.exploration = ExplorationKind::Puct;
  selection.puct_c = read<double>(parameters, "puct_c");
  player.mixed_share = read<double>(parameters, "mixed_share");
  selection.bias = read<double>(parameters, "bias");
  selection.fade = read<double>(parameters, "fade");
  selection.widening = read<bool>(parameters, "widening");
  selection.widening_visits = read<double>(parameters, "widening_visits");
  selection.widening_moves = read<std::int32_t>(parameters, "widening_moves");
  selection.widening_growth = read<double>(parameters, "widening_growth");
  for (int role = 0; role < n_roles; ++role) {
    selection.informed.push_back(player.scorer != nullptr && player.scorer->acts_in(ScoringPhase::Selection, role));
  }
  return player;
}

namespace {

// The arrays of a MatchBatch (agent/search/uct.py), checked against the game.
struct MatchBatchReader {
  MatchBatchReader(nb::handle object, const Circuit& circuit)
      : seats(read<Array<std::int32_t, 2>>(object, "seats")),
        seeds(read<Array<std::uint64_t>>(object, "seeds")),
        states(read<Array<std::uint64_t, 2>>(object, "states")),
        last_rows(read<Array<std::int32_t, 2>>(object, "last_rows")),
        opening_plies(read<Array<std::int32_t>>(object, "opening_plies")) {
    for (const nb::handle spec : object.attr("players")) players.push_back(read_player(spec, circuit.n_roles));
    const auto n_roles = static_cast<std::size_t>(circuit.n_roles);
    const std::size_t n = seeds.shape(0);
    if (seats.shape(0) != n || seats.shape(1) != n_roles || last_rows.shape(0) != n || last_rows.shape(1) != n_roles ||
        states.shape(0) != n || states.shape(1) != static_cast<std::size_t>(circuit.state_words()) ||
        opening_plies.shape(0) != n) {
      throw std::invalid_argument("the arrays of matches must agree with each other and with the game");
    }
    if (std::any_of(opening_plies.data(), opening_plies.data() + n, [](std::int32_t plies) { return plies < 0; })) {
      throw std::invalid_argument("an opening has a negative number of plies");
    }
    const auto in_range = [this](std::int32_t seat) {
      return seat >= 0 && static_cast<std::size_t>(seat) < players.size();
    };
    if (!std::all_of(seats.data(), seats.data() + n * n_roles, in_range)) {
      throw std::invalid_argument("a seat names a player that is not there");
    }
    const auto move_limit = read<std::int32_t>(object, "move_limit");
    for (std::size_t match = 0; match < n; ++match) {
      const std::int32_t* last = last_rows.data() + match * n_roles;
      starts.push_back({.seed = seeds.data()[match],
                        .state = states.data() + match * states.shape(1),
                        .last_rows = last[0] < 0 ? nullptr : last,
                        .seats = {seats.data() + match * n_roles, n_roles},
                        .move_limit = move_limit,
                        .opening_plies = opening_plies.data()[match]});
    }
    lanes = read<int>(object, "lanes");
    const auto of_match = static_cast<std::size_t>(lanes_of_match(players));
    if (lanes == 0) lanes = width_for(n * of_match);
    if (of_match > static_cast<std::size_t>(lanes)) throw std::invalid_argument("more playouts in flight than lanes");
  }

  Array<std::int32_t, 2> seats;
  Array<std::uint64_t> seeds;
  Array<std::uint64_t, 2> states;
  Array<std::int32_t, 2> last_rows;
  Array<std::int32_t> opening_plies;
  std::vector<PlayerSpec> players;
  std::vector<MatchStart> starts;
  int lanes = 0;
};

template <class Value>
std::vector<Value> joined(const std::vector<MatchHistory>& histories, std::vector<Value> MatchHistory::* part) {
  std::vector<Value> all;
  for (const MatchHistory& history : histories) all.insert(all.end(), (history.*part).begin(), (history.*part).end());
  return all;
}

nb::tuple to_arrays(const Arena& arena, const Circuit& circuit) {
  const std::vector<MatchHistory>& histories = arena.histories();
  const auto& stages = arena.clock().seconds();
  const Work work = arena.work();
  std::vector<std::int32_t> start{0};
  std::vector<std::int64_t> visit_start{0};
  for (const MatchHistory& history : histories) {
    start.push_back(start.back() + static_cast<std::int32_t>(history.visit_end.size()));
    const std::int64_t before = visit_start.back();
    for (const std::int64_t end : history.visit_end) visit_start.push_back(before + end);
  }
  const auto words = static_cast<std::size_t>(circuit.state_words());
  const auto n_roles = static_cast<std::size_t>(circuit.n_roles);
  return nb::make_tuple(to_numpy(std::move(start)), to_table(joined(histories, &MatchHistory::states), words),
                        to_table(joined(histories, &MatchHistory::moves), n_roles),
                        to_table(joined(histories, &MatchHistory::goals), n_roles), to_numpy(std::move(visit_start)),
                        to_numpy(joined(histories, &MatchHistory::visit_row)),
                        to_numpy(joined(histories, &MatchHistory::visit_count)),
                        to_numpy(joined(histories, &MatchHistory::visit_payoff)),
                        to_table(joined(histories, &MatchHistory::playouts), n_roles),
                        to_table(joined(histories, &MatchHistory::nodes_added), n_roles),
                        to_table(joined(histories, &MatchHistory::nodes_held), n_roles),
                        to_numpy(std::vector<std::int64_t>(work.counts().begin(), work.counts().end())),
                        to_numpy(std::vector<double>(stages.begin(), stages.end())));
}

// Checks for signals every 50 ms and reports progress every 250 ms. It is called without the GIL.
class Watch {
 public:
  explicit Watch(nb::handle report) : report_(report) {}

  void operator()(const ArenaProgress& progress) {
    if (progress.seconds < next_look_) return;
    next_look_ = progress.seconds + 0.05;
    looks.fetch_add(1, std::memory_order_relaxed);
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!report_.is_none() && progress.seconds >= next_report_) {
      next_report_ = progress.seconds + 0.25;
      report_(progress.matches, progress.moves, progress.playouts);
    }
  }

 private:
  nb::handle report_;
  double next_look_ = 0.05;
  double next_report_ = 0.25;
};

// The lanes of one match must not depend on the turns of others, or the playouts in flight would go on in another
// order.
std::shared_ptr<const ProgramSet> programs_for(const Machine& machine, const MatchBatchReader& request,
                                               Preferences preferences) {
  auto turns = machine.programs(TurnPolicy::Follow, preferences);
  const auto in_turn = [&](const MatchStart& start) { return turns->turns.of(start.state).has_value(); };
  const bool follow = lanes_of_match(request.players) == 1 && std::ranges::all_of(request.starts, in_turn);
  return follow ? turns : machine.programs(TurnPolicy::Ignore, preferences);
}

nb::tuple play_matches(const Machine& machine, nb::handle request_object, nb::handle report) {
  const Circuit& circuit = machine.circuit();
  MatchBatchReader request(request_object, circuit);
  const Preferences preferences = settle_preferences(machine, request.players);
  const auto engine =
      make_lane_engine(circuit, programs_for(machine, request, preferences), request.lanes, chosen_instruction_set());
  const bool valued = std::ranges::any_of(request.players, values_moves);
  Arena arena(circuit, request.players, *engine, valued ? machine.programs(TurnPolicy::Ignore) : nullptr);
  {
    nb::gil_scoped_release released;
    arena.run(request.starts, Watch(report));
  }
  return to_arrays(arena, circuit);
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::exception<RuleViolation>(m, "RuleViolationError");
  m.def("play_matches", &play_matches, nb::arg("machine"), nb::arg("request"), nb::arg("report").none(),
        "Plays the matches of a MatchBatch in lock-step; returns the arrays of a MatchArrays.");
}

}  // namespace gdl
