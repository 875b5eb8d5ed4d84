// LaneEngine for one vector type of one instruction set. The build compiles it once for each (isa.hpp).
//
// Lanes are cut into chunks of one vector each. A chunk has its own values, one vector per slot of the program, and
// goes through a phase alone, so that the working set is that of one chunk. 64 lanes are half a vector of 128. Where
// turns are followed, a chunk runs the program of one turn at a time, in turn.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <vector>

#include "lanes/bound_program.hpp"
#include "lanes/cost_lanes.hpp"
#include "lanes/goal_lanes.hpp"
#include "lanes/lane_engine.hpp"
#include "lanes/listing.hpp"
#include "lanes/playout_run.hpp"
#include "lanes/unmerged_rows.hpp"

namespace gdl::GDL_ISA {

template <class V>
class Lanes final : public LaneEngine {
 public:
  Lanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes)
      : set_(std::move(programs)),
        circuit_(set_->circuit_run(circuit)),
        programs_(circuit_, *set_),
        lanes_(lanes),
        loaded_states_(static_cast<std::size_t>(lanes) * words()) {
    if (set_->merged) {
      for (const Program& program : set_->programs) unmerged_.emplace_back(set_->merged->merging, program);
    }
    const int n_chunks = (lanes + LANES<V> - 1) / LANES<V>;
    for (int i = 0; i < n_chunks; ++i) {
      chunks_.push_back(std::make_unique<Chunk>(*set_));
      if (set_->goals) goals_.push_back(std::make_unique<GoalLanes<V>>(*set_->goals));
    }
    const std::vector<std::uint64_t> initial = circuit.initial_state();
    for (int lane = 0; lane < lanes; ++lane) load(lane, initial.data(), static_cast<std::uint64_t>(lane));
  }

  int lanes() const override { return lanes_; }
  const char* instruction_set() const override { return INSTRUCTION_SET; }

  void load(int lane, const std::uint64_t* state, std::uint64_t seed) override {
    assert(lane >= 0 && lane < lanes_);
    assert(set_->turns.of(state));
    Chunk& chunk = chunk_of(lane);
    std::memcpy(&loaded_states_[static_cast<std::size_t>(lane) * words()], state, words() * 8);
    set_lane(chunk.loaded, lane % LANES<V>);
    chunk.streams.seed(lane % LANES<V>, seed);
  }

