// Environments for one vector type of one instruction set.
//
// Games are cut into chunks of one vector each. A chunk goes through all steps of a call alone, so that the working set
// is that of one chunk. Where the programs follow turns, all games are in the same turn: a game that is over waits for
// the first turn, in which it begins anew.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "circuit/legal_rows.hpp"
#include "lanes/bound_program.hpp"
#include "lanes/environments.hpp"
#include "lanes/goal_lanes.hpp"
#include "lanes/lane_bytes.hpp"
#include "lanes/listing.hpp"
#include "lanes/unmerged_rows.hpp"

namespace gdl::GDL_ISA {

template <class V>
class EnvironmentLanes final : public Environments {
 public:
  EnvironmentLanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, EnvironmentOptions options)
      : set_(std::move(programs)),
        game_(circuit),
        circuit_(set_->circuit_run(circuit)),
        options_(std::move(options)),
        programs_(circuit_, *set_),
        role_of_row_(static_cast<std::size_t>(circuit.n_rows())),
        drawn_(static_cast<std::size_t>(circuit_.n_rows())) {
    for (std::int32_t row = 0; row < circuit.n_rows(); ++row) {
      role_of_row_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(role_of_row(circuit.move_start, row));
    }
    if (set_->merged) {
      for (const Program& program : set_->programs) unmerged_.emplace_back(set_->merged->merging, program);
    }
    for (std::size_t first = 0; first < options_.n; first += LANES<V>) {
      const int lanes = static_cast<int>(std::min<std::size_t>(LANES<V>, options_.n - first));
      chunks_.push_back(std::make_unique<GameChunk>(*set_, lanes, roles()));
      if (set_->goals) goals_.push_back(std::make_unique<GoalLanes<V>>(*set_->goals));
    }
    reset(0);
  }

  const char* instruction_set() const override { return INSTRUCTION_SET; }
  std::uint64_t moves() const override { return moves_; }
  std::uint64_t games() const override { return games_; }

