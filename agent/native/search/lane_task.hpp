// What a lane must do next for the match and the search that own it.
#pragma once

#include <cstdint>

namespace gdl {

enum class LaneTask : std::uint8_t {
  LoadAndMove,  // show state(), make the move joint(), report with arrive()
  LoadAndList,  // show state(), report its legal moves with list()
  LoadAndPlay,  // show state(), play on to the end, report with finish()
  Move,         // make the move joint() in the state it shows, report with arrive()
  List,         // report the legal moves of the state it shows with list()
  Play,         // play on to the end from the state it shows, report with finish()
  Show,         // show state(), report it with place()
  Advance,      // show state(), make the move joint(), report with place()
  Descend,      // nothing; ask again with descend(), soon: what it reads next is on its way from memory
  Wait,         // nothing; ask again with resume() at the next step
  Rest,         // nothing, until woken by resume(): the budget is used up, other lanes of the search are not done
  Done,         // nothing; the search or the match is over
};

}  // namespace gdl