  void load_copies(const std::uint64_t* mask, const std::uint64_t* state) override {
    assert(set_->turns.of(state));
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const V lanes = load_mask(mask, i);
      if (!any(lanes)) continue;
      Chunk& chunk = *chunks_[i];
      chunk.loaded &= ~lanes;
      V* fluents = chunk.fluents(program_of(chunk));
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) {
        const bool holds = (state[f / 64] >> (f % 64) & 1u) != 0;
        fluents[f] = holds ? fluents[f] | lanes : fluents[f] & ~lanes;
      }
    }
  }

  void place_loaded() override {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      Chunk& chunk = *chunks_[i];
      if (!any(chunk.loaded)) continue;
      unpack_states(chunk.fluents(program_of(chunk)), circuit_.n_fluents, chunk.loaded,
                    &loaded_states_[i * LANES<V> * words()], circuit_.state_words());
      chunk.loaded = zeros<V>();
    }
  }

  void evaluate(const std::uint64_t* wanted, std::uint64_t* ready) override {
    place_loaded();
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      Chunk& chunk = *chunks_[i];
      const V lanes = take_turn(chunk, load_mask(wanted, i));
      store_mask(lanes, ready, i);
      BoundProgram<V>& bound = programs_[chunk.turn];
      bound.runner.run(bound.program.state_phase, chunk.values.bytes());
      chunk.moving = zeros<V>();
    }
    for (auto& kept : goals_) kept->forget();
    stage_ = Stage::Evaluated;
  }

  void terminal(std::uint64_t* mask) const override {
    assert(stage_ != Stage::Advanced);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      store_mask(chunks_[i]->value(program_of(*chunks_[i]).terminal), mask, i);
    }
  }

  void goals(int lane, std::int32_t* goal) const override {
    assert(stage_ != Stage::Advanced);
    for (std::int32_t role = 0; role < circuit_.n_roles; ++role) goal[role] = -1;
    const auto index = static_cast<std::size_t>(lane / LANES<V>);
    Chunk& chunk = *chunks_[index];
    const Program& program = program_of(chunk);
    GoalLanes<V>* kept = goals_.empty() ? nullptr : goals_[index].get();
    if (kept != nullptr && !any(kept->kept())) {  // the first to ask since the evaluation
      kept->keep(chunk.fluents(program), circuit_.n_fluents, ones<V>());
      kept->evaluate();
    }
    for (std::size_t g = 0; g < program.goal_literals.size(); ++g) {
      std::int32_t& value = goal[circuit_.goal_role[g]];
      const V holds = kept == nullptr ? chunk.value(program.goal_literals[g]) : kept->goal(g);
      if (value < 0 && has_lane(holds, lane % LANES<V>)) {
        value = circuit_.goal_value[g];
      }
    }
  }

  double goal_cost() const override { return set_->goal_cost / set_->step_cost; }

  void read_states(const std::uint64_t* mask, std::uint64_t* out) const override {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const V lanes = load_mask(mask, i);
      if (!any(lanes)) continue;
      pack_states(chunks_[i]->fluents(program_of(*chunks_[i])), circuit_.n_fluents, lanes, out + i * LANES<V> * words(),
                  circuit_.state_words());
    }
  }

  void read_derived(const DerivedFacts& facts, const std::uint64_t* mask, std::uint64_t* out) override {
    assert(stage_ != Stage::Advanced);
    const std::size_t first_cost = facts.cell_words() * 64, bits = first_cost + facts.n_cost_facts();
    if (derived_.size() < bits) derived_ = VectorArray<V>(bits);
    std::fill(derived_.data() + facts.n_cell_facts(), derived_.data() + bits, zeros<V>());
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const V lanes = load_mask(mask, i);
      if (!any(lanes)) continue;
      if (facts.cells != nullptr) find_playable(*facts.cells, *chunks_[i]);
      if (facts.costs != nullptr) find_costs(*facts.costs, derived_.data() + first_cost, *chunks_[i], lanes);
      pack_states(derived_.data(), static_cast<std::int32_t>(bits), lanes, out + i * LANES<V> * facts.words(),
                  static_cast<std::int32_t>(facts.words()));
    }
  }

  void list_legal(const std::uint64_t* mask, LegalLists& out) const override {
    list_anew(mask, out, [this](const Chunk& chunk) { return chunk.legal(program_of(chunk)); });
  }

  void list_preferred(const std::uint64_t* mask, std::size_t kind, LegalLists& out) const override {
    list_anew(mask, out, [this, kind](const Chunk& chunk) {
      return chunk.preferred(program_of(chunk), static_cast<std::uint32_t>(kind));
    });
  }

  void list_chosen(const std::uint64_t* mask, LegalLists& out) const override {
    if (out.rows.size() < static_cast<std::size_t>(lanes_)) out.rows.resize(static_cast<std::size_t>(lanes_));
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const V lanes = load_mask(mask, i);
      if (!any(lanes)) continue;
      list_rows_of(*chunks_[i], chunks_[i]->does(program_of(*chunks_[i])), lanes, &out.rows[i * LANES<V>]);
    }
  }

  void choose(const std::uint64_t* mask) override { choose(mask, {}); }

  void choose(const std::uint64_t* mask, std::span<const std::uint64_t* const> preferring) override {
    assert(stage_ == Stage::Evaluated);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      Chunk& chunk = *chunks_[i];
      chunk.moving = load_mask(mask, i);
      assert(!any(chunk.moving & chunk.loaded) && "a loaded lane chooses only after evaluate()");
      if (any(chunk.moving)) {
        BoundProgram<V>& bound = programs_[chunk.turn];
        const V* rows = chunk.legal(bound.program);
        for (std::uint32_t kind = 0; kind < preferring.size(); ++kind) {
          rows = rows_preferring(chunk, rows, kind, load_mask(preferring[kind], i));
        }
        bound.choice.template choose<false>(rows, chunk.does(bound.program), chunk.moving, chunk.streams);
      } else {
        forget_moves(chunk);
      }
    }
    stage_ = Stage::Chosen;
  }

  void force(int lane, std::int32_t row) override {
    begin_forcing();
    force_own(lane, row);
  }

  void force(const std::uint64_t* mask, std::int32_t row) override {
    begin_forcing();
    row = own_row(row);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      Chunk& chunk = *chunks_[i];
      const V lanes = load_mask(mask, i);
      chunk.does(program_of(chunk))[row] |= lanes;
      chunk.moving |= lanes;
    }
  }

  void force(int first, std::span<const std::int32_t> rows) override {
    begin_forcing();
    for (const std::int32_t row : rows) force_own(first++, row);
  }

  void advance() override {
    advance_chunks([this](Chunk& chunk, std::size_t) {
      const Program& program = program_of(chunk);
      V* fluents = chunk.fluents(program);
      const V* next = chunk.next(program);
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) fluents[f] = mux(chunk.moving, next[f], fluents[f]);
    });
  }

  void advance(const std::uint64_t* mask, ChangeLists& out) override {
    if (out.fluents.size() < static_cast<std::size_t>(lanes_)) out.fluents.resize(static_cast<std::size_t>(lanes_));
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      for_each_lane(load_mask(mask, i), [&](int lane) { out.fluents[i * LANES<V> + lane].clear(); });
    }
    advance_chunks([this, mask, &out](Chunk& chunk, std::size_t i) {
      const Program& program = program_of(chunk);
      V* fluents = chunk.fluents(program);
      const V* next = chunk.next(program);
      const V listed = load_mask(mask, i);
      auto* lists = &out.fluents[i * LANES<V>];
      for (std::int32_t f = 0; f < circuit_.n_fluents; ++f) {
        const V changed = (fluents[f] ^ next[f]) & chunk.moving;
        if (!any(changed)) continue;
        fluents[f] ^= changed;
        for_each_lane(changed & listed, [&](int lane) { lists[lane].push_back(f); });
      }
    });
  }

  PlayoutTotals run_playouts(double seconds, std::uint64_t playouts, std::uint64_t seed, bool (*stop)()) override {
    for (auto& chunk : chunks_) chunk->loaded = zeros<V>();
    for (auto& kept : goals_) kept->forget();
    PlayoutRun<V> run(circuit_, programs_, goals_, seed, playouts);
    PlayoutTotals totals = run.run(chunks_, lanes_, seconds, stop);
    stage_ = Stage::Advanced;
    return totals;
  }

 private:
  using Chunk = LaneChunk<V>;

  std::size_t words() const { return static_cast<std::size_t>(circuit_.state_words()); }
  Chunk& chunk_of(int lane) { return *chunks_[static_cast<std::size_t>(lane / LANES<V>)]; }
  const Chunk& chunk_of(int lane) const { return *chunks_[static_cast<std::size_t>(lane / LANES<V>)]; }

  const Program& program_of(const Chunk& chunk) const { return programs_[chunk.turn].program; }

  // Whether lanes may make a move, whose rows may be merged.
  V legal_in(const V* legal, const V* fluents, std::int32_t row) const {
    if (!set_->merged) return legal[row];
    const RowMerging& merging = set_->merged->merging;
    const std::int32_t key = merging.key[static_cast<std::size_t>(row)];
    const V merged = legal[merging.merged[static_cast<std::size_t>(row)]];
    return key == NO_KEY ? merged : merged & fluents[key];
  }

  // Finds the facts of costs in some lanes of a chunk, 64 at a time.
  void find_costs(const RelaxedCosts& costs, V* facts, Chunk& chunk, V lanes) {
    char* found = reinterpret_cast<char*>(facts);
    for (int word = 0; word < WORDS<V>; ++word) {
      if (lanes[word] == 0) continue;
      const std::size_t place = static_cast<std::size_t>(word) * 8;
      const char* fluents = reinterpret_cast<const char*>(chunk.fluents(program_of(chunk))) + place;
      costs_.find(costs, {fluents, sizeof(V)}, [&](std::size_t fact, std::uint64_t holds) {
        std::memcpy(found + fact * sizeof(V) + place, &holds, 8);
      });
    }
  }

  // Finds the facts of playable cells of all lanes of a chunk.
  void find_playable(const PlayableCells& cells, Chunk& chunk) {
    const Program& program = program_of(chunk);
    const V* legal = chunk.legal(program);
    const V* fluents = chunk.fluents(program);
    const auto roles = static_cast<std::size_t>(cells.n_roles);
    V* facts = derived_.data();
    for (std::size_t cell = 0; cell < cells.pieces.size(); ++cell, facts += cells.kinds()) {
      V filled = zeros<V>(), some = zeros<V>(), several = zeros<V>();
      for (const std::int32_t piece : cells.pieces[cell]) filled |= fluents[piece];
      for (std::size_t role = 0; role < roles; ++role) {
        V own = zeros<V>();
        for (const std::int32_t row : cells.rows[cell * roles + role]) own |= legal_in(legal, fluents, row);
        own &= ~filled;
        facts[role] = own;
        several |= some & own;
        some |= own;
      }
      if (!cells.several) continue;
      for (std::size_t role = 0; role < roles; ++role) facts[role] &= ~several;
      facts[roles] = several;
    }
  }

  // Appends the rows of the game that stand behind the rows of the program that are set in `rows`.
  void list_rows_of(Chunk& chunk, const V* rows, V lanes, std::vector<std::int32_t>* lists) const {
    const Program& program = program_of(chunk);
    if (set_->merged) {
      unmerged_[static_cast<std::size_t>(chunk.turn)].list(rows, chunk.fluents(program), lanes, lists);
      return;
    }
    if (count_lanes(lanes) >= LaneWords<V>::LEAST) return list_rows_of_many(rows, program.live_rows, lanes, lists);
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) list_rows(rows, run, lanes, lists);
    }
  }

  // Lists rows of the lanes of `mask`; `rows_in(chunk)` are the vectors of the rows.
  template <class RowsIn>
  void list_anew(const std::uint64_t* mask, LegalLists& out, RowsIn rows_in) const {
    assert(stage_ != Stage::Advanced);
    if (out.rows.size() < static_cast<std::size_t>(lanes_)) out.rows.resize(static_cast<std::size_t>(lanes_));
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const V lanes = load_mask(mask, i);
      if (!any(lanes)) continue;
      auto* lists = &out.rows[i * LANES<V>];
      for_each_lane(lanes, [&](int lane) { lists[lane].clear(); });
      list_rows_of(*chunks_[i], rows_in(*chunks_[i]), lanes, lists);
    }
  }

  // The rows that lanes choose from: the preferred ones of a kind in the lanes of `preferring`, `rows` in others.
  const V* rows_preferring(const Chunk& chunk, const V* rows, std::uint32_t kind, V preferring) {
    const Program& program = program_of(chunk);
    if (!any(preferring & chunk.moving)) return rows;
    const V* preferred = chunk.preferred(program, kind);
    if (!any(chunk.moving & ~preferring)) return preferred;
    if (mixed_rows_.size() == 0) mixed_rows_ = VectorArray<V>(static_cast<std::size_t>(circuit_.n_rows()));
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) {
        for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
          mixed_rows_[static_cast<std::size_t>(row)] = mux(preferring, preferred[row], rows[row]);
        }
      }
    }
    return mixed_rows_.data();
  }

  // Runs phase B where a lane moves, then `take(chunk, index)`, which takes the next states.
  template <class Take>
  void advance_chunks(Take take) {
    assert(stage_ != Stage::Advanced);
    if (stage_ == Stage::Chosen) {
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        Chunk& chunk = *chunks_[i];
        if (!any(chunk.moving)) continue;
        BoundProgram<V>& bound = programs_[chunk.turn];
        bound.runner.run(bound.program.move_phase, chunk.values.bytes());
        take(chunk, i);
      }
    }
    stage_ = Stage::Advanced;
  }

  // Goes on to the next turn that a wanted lane is in and returns the lanes of that turn.
  V take_turn(Chunk& chunk, V wanted) const {
    for (int tries = 0; tries < programs_.count(); ++tries) {
      chunk.turn = programs_.after(chunk.turn);
      const V lanes = programs_.lanes_in(chunk, chunk.turn);
      if (any(lanes & wanted)) return lanes;
    }
    return programs_.lanes_in(chunk, chunk.turn);
  }

  // The row of the programs for a row of the game.
  std::int32_t own_row(std::int32_t row) const {
    if (set_->merged) row = set_->merged->merging.merged[static_cast<std::size_t>(row)];
    assert(row >= 0 && row < circuit_.n_rows());
    return row;
  }

  void begin_forcing() {
    assert(stage_ != Stage::Advanced);
    if (stage_ == Stage::Chosen) return;
    for (auto& chunk : chunks_) forget_moves(*chunk);
    stage_ = Stage::Chosen;
  }

  void force_own(int lane, std::int32_t row) {
    assert(lane >= 0 && lane < lanes_);
    Chunk& chunk = chunk_of(lane);
    set_lane(chunk.does(program_of(chunk))[own_row(row)], lane % LANES<V>);
    set_lane(chunk.moving, lane % LANES<V>);
  }

  void forget_moves(Chunk& chunk) {
    const Program& program = program_of(chunk);
    V* does = chunk.does(program);
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) std::fill_n(does + run.first, run.rows, zeros<V>());
    }
  }

  std::size_t mask_bytes() const { return static_cast<std::size_t>(lanes_ < LANES<V> ? lanes_ : LANES<V>) / 8; }
  V load_mask(const std::uint64_t* mask, std::size_t chunk) const {
    V lanes = zeros<V>();
    std::memcpy(&lanes, mask + chunk * WORDS<V>, mask_bytes());
    return lanes;
  }
  void store_mask(V lanes, std::uint64_t* mask, std::size_t chunk) const {
    std::memcpy(mask + chunk * WORDS<V>, &lanes, mask_bytes());
  }

  enum class Stage { Advanced, Evaluated, Chosen };

  const std::shared_ptr<const ProgramSet> set_;
  const Circuit& circuit_;  // the one that the programs run: that of the game, or of its merged rows
  BoundPrograms<V> programs_;
  int lanes_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<UnmergedRows> unmerged_;        // [turn] where rows are merged
  GoalChunks<V> goals_;                       // [chunk]; none where the programs tell goals themselves
  std::vector<std::uint64_t> loaded_states_;  // [lane, word]
  VectorArray<V> mixed_rows_{0};              // scratch: [row]
  VectorArray<V> derived_{0};                 // scratch: [bit of packed derived facts]
  CostLanes costs_;                           // scratch
  Stage stage_ = Stage::Advanced;
};

// Makes lanes of the widest vector that they fill.
template <class V128, class V256, class V512>
std::unique_ptr<LaneEngine> make_lanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes) {
  if (lanes % LANES<V512> == 0) return std::make_unique<Lanes<V512>>(circuit, std::move(programs), lanes);
  if (lanes % LANES<V256> == 0) return std::make_unique<Lanes<V256>>(circuit, std::move(programs), lanes);
  return std::make_unique<Lanes<V128>>(circuit, std::move(programs), lanes);
}

}  // namespace gdl::GDL_ISA
