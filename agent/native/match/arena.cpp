#include "match/arena.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace gdl {
namespace {

// Lanes for afterstates for each lane of a match.
constexpr std::size_t MOVES_FOR_LANE = 8;

std::vector<Workspace> workspaces_of(const Circuit& circuit, std::span<const PlayerSpec> players, SearchMemory& memory,
                                     const DerivedFacts& seen) {
  std::vector<Workspace> workspaces;
  for (const PlayerSpec& player : players) workspaces.emplace_back(circuit, player, memory, seen);
  return workspaces;
}

// The number of kinds of moves that players prefer.
std::size_t preferences_of(std::span<const PlayerSpec> players) {
  std::size_t kinds = 0;
  for (const PlayerSpec& player : players) {
    if (player.preference != NO_PREFERENCE) kinds = std::max(kinds, player.preference + 1);
  }
  return kinds;
}

// Takes facts of one kind, which must be those that are known, if there are some.
template <class Facts>
void join(std::shared_ptr<const Facts>& known, const std::shared_ptr<const Facts>& facts, const char* what) {
  if (facts == nullptr || facts == known) return;
  if (known != nullptr && !(*known == *facts)) {
    throw std::invalid_argument(std::string("players of one game look at different ") + what);
  }
  known = facts;
}

// The derived facts that values of players look at.
DerivedFacts facts_seen(const Circuit& circuit, std::span<const PlayerSpec> players) {
  DerivedFacts seen;
  for (const PlayerSpec& player : players) {
    if (player.values == nullptr) continue;
    join(seen.cells, player.values->network().derived.cells, "playable cells");
    join(seen.costs, player.values->network().derived.costs, "relaxed costs");
  }
  if (seen.cells != nullptr) seen.cells->check_rows(circuit.legal.size());
  return seen;
}

}  // namespace

int lanes_of_match(std::span<const PlayerSpec> players) {
  int lanes = 1;
  for (const PlayerSpec& player : players) lanes = std::max(lanes, player.in_flight);
  return lanes;
}

bool values_moves(const PlayerSpec& player) { return player.values != nullptr && player.experience > 0; }

int width_for(std::size_t lanes) {
  int width = 64;
  while (width < 512 && static_cast<std::size_t>(width) < lanes) width *= 2;
  return width;
}

// A match with one lane goes the same way whenever it hears of its goals; one with several lanes must hear of its
// playouts in the steps in which they end.
Arena::Arena(const Circuit& circuit, std::span<const PlayerSpec> players, LaneEngine& engine,
             std::shared_ptr<const ProgramSet> programs)
    : circuit_(circuit),
      players_(players),
      engine_(engine),
      facts_(facts_seen(circuit, players)),
      workspaces_(workspaces_of(circuit, players, memory_, facts_)),
      draws_by_state_(
          std::ranges::any_of(workspaces_, [](const Workspace& each) { return each.simulations.moves() > 0; })),
      groups_(circuit, players, workspaces_, engine.lanes(), lanes_of_match(players)),
      schedule_(static_cast<std::size_t>(engine.lanes())),
      readings_(circuit, engine, facts_),
      joints_(static_cast<std::size_t>(engine.lanes()), circuit.n_roles),
      simulations_(static_cast<std::size_t>(engine.lanes())),
      ended_(static_cast<std::size_t>(engine.lanes()), groups_.group_lanes() > 1 ? 0 : engine.goal_cost()),
      on_positions_(static_cast<std::size_t>(engine.lanes())),
      resting_(on_positions_),
      to_value_(on_positions_),
      preferring_(preferences_of(players), on_positions_),
      terminal_(on_positions_),
      finished_(terminal_),
      positions_(terminal_),
      final_positions_(terminal_),
      asked_(terminal_),
      late_(terminal_) {
  if (std::ranges::any_of(players, values_moves)) {
    afterstates_.emplace(circuit, std::move(programs),
                         width_for(static_cast<std::size_t>(engine.lanes()) * MOVES_FOR_LANE), facts_);
  }
}

void Arena::run(std::span<const MatchStart> starts, const Poll& poll) {
  const auto began = std::chrono::steady_clock::now();
  begin(starts);
  while (progress_.matches < static_cast<std::int64_t>(starts.size())) {
    progress_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    progress_.playouts = 0;
    for (const Workspace& workspace : workspaces_) progress_.playouts += workspace.playouts;
    poll(progress_);
    step();
  }
}

