#include "search/solver.hpp"

#include <algorithm>

namespace gdl {

Solver::Solver(const Circuit& circuit) : most_(circuit.largest_goals()), least_(most_.size(), 100) {
  for (std::size_t goal = 0; goal < circuit.goal_role.size(); ++goal) {
    const auto role = static_cast<std::size_t>(circuit.goal_role[goal]);
    least_[role] = std::min(least_[role], circuit.goal_value[goal]);
  }
}

void Solver::back_up(Tree& tree, std::span<const PathStep> path, NodeId at) const {
  const std::int32_t* goals = tree.goals(at).data();
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    if (!prove(tree, step->node, step->edge, goals)) return;
    goals = tree.goals(step->node).data();
  }
}

bool Solver::prove(Tree& tree, NodeId id, std::uint32_t edge, const std::int32_t* goals) const {
  Node& node = tree.node(id);
  if (node.chooser == SEVERAL_CHOOSERS) return false;
  if (node.kind == NodeKind::Solved) return true;
  if (!node.some_proven) tree.begin_proofs(id);
  const auto role = static_cast<std::size_t>(node.chooser);
  const Edges edges = tree.edges(id);
  if (edges.proven[edge] >= 0) return false;
  edges.proven[edge] = static_cast<std::int8_t>(goals[role]);
  const bool first = (*edges.n_proven)++ == 0;
  if (first || goals[role] > edges.outcome[role]) std::copy_n(goals, most_.size(), edges.outcome);
  const std::uint32_t moves = edges.role_start[role + 1] - edges.role_start[role];
  if (*edges.n_proven < moves && goals[role] < most_[role]) return false;
  node.kind = NodeKind::Solved;
  return true;
}

int Solver::verdict(const Tree& tree, NodeId id, int role, std::uint32_t edge) const {
  const Edges edges = tree.edges(id);
  const auto owner = static_cast<std::size_t>(role);
  if (edges.proven == nullptr || edges.proven[edge] < 0) return 0;
  if (tree.node(id).kind == NodeKind::Solved && edges.proven[edge] == edges.outcome[owner]) return 1;
  return edges.proven[edge] <= least_[owner] ? -1 : 0;
}

}  // namespace gdl
