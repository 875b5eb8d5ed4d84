// A playout in flight: the tasks of its lane, its path down the tree, and the data it needs to go on.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/prefetch.hpp"
#include "random/draws.hpp"
#include "search/tree.hpp"

namespace gdl {

// The next task of a lane for the match and the search that own it.
enum class LaneTask : std::uint8_t {
  // Steps of a playout (uct.hpp). A lane must show state() before it does a task that begins with Load.
  Select,  // call select() again soon; the node that it reads next is on its way from memory
  Expand,  // make the move joint(), then report the state with expand()
  LoadAndExpand,
  Open,  // report the legal moves with open()
  LoadAndOpen,
  ValueMoves,  // find the states that the moves of state() lead to, then report them with value_moves()
  Simulate,    // play to the end of the match, then report the goals with back_up()
  LoadAndSimulate,
  // Tasks of the match (match.hpp).
  ShowPosition,     // show state(), then report it with place()
  AdvancePosition,  // show state(), make the move joint(), then report the state with place()
  // The lane has nothing to do.
  Wait,  // call resume() at the next step
  Rest,  // wait to be woken by resume(); the budget is used up, but other lanes of the search are not done
  Done,  // the search or the match is over
};

// A node on the path and the moves chosen there.
struct PathStep {
  std::uint32_t* sum;  // payoffs of the edge; nullptr where several roles chose
  NodeId node;
  std::uint32_t edge;    // edge of the chooser; where several roles chose, the place of their edges in `several`
  std::int32_t chooser;  // role, or SEVERAL_CHOOSERS
};

// Selection reads the first two cache lines.
struct alignas(CACHE_LINE) Flight {
  bool active = false;
  bool shown = false;       // the lane shows the state of `at`
  int ended_at_once = 0;    // playouts that ended in the tree, one after the other
  Link next;                // link that selection follows; no node once it has arrived
  NodeId at = NO_NODE;      // node at which selection stands
  std::int32_t number = 0;  // number of this flight in its search
  Link* way = nullptr;      // link of the move chosen last; nullptr where several roles chose
  std::vector<PathStep> path;
  std::vector<std::uint32_t> choice;  // [n_roles] edges chosen last
  Draws draws;
  std::uint64_t hash = 0;      // of the state that the move out of the tree led to
  std::int64_t allowance = 0;  // nodes that the playout may still add
  std::uint64_t start = 0;     // time on the clock of the tree
  std::uint64_t lane_seed = 0;
  bool valued = false;                 // whether `values` hold what the new node is worth
  std::vector<double> values;          // [n_roles] 0..100
  std::vector<std::int32_t> mixed;     // [n_roles] goals that the playout counts with
  std::vector<std::int32_t> others;    // [n_roles] rows that the roles that do not choose have at `at`
  std::int64_t draws_left = 0;         // joint moves of the simulation that the search may still draw
  std::vector<std::int32_t> joint;     // [n_roles] rows chosen last, once selection has left the tree
  std::vector<std::uint32_t> several;  // [.., n_roles] edges of the nodes where several roles chose

  void prefetch() const { prefetch_bytes(this, 2 * CACHE_LINE); }
};

// Calls use(role, edge) for every move that counts as chosen in a step: the move of the chooser, or the moves of all
// roles where several chose.
template <typename Use>
void for_each_choice(const Flight& flight, const PathStep& step, const Use& use) {
  if (step.sum != nullptr) return use(step.chooser, step.edge);
  for (std::size_t role = 0; role < flight.choice.size(); ++role) {
    use(static_cast<std::int32_t>(role), flight.several[step.edge + role]);
  }
}

}  // namespace gdl
