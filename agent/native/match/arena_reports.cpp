// What lanes show, told to their matches, and the descents that follow.
#include <algorithm>
#include <span>

#include "match/arena.hpp"
#include "match/lane_mask.hpp"

namespace gdl {
namespace {

// Lanes whose searches go on together: enough for memory to answer one while the others have their turn, few enough for
// what they read to stay in the nearest caches.
constexpr std::size_t WAVE = 64;
// Descents whose search is fetched from farther caches into the nearest before their turn.
constexpr std::size_t AHEAD = 4;

}  // namespace

// Roles the rules give no goal get 0.
void Arena::read_goals() {
  for_each_lane(terminal_, [this](int lane) {
    std::int32_t* goals = goals_.data() + lane * circuit_.n_roles;
    engine_.goals(lane, goals);
    for (int role = 0; role < circuit_.n_roles; ++role) goals[role] = std::max(goals[role], 0);
  });
}

void Arena::finish_playouts() {
  for (std::size_t word = 0; word < terminal_.size(); ++word) asked_[word] = ended_.playouts[word] & terminal_[word];
  for (std::size_t word = 0; word < terminal_.size(); ++word) ended_.playouts[word] &= ~terminal_[word];
  for_each_wave(asked_, [this](std::span<const int> wave) {
    for (const int lane : wave) match_of(lane).prefetch();
    for (int round = 0; round < Match::BACK_UP_ROUNDS; ++round) {
      for (const int lane : wave) match_of(lane).prefetch_back_up(place_of(lane), round);
    }
    report_all(wave, [this](int lane) {
      if (counts_moves_) match_of(lane).note_simulation(place_of(lane), played_.rows[lane]);
      return match_of(lane).back_up(place_of(lane), goals_of(lane), progress_.seconds);
    });
  });
  for_each_lane(now_.waiting, [this](int lane) {
    if (groups_[group_of(lane)].match) deliver(lane, match_of(lane).resume(place_of(lane), progress_.seconds));
  });
}

template <typename Call>
void Arena::for_each_wave(const Mask& lanes, const Call& call) {
  reporting_.clear();
  for_each_lane(lanes, [this](int lane) { reporting_.push_back(lane); });
  for (std::span<const int> rest = reporting_; !rest.empty();) {
    const std::span<const int> wave = rest.first(std::min(rest.size(), WAVE));
    call(wave);
    rest = rest.subspan(wave.size());
  }
}

template <typename Report>
void Arena::report_all(std::span<const int> lanes, const Report& report) {
  descending_.clear();
  for (const int lane : lanes) {
    const LaneTask task = report(lane);
    if (task == LaneTask::Select && group_size_ == 1) {
      descending_.push_back({match_of(lane).selection(0), lane});
    } else {
      deliver(lane, task);
    }
  }
  while (!descending_.empty()) {
    std::size_t left = 0;
    for (std::size_t place = 0; place < descending_.size(); ++place) {
      if (place + AHEAD < descending_.size()) descending_[place + AHEAD].selection.prefetch();
      const auto [selection, lane] = descending_[place];
      const LaneTask task = selection.go_on(progress_.seconds);
      if (task == LaneTask::Select) {
        descending_[left++] = descending_[place];
      } else {
        deliver(lane, match_of(lane).pursue(0, task, progress_.seconds));
      }
    }
    descending_.erase(descending_.begin() + static_cast<std::ptrdiff_t>(left), descending_.end());
  }
}

void Arena::report_arrivals() {
  for (std::size_t word = 0; word < asked_.size(); ++word) {
    asked_[word] = now_.arriving[word] | (draws_by_knowledge_ ? now_.drawing[word] : 0);
    placing_[word] = 0;
  }
  if (!any(asked_)) return;
  clock_.end(SearchStage::Tree);
  engine_.read_states(asked_.data(), states_.data());
  clock_.end(SearchStage::Read);
  for_each_lane(now_.arriving, [this](int lane) {
    if (lanes_[lane].placing) include(placing_, lane);
  });
  for (std::size_t word = 0; word < asked_.size(); ++word) {
    now_.arriving[word] &= ~placing_[word];
    asked_[word] = placing_[word] & terminal_[word];
    placing_[word] &= ~terminal_[word];
  }
  for_each_wave(now_.arriving, [this](std::span<const int> wave) {
    for (const int lane : wave) match_of(lane).look_up(place_of(lane), state_of(lane));
    for (const int lane : wave) match_of(lane).prefetch_found(place_of(lane));
    report_all(wave, [this](int lane) {
      const std::int32_t* goals = holds(terminal_, lane) ? goals_of(lane) : nullptr;
      return match_of(lane).expand(place_of(lane), state_of(lane), goals, progress_.seconds);
    });
  });
  for_each_lane(asked_, [this](int lane) {
    deliver(lane, match_of(lane).place(place_of(lane), state_of(lane), goals_of(lane), {}, progress_.seconds));
  });
}

void Arena::report_lists() {
  for (std::size_t word = 0; word < asked_.size(); ++word) {
    asked_[word] = now_.listing[word] | now_.drawing[word] | placing_[word];
  }
  if (!any(asked_)) return;
  clock_.end(SearchStage::Tree);
  engine_.list_legal(asked_.data(), lists_);
  clock_.end(SearchStage::List);
  for_each_wave(now_.listing, [this](std::span<const int> wave) {
    report_all(wave,
               [this](int lane) { return match_of(lane).open(place_of(lane), lists_.rows[lane], progress_.seconds); });
  });
  for_each_lane(placing_, [this](int lane) {
    deliver(lane, match_of(lane).place(place_of(lane), state_of(lane), nullptr, lists_.rows[lane], progress_.seconds));
  });
}

}  // namespace gdl
