// What a search has found: the best move of a node, and the line of best moves from the root.
#include "search/search.hpp"

namespace gdl {

std::uint32_t Search::best_edge(NodeId id, int role) const {
  const Edges edges = tree_.edges(id);
  const Proof& proof = workspace_.proof;
  std::uint32_t best = edges.role_start[role];
  for (std::uint32_t edge = best + 1; edge < edges.role_start[role + 1]; ++edge) {
    const int verdicts = proof.verdict(tree_, id, role, edge) - proof.verdict(tree_, id, role, best);
    if (verdicts != 0) {
      if (verdicts > 0) best = edge;
    } else if (edges.visits[edge] != edges.visits[best]) {
      if (edges.visits[edge] > edges.visits[best]) best = edge;
    } else if (edges.sums[edge] != edges.sums[best]) {
      if (edges.sums[edge] > edges.sums[best]) best = edge;
    } else if (edges.rows[edge] < edges.rows[best]) {
      best = edge;
    }
  }
  return best;
}

std::vector<std::int32_t> Search::principal_line(int role, std::int32_t first, std::size_t longest) const {
  std::vector<std::int32_t> line;
  std::vector<std::uint32_t> choice(static_cast<std::size_t>(circuit_.n_roles));
  NodeId at = root_;
  for (std::size_t move = 0; move < longest && at != NO_NODE; ++move) {
    const Node& node = tree_.node(at);
    if (node.kind != NodeKind::Open && node.kind != NodeKind::Solved) break;
    if (node.visits == 0) break;
    const Edges edges = tree_.edges(at);
    for (int each = 0; each < circuit_.n_roles; ++each) {
      std::uint32_t best = best_edge(at, each);
      if (move == 0 && each == role) {
        best = edges.role_start[role];
        while (best < edges.role_start[role + 1] && edges.rows[best] != first) ++best;
        if (best == edges.role_start[role + 1]) return {};
      }
      choice[static_cast<std::size_t>(each)] = best;
      line.push_back(edges.rows[best]);
    }
    at = tree_.child(at, choice.data());
  }
  return line;
}

}  // namespace gdl