  void reset(std::uint64_t seed) override {
    std::uint64_t game = 0;
    for (auto& chunk : chunks_) {
      for (int lane = 0; lane < chunk->n; ++lane) chunk->lanes.streams.seed(lane, hash_combine(seed, game++));
    }
    begin(0, [this](GameChunk& chunk, V* fluents) {
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) fluents[f] = initially(f) & chunk.used;
    });
  }

  void renew(const std::uint8_t* games) override {
    for (auto& chunk : chunks_) {
      chunk->renewed = zeros<V>();
      for (int lane = 0; lane < chunk->n; ++lane) {
        if (*games++ != 0) set_lane(chunk->renewed, lane);
      }
    }
  }

  void place(const std::uint64_t* states, int phase) override {
    begin(phase, [this, &states](GameChunk& chunk, V* fluents) {
      unpack_states(fluents, circuit_.n_fluents, chunk.used, states, circuit_.state_words());
      states += static_cast<std::size_t>(chunk.n) * words();
    });
  }

  void step(const std::int32_t* actions, std::size_t columns) override {
    const std::int32_t* own = actions;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      take_actions(*chunks_[i], i * LANES<V>, own, columns);
      own += static_cast<std::size_t>(chunks_[i]->n) * columns;
    }
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      choose_rest(*chunks_[i]);
      advance(*chunks_[i], i, next_phase(phase_));
    }
    phase_ = next_phase(phase_);
  }

  void step_random(std::uint64_t steps, bool (*stop)()) override {
    using std::chrono::steady_clock;
    auto asked = steady_clock::now();
    const std::uint64_t at_once = std::max<std::uint64_t>(1, STEPS_AT_ONCE / chunks_.size());
    while (steps > 0) {
      const std::uint64_t taken = std::min(steps, at_once);
      int phase = phase_;
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        phase = phase_;
        for (std::uint64_t step = 0; step < taken; ++step) {
          phase = next_phase(phase);
          choose(*chunks_[i]);
          advance(*chunks_[i], i, phase);
        }
      }
      phase_ = phase;
      steps -= taken;
      if (steps == 0 || steady_clock::now() - asked < STOP_INTERVAL) continue;
      if (stop()) return;
      asked = steady_clock::now();
    }
  }

  void draw(std::int32_t* actions) override {
    std::fill_n(actions, options_.n * roles(), DRAWN);
    for (auto& chunk : chunks_) {
      choose(*chunk);
      const Program& program = program_of(*chunk);
      const V* does = chunk->lanes.does(program);
      const V active = chunk->active();
      for_each_live_row(*chunk, does, active, [&](std::int32_t row, V lanes) {
        const auto role = static_cast<std::size_t>(role_of_row_[static_cast<std::size_t>(row)]);
        for_each_lane(lanes, [&](int lane) { actions[static_cast<std::size_t>(lane) * roles() + role] = row; });
      });
      actions += static_cast<std::size_t>(chunk->n) * roles();
    }
  }

  void terminated(std::uint8_t* out) const override {
    for (const auto& chunk : chunks_) {
      for (int lane = 0; lane < chunk->n; ++lane) *out++ = has_lane(chunk->over, lane);
    }
  }

  void rewards(std::int32_t* out) override {
    std::fill_n(out, options_.n * roles(), 0);
    for (std::size_t i = 0; i < chunks_.size(); out += static_cast<std::size_t>(chunks_[i]->n) * roles(), ++i) {
      GameChunk& chunk = *chunks_[i];
      if (!any(chunk.ended)) continue;
      const Program& program = program_of(chunk);
      GoalLanes<V>* kept = goals_.empty() ? nullptr : goals_[i].get();
      if (kept != nullptr && !any(kept->kept())) {  // the first to ask since the last step
        kept->keep(chunk.lanes.fluents(program), circuit_.n_fluents, chunk.ended);
        kept->evaluate();
      }
      std::vector<V>& open = chunk.of_roles;  // [role] lanes whose goal is not yet known
      std::ranges::fill(open, chunk.ended);
      for (std::size_t g = 0; g < circuit_.goal_value.size(); ++g) {
        const auto role = static_cast<std::size_t>(circuit_.goal_role[g]);
        const V holds = kept == nullptr ? chunk.lanes.value(program.goal_literals[g]) : kept->goal(g);
        const V lanes = holds & open[role];
        open[role] &= ~lanes;
        for_each_lane(lanes,
                      [&](int lane) { out[static_cast<std::size_t>(lane) * roles() + role] = circuit_.goal_value[g]; });
      }
    }
  }

  void to_move(std::uint8_t* out) const override {
    for (const auto& chunk : chunks_) {
      const V active = chunk->active();
      V choosing = zeros<V>(), acting = zeros<V>();  // lanes in which some role has a choice, or makes a move
      for (std::size_t role = 0; role < roles(); ++role) choosing |= legal_of(*chunk, role).several;
      for (std::size_t role = 0; role < roles(); ++role) {
        const LegalRoles found = legal_of(*chunk, role);
        const std::int32_t wait = options_.waits[role];
        const V acts = found.some & ~(wait < 0 ? zeros<V>() : legal_in(*chunk, wait)) & ~choosing & ~acting;
        acting |= acts;
        write_column(*chunk, (found.several | acts) & active, out + role);
      }
      for_each_lane(active & ~choosing & ~acting, [&](int lane) { out[static_cast<std::size_t>(lane) * roles()] = 1; });
      out += static_cast<std::size_t>(chunk->n) * roles();
    }
  }

  void legal(std::int32_t first, std::int32_t last, std::uint8_t* out) const override {
    const std::int32_t columns = last - first;
    for (const auto& chunk : chunks_) {
      const V active = chunk->active();
      write_lane_bytes<V>(chunk->n, columns, out,
                          [&](std::int32_t column) { return legal_in(*chunk, first + column) & active; });
      out += static_cast<std::size_t>(chunk->n) * static_cast<std::size_t>(columns);
    }
  }

  void facts(std::span<const std::int32_t> fluents, std::uint8_t* out) const override {
    const auto columns = static_cast<std::int32_t>(fluents.size());
    for (const auto& chunk : chunks_) {
      const V* values = chunk->lanes.fluents(program_of(*chunk));
      write_lane_bytes<V>(chunk->n, columns, out, [&](std::int32_t column) {
        const std::int32_t fluent = fluents[static_cast<std::size_t>(column)];
        return fluent < 0 ? zeros<V>() : values[fluent];
      });
      out += static_cast<std::size_t>(chunk->n) * fluents.size();
    }
  }

  void states(std::uint64_t* out) const override {
    for (const auto& chunk : chunks_) {
      pack_states(chunk->lanes.fluents(program_of(*chunk)), circuit_.n_fluents, chunk->used, out,
                  circuit_.state_words());
      out += static_cast<std::size_t>(chunk->n) * words();
    }
  }

 private:
  static constexpr std::uint64_t STEPS_AT_ONCE = 64;
  static constexpr std::int32_t ANY_ROLE = -1;
  static constexpr std::chrono::milliseconds STOP_INTERVAL{50};

  struct GameChunk {
    GameChunk(const ProgramSet& set, int n_lanes, std::size_t roles)
        : lanes(set), n(n_lanes), given(roles), of_roles(roles) {
      for (int lane = 0; lane < n; ++lane) set_lane(used, lane);
      renewed = used;
    }
    V active() const { return used & ~over; }

    LaneChunk<V> lanes;
    int n;                    // lanes in use
    V used = zeros<V>();      // their mask
    V over = zeros<V>();      // lanes whose game is over
    V renewed = zeros<V>();   // lanes that begin anew when their game is over
    V ended = zeros<V>();     // lanes whose game came to its end in the last step
    std::vector<V> given;     // [role] lanes with an action in the step
    std::vector<V> of_roles;  // scratch: [role]
  };

  // Lanes in which a role has a legal row, and those in which it has several.
  struct LegalRoles {
    V some, several;
  };

  std::size_t roles() const { return static_cast<std::size_t>(game_.n_roles); }
  std::size_t words() const { return static_cast<std::size_t>(circuit_.state_words()); }
  const Program& program_of(const GameChunk& chunk) const { return programs_[chunk.lanes.turn].program; }
  V initially(std::int32_t fluent) const {
    return circuit_.initial[static_cast<std::size_t>(fluent)] ? ones<V>() : zeros<V>();
  }
  int next_phase(int phase) const { return phase + 1 == options_.period ? 0 : phase + 1; }

  // Calls fill(chunk, fluents) for the states of all games and evaluates them.
  template <class Fill>
  void begin(int phase, Fill fill) {
    phase_ = phase;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      GameChunk& chunk = *chunks_[i];
      chunk.lanes.turn = phase % programs_.count();
      chunk.over = zeros<V>();
      fill(chunk, chunk.lanes.fluents(program_of(chunk)));
      evaluate(chunk, i);
    }
  }

  void evaluate(GameChunk& chunk, std::size_t index) {
    BoundProgram<V>& bound = programs_[chunk.lanes.turn];
    bound.runner.run(bound.program.state_phase, chunk.lanes.values.bytes());
    chunk.ended = chunk.lanes.value(bound.program.terminal) & chunk.active();
    chunk.over |= chunk.ended;
    games_ += static_cast<std::uint64_t>(count_lanes(chunk.ended));
    if (!goals_.empty()) goals_[index]->forget();
  }

  // Makes the moves of `does`, begins games anew and evaluates the states.
  void advance(GameChunk& chunk, std::size_t index, int phase) {
    BoundProgram<V>& bound = programs_[chunk.lanes.turn];
    bound.runner.run(bound.program.move_phase, chunk.lanes.values.bytes());
    const V active = chunk.active();
    moves_ += static_cast<std::uint64_t>(count_lanes(active));
    V* fluents = chunk.lanes.fluents(bound.program);
    const V* next = chunk.lanes.next(bound.program);
    const V fresh = phase == 0 ? chunk.over & chunk.renewed : zeros<V>();
    if (any(fresh)) {
      const V kept = ~active & ~fresh;
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) {
        fluents[f] = (next[f] & active) | (fluents[f] & kept) | (initially(f) & fresh);
      }
      chunk.over &= ~fresh;
    } else {
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) fluents[f] = mux(active, next[f], fluents[f]);
    }
    chunk.lanes.turn = programs_.after(chunk.lanes.turn);
    evaluate(chunk, index);
  }

  // Draws the moves of all roles.
  void choose(GameChunk& chunk) {
    BoundProgram<V>& bound = programs_[chunk.lanes.turn];
    const V stuck = bound.choice.template choose<true>(
        chunk.lanes.legal(bound.program), chunk.lanes.does(bound.program), chunk.active(), chunk.lanes.streams);
    if (any(stuck)) throw_stuck(chunk);
  }

  // Sets the given moves, after a check that they are legal.
  void take_actions(GameChunk& chunk, std::size_t first, const std::int32_t* actions, std::size_t columns) {
    const Program& program = program_of(chunk);
    V* does = chunk.lanes.does(program);
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) std::fill_n(does + run.first, run.rows, zeros<V>());
    }
    std::ranges::fill(chunk.given, zeros<V>());
    for_each_lane(chunk.active(), [&](int lane) {
      const std::int32_t* own = actions + static_cast<std::size_t>(lane) * columns;
      for (std::size_t column = 0; column < columns; ++column) {
        const std::int32_t row = own[column];
        if (row == DRAWN) continue;
        const auto place = static_cast<std::size_t>(row);
        if (!is_legal(chunk, lane, row, columns == 1 ? ANY_ROLE : static_cast<std::int32_t>(column))) {
          throw IllegalAction(first + static_cast<std::size_t>(lane), column);
        }
        const std::int32_t run_row = set_->merged ? set_->merged->merging.merged[place] : row;
        set_lane(does[run_row], lane);
        set_lane(chunk.given[static_cast<std::size_t>(role_of_row_[place])], lane);
      }
    });
  }

  // Whether an action, which may be any number, is a legal row of a role in a lane.
  bool is_legal(const GameChunk& chunk, int lane, std::int32_t row, std::int32_t role) const {
    if (row < 0 || row >= game_.n_rows()) return false;
    const auto place = static_cast<std::size_t>(row);
    if (role != ANY_ROLE && role_of_row_[place] != role) return false;
    const Program& program = program_of(chunk);
    const V* legal = chunk.lanes.legal(program);
    if (!set_->merged) return has_lane(legal[row], lane);
    const RowMerging& merging = set_->merged->merging;
    const std::int32_t key = merging.key[place];
    return has_lane(legal[merging.merged[place]], lane) &&
           (key == NO_KEY || has_lane(chunk.lanes.fluents(program)[key], lane));
  }

  // Chooses for the roles without an action: their only move, or one that is drawn. A lane draws only if one of these
  // roles has a choice in it, so that its stream does not depend on other lanes.
  void choose_rest(GameChunk& chunk) {
    BoundProgram<V>& bound = programs_[chunk.lanes.turn];
    const Program& program = bound.program;
    const V* legal = chunk.lanes.legal(program);
    V* does = chunk.lanes.does(program);
    V drawing = zeros<V>();
    for (std::size_t role = 0; role < roles(); ++role) {
      const V open = chunk.active() & ~chunk.given[role];
      if (!any(open)) continue;
      const LegalRoles found = legal_of(chunk, role);
      if (any(open & ~found.some)) throw_stuck(chunk);
      drawing |= open & found.several;
      const V only = open & ~found.several;
      for (const RowRun& run : program.live_rows[role]) {
        for (std::int32_t row = run.first; row < run.first + run.rows; ++row) does[row] |= legal[row] & only;
      }
    }
    if (!any(drawing)) return;
    bound.choice.template choose<false>(legal, drawn_.data(), drawing, chunk.lanes.streams);
    for (std::size_t role = 0; role < roles(); ++role) {
      const V open = drawing & ~chunk.given[role];
      for (const RowRun& run : program.live_rows[role]) {
        for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
          does[row] |= drawn_[static_cast<std::size_t>(row)] & open;
        }
      }
    }
  }

  LegalRoles legal_of(const GameChunk& chunk, std::size_t role) const {
    const Program& program = program_of(chunk);
    const V* legal = chunk.lanes.legal(program);
    LegalRoles found{zeros<V>(), zeros<V>()};
    for (const RowRun& run : program.live_rows[role]) {
      for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
        found.several |= found.some & legal[row];
        found.some |= legal[row];
      }
    }
    return found;
  }

  // The lanes in which a row of the game is legal, for rows that the program may find legal and for others.
  V legal_in(const GameChunk& chunk, std::int32_t row) const {
    const Program& program = program_of(chunk);
    const V* legal = chunk.lanes.legal(program);
    if (!set_->merged) return legal[row];
    const RowMerging& merging = set_->merged->merging;
    const std::int32_t key = merging.key[static_cast<std::size_t>(row)];
    const V merged = legal[merging.merged[static_cast<std::size_t>(row)]];
    return key == NO_KEY ? merged : merged & chunk.lanes.fluents(program)[key];
  }

  // Calls visit(row, lanes) for the rows of the game behind those that are set in `rows`, in lanes of `mask`.
  template <class Visit>
  void for_each_live_row(GameChunk& chunk, const V* rows, V mask, Visit visit) const {
    const Program& program = program_of(chunk);
    if (set_->merged) {
      unmerged_[static_cast<std::size_t>(chunk.lanes.turn)].for_each(rows, chunk.lanes.fluents(program), mask, visit);
      return;
    }
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) {
        for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
          if (const V lanes = rows[row] & mask; any(lanes)) visit(row, lanes);
        }
      }
    }
  }

  void write_column(const GameChunk& chunk, V lanes, std::uint8_t* out) const {
    for (int lane = 0; lane < chunk.n; ++lane) out[static_cast<std::size_t>(lane) * roles()] = has_lane(lanes, lane);
  }

  [[noreturn]] void throw_stuck(const GameChunk& chunk) const {
    for (std::size_t role = 0; role < roles(); ++role) {
      if (any(chunk.active() & ~legal_of(chunk, role).some)) throw_no_legal_move(static_cast<int>(role));
    }
    throw std::logic_error("a role that has legal moves chose none");
  }

  const std::shared_ptr<const ProgramSet> set_;
  const Circuit& game_;
  const Circuit& circuit_;  // the one that the programs run: that of the game, or of its merged rows
  const EnvironmentOptions options_;
  BoundPrograms<V> programs_;
  std::vector<std::int32_t> role_of_row_;
  std::vector<UnmergedRows> unmerged_;  // [turn] where rows are merged
  std::vector<std::unique_ptr<GameChunk>> chunks_;
  std::vector<std::unique_ptr<GoalLanes<V>>> goals_;  // [chunk]; none where the programs tell goals themselves
  VectorArray<V> drawn_;                              // scratch: [row]
  int phase_ = 0;                                     // number of steps modulo the period
  std::uint64_t moves_ = 0;
  std::uint64_t games_ = 0;
};

// Makes environments of the least vector that has a lane for each game, or of the widest.
template <class V128, class V256, class V512>
std::unique_ptr<Environments> make_environments(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                EnvironmentOptions options) {
  const std::size_t n = options.n;
  if (n > LANES<V256>) {
    return std::make_unique<EnvironmentLanes<V512>>(circuit, std::move(programs), std::move(options));
  }
  if (n > LANES<V128>) {
    return std::make_unique<EnvironmentLanes<V256>>(circuit, std::move(programs), std::move(options));
  }
  return std::make_unique<EnvironmentLanes<V128>>(circuit, std::move(programs), std::move(options));
}

}  // namespace gdl::GDL_ISA
