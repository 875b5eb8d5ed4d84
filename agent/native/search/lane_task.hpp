// What a lane must do next for the match and the search that own it.
#pragma once

#include <cstdint>

namespace gdl {

enum class LaneTask : std::uint8_t {
  // The steps of a playout (uct.hpp). Load…: the lane must show state() first.
  Select,           // nothing; call select() again, soon: what it reads next is on its way from memory
  Expand,           // make the move joint(), report the state that it leads to with expand()
  LoadAndExpand,    //
  Open,             // report the legal moves of the state it shows with open()
  LoadAndOpen,      //
  Simulate,         // play on to the end from the state it shows, report its goals with back_up()
  LoadAndSimulate,  //
  // Of the match (match.hpp).
  ShowPosition,     // show state(), report it with place()
  AdvancePosition,  // show state(), make the move joint(), report the state that it leads to with place()
  // Nothing to do.
  Wait,  // call resume() at the next step
  Rest,  // until woken by resume(): the budget is used up, other lanes of the search are not done
  Done,  // the search or the match is over
};

}  // namespace gdl