void Arena::begin(std::span<const MatchStart> starts) {
  groups_.begin(starts, order_of_starts(circuit_, engine_, players_, starts, static_cast<std::size_t>(groups_.size())));
  progress_ = {};
  for (Workspace& workspace : workspaces_) {
    workspace.playouts = 0;
    workspace.work = {};
  }
  moves_ = {};
  schedule_.clear();
  ended_.clear();
  for (int group = 0; group < groups_.size(); ++group) start_match(group);
}

Work Arena::work() const {
  Work work = moves_;
  for (const Workspace& workspace : workspaces_) work += workspace.work;
  return work;
}

// Tasks that load a lane take effect at the next step.
void Arena::step() {
  schedule_.begin_step();
  clock_.begin_step();
  engine_.place_loaded();
  clock_.end(SearchStage::Load);
  evaluate();
  clock_.end(SearchStage::Evaluate);
  ++progress_.steps;
  read_goals();
  clock_.end(SearchStage::Goals);
  back_up();
  resume_waiting();
  read_states();
  expand();
  place_ended();
  list_legal();
  open();
  place_listed();
  value_moves();
  draw_moves();
  clock_.end(SearchStage::Tree);
  choose();
  clock_.end(SearchStage::Choose);
  make_moves();
  engine_.advance();
  clock_.end(SearchStage::Advance);
}

// ---------------------------------------------------------------------------------------------------------------------
// Readings of lanes
// ---------------------------------------------------------------------------------------------------------------------

// Lanes of other turns wait for a later step.
void Arena::evaluate() {
  asked_.clear();
  for (const LaneMask* lanes : schedule_.now().on_states()) asked_ |= *lanes;
  engine_.evaluate(asked_.words(), late_.words());
  late_.invert();
  engine_.terminal(terminal_.words());
  schedule_.postpone(late_);
}

void Arena::read_goals() {
  ended_.hold(schedule_.now(), terminal_);
  terminal_.clear();
  finished_.clear();
  if (!ended_.due(schedule_)) return;
  terminal_ |= ended_.simulations();
  terminal_ |= ended_.arrivals();
  ended_.release(finished_, schedule_.now().arriving);
  readings_.read_goals(terminal_);
}

// Reads the states of the lanes that report them, and parts those that show the position of their match.
void Arena::read_states() {
  LaneActivities& now = schedule_.now();
  positions_.clear();
  final_positions_.clear();
  asked_ = now.arriving;
  if (draws_by_state_) asked_ |= now.drawing;
  if (draws_by_state_ && afterstates_) asked_ |= now.listing;  // a simulation may begin where moves were valued
  if (!asked_.any()) return;
  clock_.end(SearchStage::Tree);
  readings_.read_states(asked_);
  clock_.end(SearchStage::Read);
  positions_.take(now.arriving, on_positions_);
  final_positions_.take(positions_, terminal_);
  read_derived(now.arriving,
               [this](int lane) { return !terminal_.holds(lane) && match_of(lane).looks_at_new_states(); });
}

// Reads the derived facts of those lanes whose searches value the states that they show.
template <typename Values>
void Arena::read_derived(const LaneMask& lanes, const Values& values) {
  if (facts_.empty()) return;
  asked_.clear();
  lanes.for_each([this, &values](int lane) {
    if (values(lane)) asked_.include(lane);
  });
  readings_.read_derived(asked_);
}

