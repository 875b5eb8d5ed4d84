// The steps of a search whose player has learned values of states.
#include "search/uct.hpp"

namespace gdl {

LaneTask UctSearch::value_state(Flight& flight, const std::uint64_t* state, double now) {
  workspace_.work.add(Operation::Value);
  workspace_.leaves.value_state(state, flight.values);
  return take_values(flight, now);
}

PositionMoves UctSearch::valued_position(int number, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  const std::int32_t chooser = tree_.node(flight.at).chooser;
  for (int role = 0; role < circuit_.n_roles; ++role) {
    flight.others[static_cast<std::size_t>(role)] = rows_of_role(circuit_, role, rows)[0];
  }
  return {tree_.state(flight.at), flight.others, chooser, rows_of_role(circuit_, chooser, rows)};
}

// The node is worth what its best move is. At the root the playout goes on.
LaneTask UctSearch::value_moves(int number, const Afterstates& found, std::size_t position,
                                std::span<const std::int32_t> rows, double now) {
  Flight& flight = flights_[number];
  const auto own = rows_of_role(circuit_, tree_.node(flight.at).chooser, rows);
  workspace_.work.add(Operation::Value, static_cast<std::int64_t>(own.size()));
  workspace_.leaves.value_moves(tree_, flight.at, own, found, position, solves_ ? &workspace_.solver : nullptr,
                                flight.values);
  if (tree_.node(flight.at).kind != NodeKind::Solved) {
    return flight.at == root_ ? go_on(flight, now) : take_values(flight, now);
  }
  workspace_.solver.back_up(tree_, flight.path, flight.at);
  return back_up(number, tree_.goals(flight.at).data(), now);
}

// Goes on with the values of a new node: a playout adds to them, or they are all that there is.
LaneTask UctSearch::take_values(Flight& flight, double now) {
  flight.valued = true;
  return leaf_use_->simulates ? LaneTask::Simulate : back_up(flight.number, nullptr, now);
}

}  // namespace gdl
