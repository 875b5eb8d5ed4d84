// The next task of a lane for the match and the search that own it.
#pragma once

#include <cstdint>

namespace gdl {

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

}  // namespace gdl
