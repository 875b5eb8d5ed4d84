// A playout of a search on its way.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/prefetch.hpp"
#include "random/draws.hpp"
#include "search/all_moves.hpp"
#include "search/joint_links.hpp"
#include "search/ngrams.hpp"

namespace gdl {

// A node it passed, and what was chosen there.
struct Step {
  std::uint32_t* sum;  // of the edge; nullptr where several roles chose
  NodeId node;
  std::uint32_t edge;  // of the chooser; where several roles chose, the place of their edges in `several`
  std::int32_t chooser;
  std::int32_t table = AllMoves::NO_TABLE;  // of the node
};

// Going down reads the first two lines of the cache.
struct alignas(CACHE_LINE) Flight {
  bool active = false;
  bool shown = false;                           // the lane shows the state where the descent stands
  int ended_at_once = 0;                        // playouts that ended in the tree, one after the other
  Link next;                                    // where the descent goes, unless it has arrived: no node then
  NodeId at = NO_NODE;                          // where the descent stands
  std::int32_t table = AllMoves::NO_TABLE;      // of the node where it stands
  std::int32_t reference = AllMoves::NO_TABLE;  // of the node that speaks for it
  Link* way = nullptr;                          // of the move chosen last; nullptr where several roles chose
  std::vector<Step> path;
  std::vector<std::uint32_t> choice;  // [n_roles] edges chosen last
  Draws draws;
  std::uint64_t hash = 0;      // of the state it is said to arrive at
  std::int64_t allowance = 0;  // nodes it may still add
  std::uint64_t start = 0;     // on the tree's clock
  std::uint64_t lane_seed = 0;
  std::int64_t draws_left = 0;         // joint moves of its playout that draw_moves() may still make
  std::vector<std::int32_t> joint;     // [n_roles] rows chosen last, once the descent has come to its end
  std::vector<std::uint32_t> several;  // [.., n_roles]
  std::vector<std::int32_t> played;    // rows of its moves beyond the tree, where they are counted
  MoveContext context;                 // of the state it is in, where n-grams are counted
  std::vector<NGrams::Made> made;      // there: the moves of the tree and those drawn beyond it

  void prefetch() const { prefetch_bytes(this, 2 * CACHE_LINE); }
};

}  // namespace gdl
