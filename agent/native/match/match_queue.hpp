// The matches that wait, the order in which they begin, and the lanes that play each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/match.hpp"
#include "search/player_spec.hpp"
#include "search/workspace.hpp"

namespace gdl {

// Returns the indices of the matches, the longest match first, as a few random playouts estimate it: with short matches
// left for the end, no lane searches on alone while the others have nothing to do. The order is the given one where
// `at_once` matches, which can be played at the same time, are all, where nobody searches, or where all begin alike.
// Uses the lanes of the engine.
std::vector<std::size_t> order_of_starts(const Circuit& circuit, LaneEngine& engine,
                                         std::span<const PlayerSpec> players, std::span<const MatchStart> starts,
                                         std::size_t at_once);

// Groups of consecutive lanes, each of which plays one match after the other.
class MatchGroups {
 public:
  // `workspaces`: [player]. Everything given must outlive the groups.
  MatchGroups(const Circuit& circuit, std::span<const PlayerSpec> players, std::span<Workspace> workspaces, int lanes,
              int group_lanes)
      : circuit_(circuit),
        players_(players),
        workspaces_(workspaces),
        group_lanes_(group_lanes),
        groups_(static_cast<std::size_t>(lanes / group_lanes)) {}

  // Matches that are to be played. They begin in `order`, which holds the indices of `starts`; what `starts` refers to
  // must last until the last of them has ended.
  void begin(std::span<const MatchStart> starts, std::vector<std::size_t> order) {
    starts_ = starts;
    order_ = std::move(order);
    started_ = 0;
    histories_.assign(starts.size(), {});
    for (LaneGroup& group : groups_) group.match.reset();
  }

  // Begins the next match that waits; returns whether there was one.
  bool start_next(int group) {
    if (started_ == starts_.size()) return false;
    const std::size_t index = order_[started_++];
    at(group) = {std::make_unique<LaneMatch>(circuit_, players_, workspaces_, starts_[index]), index};
    return true;
  }

  // Keeps the history of the group's match, which has ended.
  void end(int group) {
    histories_[at(group).index] = std::move(at(group).match->history());
    at(group).match.reset();
  }

  const std::vector<MatchHistory>& histories() const { return histories_; }  // [match]

  int size() const { return static_cast<int>(groups_.size()); }
  int group_lanes() const { return group_lanes_; }
  int group_of(int lane) const { return lane / group_lanes_; }
  int place_of(int lane) const { return lane % group_lanes_; }  // in its group
  int first_lane(int group) const { return group * group_lanes_; }
  bool plays(int group) const { return groups_[static_cast<std::size_t>(group)].match != nullptr; }
  // The match of a lane whose group plays one.
  LaneMatch& match_of(int lane) { return *at(group_of(lane)).match; }

 private:
  struct LaneGroup {
    std::unique_ptr<LaneMatch> match;
    std::size_t index = 0;  // of the match
  };

  LaneGroup& at(int group) { return groups_[static_cast<std::size_t>(group)]; }

  const Circuit& circuit_;
  std::span<const PlayerSpec> players_;
  std::span<Workspace> workspaces_;
  int group_lanes_;
  std::vector<LaneGroup> groups_;
  std::span<const MatchStart> starts_;
  std::vector<std::size_t> order_;
  std::size_t started_ = 0;
  std::vector<MatchHistory> histories_;
};

}  // namespace gdl
