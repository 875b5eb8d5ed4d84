// What lanes are told to do: tasks of matches carried out, matches begun and ended.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "match/arena.hpp"
#include "match/lane_mask.hpp"

namespace gdl {

LaneTask Arena::descended(int lane, LaneTask task) {
  while (task == LaneTask::Select) task = match_of(lane).select(place_of(lane), progress_.seconds);
  return task;
}

void Arena::deliver(int lane, LaneTask task) {
  apply(lane, descended(lane, task));
  const Group& group = groups_[group_of(lane)];
  const int first = lane - place_of(lane);
  while (group.match && group.match->take_wake()) {
    for (int other = first; other < first + group_size_; ++other) {
      if (!std::exchange(lanes_[other].resting, false)) continue;
      apply(other, descended(other, group.match->resume(place_of(other), progress_.seconds)));
    }
  }
}

void Arena::apply(int lane, LaneTask task) {
  switch (task) {
    case LaneTask::LoadAndExpand:
    case LaneTask::AdvancePosition:
      progress_.moves += task == LaneTask::AdvancePosition;
      load(lane, task == LaneTask::AdvancePosition);
      take_joint(lane);
      include(next_.moving, lane);
      break;
    case LaneTask::LoadAndOpen:
      load(lane, false);
      include(next_.listing, lane);
      break;
    case LaneTask::LoadAndSimulate:
      lanes_[lane].playing_since = progress_.steps;
      played_.rows[lane].clear();
      load(lane, false);
      include(match_of(lane).draws_next(place_of(lane)) ? next_.drawing : next_.playing, lane);
      break;
    case LaneTask::ShowPosition:
      load(lane, true);
      include(next_.arriving, lane);
      break;
    case LaneTask::Expand:
      take_joint(lane);
      include(now_.moving, lane);
      break;
    case LaneTask::Open:
      include(now_.listing, lane);
      break;
    case LaneTask::Simulate:
      lanes_[lane].playing_since = progress_.steps;
      played_.rows[lane].clear();
      include(match_of(lane).draws_next(place_of(lane)) ? now_.drawing : now_.playing, lane);
      break;
    case LaneTask::Select:
      throw std::logic_error("a descent is to be followed to its end");
    case LaneTask::Wait:
      include(next_.waiting, lane);
      break;
    case LaneTask::Rest:
      lanes_[lane].resting = true;
      break;
    case LaneTask::Done:
      lanes_[lane].resting = true;
      end_match(group_of(lane));
      break;
  }
}

void Arena::load(int lane, bool placing) {
  const Match& match = match_of(lane);
  lanes_[lane].placing = placing;
  engine_.load(lane, match.state(place_of(lane)), match.lane_seed(place_of(lane)));
}

void Arena::take_joint(int lane) {
  const std::vector<std::int32_t>& joint = match_of(lane).joint(place_of(lane));
  std::copy(joint.begin(), joint.end(), joints_.begin() + lane * circuit_.n_roles);
}

void Arena::start_match(int group) {
  if (started_ == starts_.size()) return;
  groups_[group].index = order_[started_++];
  groups_[group].match = std::make_unique<Match>(circuit_, players_, workspaces_, starts_[groups_[group].index]);
  const int first = group * group_size_;
  for (int lane = first; lane < first + group_size_; ++lane) lanes_[lane].resting = lane > first;
  apply(first, LaneTask::ShowPosition);
}

void Arena::end_match(int group) {
  histories_[groups_[group].index] = std::move(groups_[group].match->history());
  groups_[group].match.reset();
  ++progress_.matches;
  start_match(group);
}

}  // namespace gdl
