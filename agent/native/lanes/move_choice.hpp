// Chooses the moves of all roles for the lanes of one vector: which roles share a draw, and in which order the steps of
// choose.hpp and draw.hpp are taken.
#pragma once

#include <algorithm>
#include <vector>

#include "lanes/draw.hpp"
#include "lanes/vector_array.hpp"
#include "program/program.hpp"

namespace gdl::GDL_ISA {

template <class V>
class MoveChoice {
 public:
  MoveChoice(const Circuit& circuit, const Program& program) : group_counts_(0) {
    std::int64_t product = 0;
    std::size_t groups = 0;
    for (std::int32_t role = 0; role < circuit.n_roles; ++role) {
      const auto index = static_cast<std::size_t>(role);
      const std::int32_t rows = circuit.move_start[index + 1] - circuit.move_start[index];
      // The draw that serves a role depends on the game alone, not on the program.
      if (rows > 1) {
        product *= rows;
        if (product == 0 || product > SHARED_DRAW_PRODUCT) {
          draws_.emplace_back();
          product = rows;
        }
      }
      Role live{{}, 0, {}};
      for (const RowRun& run : program.live_rows[index]) {
        live.runs.push_back({run, groups * GROUP_BITS});
        live.rows += run.rows;
        groups += static_cast<std::size_t>(groups_of(run.rows));
      }
      if (live.rows == 1) {
        single_rows_.push_back(live.runs[0].rows.first);
      } else if (live.rows > 1) {
        draws_.back().push_back(std::move(live));
      } else {
        has_idle_role_ = true;
      }
    }
    group_counts_ = VectorArray<V>(groups * GROUP_BITS);
  }

  // Chooses for the lanes of `lanes`. Only their streams move on, or with AllStreams all of them, which is faster where
  // the streams of other lanes do not matter. Returns the lanes in which some role has no legal row to choose.
  template <bool AllStreams>
  V choose(const V* legal, V* does, V lanes, LaneStreams<V>& streams) {
    V stuck = has_idle_role_ ? lanes : zeros<V>();
    for (const std::int32_t row : single_rows_) {
      does[row] = legal[row] & lanes;
      stuck |= lanes & ~legal[row];
    }
    if (draws_.empty()) return stuck;
    const ElementMask<V> mask(lanes);
    for (std::vector<Role>& roles : draws_) {
      for (Role& role : roles) {
        role.count.bits = bits_for(role.rows);
        for (int i = 0; i < role.count.bits; ++i) role.count.plane[i] = zeros<V>();
        for (const GroupedRun& run : role.runs) {
          count_rows(legal + run.rows.first, run.rows.rows, &group_counts_[run.group_counts], role.count);
        }
      }
      const auto draw = [&](int v) {
        if constexpr (AllStreams) return streams.draw(v);
        return streams.draw_masked(v, mask.vector(v));
      };
      if (roles.empty()) {
        skip_draw(draw);
      } else if (one_role_has_a_choice(roles, lanes)) {
        draw_jointly(roles, lanes, draw);
      } else {
        draw_in_turn(roles, lanes, draw);
      }
      for (Role& role : roles) {
        V left = lanes;
        for (const GroupedRun& run : role.runs) {
          pick_rows(legal + run.rows.first, run.rows.rows, &group_counts_[run.group_counts], left, role.count,
                    does + run.rows.first);
        }
        stuck |= left;
      }
    }
    return stuck;
  }

 private:
  struct GroupedRun {
    RowRun rows;
    std::size_t group_counts;  // place in group_counts_
  };

  struct Role {
    std::vector<GroupedRun> runs;
    std::int32_t rows;     // of all runs together
    CountPlanes<V> count;  // number of legal rows, later k
  };

  // Uses up the draw of roles without a choice.
  template <class Draw>
  static void skip_draw(Draw draw) {
    for (int v = 0; v < LaneStreams<V>::VECTORS; ++v) draw(v);
  }

  static V has_choice(const CountPlanes<V>& count) {
    V two = zeros<V>();
    for (int i = 1; i < count.bits; ++i) two |= count.plane[i];
    return two;
  }

  // Whether no lane has two roles with two or more legal moves, as in games where roles take turns.
  static bool one_role_has_a_choice(const std::vector<Role>& roles, V lanes) {
    V seen = zeros<V>(), twice = zeros<V>();
    for (const Role& role : roles) {
      const V two = has_choice(role.count);
      twice |= seen & two;
      seen |= two;
    }
    return !any(twice & lanes);
  }

  // Draws once below the count of the one role that has a choice. The result is that of draw_in_turn(), because the
  // counts of the others, which are one, leave the draw as it is.
  template <class Draw>
  void draw_jointly(std::vector<Role>& roles, V lanes, Draw draw) {
    CountPlanes<V> joint{{}, 1};
    V choosing[MAX_ROLES_PER_DRAW];
    for (std::size_t r = 0; r < roles.size(); ++r) {
      const CountPlanes<V>& count = roles[r].count;
      choosing[r] = has_choice(count) & lanes;
      for (int i = joint.bits; i < count.bits; ++i) joint.plane[i] = zeros<V>();
      joint.bits = std::max(joint.bits, count.bits);
      for (int i = 0; i < count.bits; ++i) joint.plane[i] |= count.plane[i] & choosing[r];
    }
    to_bytes(joint, used_planes(joint, lanes), bytes_);
    scale_counts<Residual::Discard>(bytes_, draw, residual_);
    to_planes(bytes_, joint);
    for (std::size_t r = 0; r < roles.size(); ++r) {
      CountPlanes<V>& k = roles[r].count;
      k.bits = used_planes(k, lanes);
      for (int i = 0; i < std::max(k.bits, GROUP_K_BITS); ++i) k.plane[i] = joint.plane[i] & choosing[r];
    }
  }

  // Takes every role's k from what the roles before it have left of the draw.
  template <class Draw>
  void draw_in_turn(std::vector<Role>& roles, V lanes, Draw draw) {
    const auto left = [&](int v) { return residual_[v]; };
    for (std::size_t r = 0; r < roles.size(); ++r) {
      CountPlanes<V>& count = roles[r].count;
      V none = count.plane[0];
      for (int i = 1; i < count.bits; ++i) none |= count.plane[i];
      count.plane[0] |= ~none;  // a role without a move uses up nothing of the draw
      count.bits = used_planes(count, lanes);
      to_bytes(count, count.bits, bytes_);
      if (roles.size() == 1) {
        scale_counts<Residual::Discard>(bytes_, draw, residual_);
      } else if (r == 0) {
        scale_counts<Residual::Keep>(bytes_, draw, residual_);
      } else {
        scale_counts<Residual::Keep>(bytes_, left, residual_);
      }
      to_planes(bytes_, count);
    }
  }

  static constexpr std::size_t MAX_ROLES_PER_DRAW = 20;  // two rows each: 2^20 = SHARED_DRAW_PRODUCT

  bool has_idle_role_ = false;  // whether a role has no row that may be legal
  std::vector<std::int32_t> single_rows_;
  std::vector<std::vector<Role>> draws_;
  VectorArray<V> group_counts_;
  LaneBytes<V> bytes_;
  V32<V> residual_[LaneStreams<V>::VECTORS];
};

}  // namespace gdl::GDL_ISA
