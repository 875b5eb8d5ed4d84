#include "search/root_result.hpp"

#include <algorithm>

#include "random/draws.hpp"

namespace gdl {

std::vector<RootMove> RootResult::moves(int role) const {
  const Edges edges = tree_.edges(root_);
  std::vector<RootMove> moves;
  for (std::uint32_t edge = edges.role_start[role]; edge < edges.role_start[role + 1]; ++edge) {
    moves.push_back(
        {edges.rows[edge], edges.visits[edge], edges.sums[edge], solver_.verdict(tree_, root_, role, edge)});
  }
  std::ranges::sort(moves, {}, &RootMove::row);
  return moves;
}

bool RootResult::several_choose(int chance_role) const {
  const Edges edges = tree_.edges(root_);
  int choosers = 0;
  for (int role = 0; role < static_cast<int>(tree_.n_roles()); ++role) {
    choosers += role != chance_role && edges.role_start[role + 1] - edges.role_start[role] > 1;
  }
  return choosers > 1;
}

std::int32_t RootResult::drawn_row(int role, double share, std::uint64_t seed) const {
  if (share >= 1) return best_row(role);
  std::vector<RootMove> drawn = moves(role);
  const std::uint32_t most = std::ranges::max(drawn, {}, &RootMove::visits).visits;
  if (most == 0) return best_row(role);
  std::erase_if(drawn, [=](const RootMove& move) { return move.visits < share * most; });
  std::uint64_t total = 0;
  for (const RootMove& move : drawn) total += move.visits;
  std::uint64_t place = Draws(seed).below(total);
  auto move = drawn.begin();
  for (; place >= move->visits; ++move) place -= move->visits;
  return move->row;
}

std::uint32_t RootResult::best_edge(NodeId id, int role) const {
  const Edges edges = tree_.edges(id);
  std::uint32_t best = edges.role_start[role];
  for (std::uint32_t edge = best + 1; edge < edges.role_start[role + 1]; ++edge) {
    const int verdicts = solver_.verdict(tree_, id, role, edge) - solver_.verdict(tree_, id, role, best);
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

std::vector<std::int32_t> RootResult::principal_line(int role, std::int32_t first, std::size_t longest) const {
  std::vector<std::int32_t> line;
  std::vector<std::uint32_t> choice(tree_.n_roles());
  NodeId at = root_;
  for (std::size_t move = 0; move < longest && at != NO_NODE; ++move) {
    const Node& node = tree_.node(at);
    if (node.kind != NodeKind::Open && node.kind != NodeKind::Solved) break;
    if (node.visits == 0) break;
    const Edges edges = tree_.edges(at);
    for (int each = 0; each < static_cast<int>(choice.size()); ++each) {
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