void Arena::list_legal() {
  asked_ = schedule_.now().listing;
  asked_ |= schedule_.now().drawing;
  asked_ |= positions_;
  if (!asked_.any()) return;
  clock_.end(SearchStage::Tree);
  for (std::size_t kind = 0; kind < preferring_.size(); ++kind) {
    LaneMask drawing = schedule_.now().drawing;
    drawing &= preferring_[kind];
    readings_.list_preferred(drawing, kind);
    drawing.invert();
    asked_ &= drawing;
  }
  readings_.list_legal(asked_);
  clock_.end(SearchStage::List);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reports to searches and matches
// ---------------------------------------------------------------------------------------------------------------------

template <typename Report>
void Arena::report_all(std::span<const int> lanes, const Report& report) {
  selections_.clear();
  for (const int lane : lanes) {
    const LaneTask task = report(lane);
    if (task == LaneTask::Select && match_of(lane).takes_turns()) {
      selections_.add(lane, match_of(lane).selection(place_of(lane)));
    } else {
      deliver(lane, task);
    }
  }
  selections_.run(progress_.seconds, [this](int lane, LaneTask task) {
    deliver(lane, match_of(lane).pursue(place_of(lane), task, progress_.seconds));
  });
}

void Arena::back_up() {
  waves_.for_each(finished_, [this](std::span<const int> wave) {
    for (const int lane : wave) match_of(lane).prefetch();
    for (int round = 0; round < LaneMatch::BACK_UP_ROUNDS; ++round) {
      for (const int lane : wave) match_of(lane).prefetch_back_up(place_of(lane), round);
    }
    report_all(wave, [this](int lane) {
      return match_of(lane).back_up(place_of(lane), readings_.goals(lane), progress_.seconds);
    });
  });
}

void Arena::resume_waiting() {
  schedule_.now().waiting.for_each([this](int lane) {
    if (!groups_.plays(groups_.group_of(lane))) return;
    deliver(lane, match_of(lane).resume(place_of(lane), progress_.seconds));
  });
}

void Arena::expand() {
  waves_.for_each(schedule_.now().arriving, [this](std::span<const int> wave) {
    for (const int lane : wave) match_of(lane).look_up(place_of(lane), readings_.state(lane));
    for (const int lane : wave) match_of(lane).prefetch_found(place_of(lane));
    report_all(wave, [this](int lane) {
      const std::int32_t* goals = terminal_.holds(lane) ? readings_.goals(lane) : nullptr;
      return match_of(lane).expand(place_of(lane), readings_.state(lane), readings_.derived(lane), goals,
                                   progress_.seconds);
    });
  });
}

void Arena::place_ended() {
  final_positions_.for_each([this](int lane) {
    deliver(lane,
            match_of(lane).place(place_of(lane), readings_.state(lane), readings_.goals(lane), {}, progress_.seconds));
  });
}

void Arena::open() {
  read_derived(schedule_.now().listing,
               [this](int lane) { return match_of(lane).looks_at_opened(place_of(lane), readings_.rows(lane)); });
  waves_.for_each(schedule_.now().listing, [this](std::span<const int> wave) {
    report_all(wave, [this](int lane) {
      return match_of(lane).open(place_of(lane), readings_.rows(lane), readings_.derived(lane), progress_.seconds);
    });
  });
}

void Arena::place_listed() {
  positions_.for_each([this](int lane) {
    deliver(lane, match_of(lane).place(place_of(lane), readings_.state(lane), nullptr, readings_.rows(lane),
                                       progress_.seconds));
  });
}

// The moves of all nodes that wait are valued together.
void Arena::value_moves() {
  if (!to_value_.any()) return;
  valuing_.clear();
  valued_.clear();
  to_value_.for_each([this](int lane) {
    valuing_.push_back(lane);
    valued_.push_back(match_of(lane).valued_position(place_of(lane), readings_.rows(lane)));
  });
  to_value_.clear();
  afterstates_->find(valued_);
  std::size_t position = 0;
  report_all(valuing_, [this, &position](int lane) {
    return match_of(lane).value_moves(place_of(lane), *afterstates_, position++, readings_.rows(lane),
                                      progress_.seconds);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Tasks of lanes
// ---------------------------------------------------------------------------------------------------------------------

void Arena::start_match(int group) {
  if (!groups_.start_next(group)) return;
  const int first = groups_.first_lane(group);
  resting_.exclude(first);
  for (int lane = first + 1; lane < first + groups_.group_lanes(); ++lane) resting_.include(lane);
  apply(first, LaneTask::ShowPosition);
}

void Arena::end_match(int group) {
  groups_.end(group);
  ++progress_.matches;
  start_match(group);
}

void Arena::deliver(int lane, LaneTask task) {
  apply(lane, selected(lane, task));
  const int group = groups_.group_of(lane), first = groups_.first_lane(group);
  while (groups_.plays(group) && match_of(first).take_wake()) {
    for (int other = first; other < first + groups_.group_lanes(); ++other) {
      if (!resting_.holds(other)) continue;
      resting_.exclude(other);
      apply(other, selected(other, match_of(other).resume(place_of(other), progress_.seconds)));
    }
  }
}

LaneTask Arena::selected(int lane, LaneTask task) {
  while (task == LaneTask::Select) task = match_of(lane).select(place_of(lane), progress_.seconds);
  return task;
}

void Arena::apply(int lane, LaneTask task) {
  switch (task) {
    case LaneTask::Expand:
      keep_joint(lane);
      schedule_.now().moving.include(lane);
      break;
    case LaneTask::LoadAndExpand:
      load_state(lane);
      keep_joint(lane);
      schedule_.next().moving.include(lane);
      break;
    case LaneTask::Open:
      schedule_.now().listing.include(lane);
      break;
    case LaneTask::LoadAndOpen:
      load_state(lane);
      schedule_.next().listing.include(lane);
      break;
    case LaneTask::ValueMoves:
      to_value_.include(lane);
      break;
    case LaneTask::Simulate:
      simulate(lane, schedule_.now());
      break;
    case LaneTask::LoadAndSimulate:
      load_state(lane);
      simulate(lane, schedule_.next());
      break;
    case LaneTask::ShowPosition:
      load_position(lane);
      schedule_.next().arriving.include(lane);
      break;
    case LaneTask::AdvancePosition:
      ++progress_.moves;
      load_position(lane);
      keep_joint(lane);
      schedule_.next().moving.include(lane);
      break;
    case LaneTask::Select:
      throw std::logic_error("a selection is to be followed to its end");
    case LaneTask::Wait:
      schedule_.next().waiting.include(lane);
      break;
    case LaneTask::Rest:
      resting_.include(lane);
      break;
    case LaneTask::Done:
      resting_.include(lane);
      end_match(groups_.group_of(lane));
      break;
  }
}

void Arena::simulate(int lane, LaneActivities& activities) {
  simulations_.begin(lane, progress_.steps);
  for (LaneMask& each : preferring_) each.exclude(lane);
  if (const std::size_t kind = match_of(lane).preference(); kind != NO_PREFERENCE) preferring_[kind].include(lane);
  (match_of(lane).draws_next(place_of(lane)) ? activities.drawing : activities.playing).include(lane);
}

void Arena::load_position(int lane) {
  on_positions_.include(lane);
  load(lane);
}

void Arena::load_state(int lane) {
  on_positions_.exclude(lane);
  load(lane);
}

void Arena::load(int lane) {
  const LaneMatch& match = match_of(lane);
  engine_.load(lane, match.state(place_of(lane)), match.lane_seed(place_of(lane)));
}

void Arena::keep_joint(int lane) { joints_.keep(lane, match_of(lane).joint(place_of(lane))); }

// ---------------------------------------------------------------------------------------------------------------------
// Moves
// ---------------------------------------------------------------------------------------------------------------------

void Arena::draw_moves() {
  schedule_.now().drawing.for_each([this](int lane) {
    match_of(lane).draw_moves(place_of(lane), readings_.state(lane), readings_.rows(lane));
    joints_.keep(lane, match_of(lane).joint(place_of(lane)));
  });
}

// Lets lanes draw the moves of their simulations.
void Arena::choose() {
  const LaneActivities& now = schedule_.now();
  asked_ = now.playing;
  asked_ |= now.drawing;
  if (progress_.steps % Simulations::STEPS_BETWEEN_CHECKS == 0) {
    simulations_.check_ends(circuit_, asked_, progress_.steps, readings_);
  }
  preferring_words_.clear();
  for (const LaneMask& each : preferring_) preferring_words_.push_back(each.words());
  engine_.choose(now.playing.words(), preferring_words_);
  moves_.add(Operation::Draw, now.playing.count());
  moves_.add(Operation::Weigh, now.drawing.count());
  schedule_.next().playing |= now.playing;
}

// Makes the moves that the lanes did not choose themselves.
void Arena::make_moves() {
  const LaneActivities& now = schedule_.now();
  LaneActivities& next = schedule_.next();
  asked_ = now.moving;
  asked_ |= now.drawing;
  joints_.make(engine_, asked_);
  next.arriving |= now.moving;
  now.drawing.for_each([this, &next](int lane) {
    (match_of(lane).draws_next(place_of(lane)) ? next.drawing : next.playing).include(lane);
  });
}

}  // namespace gdl
