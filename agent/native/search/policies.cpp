#include "search/policies.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hardware/instruction_set.hpp"
#include "search/amaf.hpp"
#include "search/grave.hpp"
#include "search/informed_selection.hpp"
#include "search/knowledge_playouts.hpp"
#include "search/nst.hpp"
#include "search/progressive_bias.hpp"
#include "search/puct.hpp"
#include "search/ucb1.hpp"

namespace gdl {
namespace {

constexpr std::uint32_t NEVER = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PlayerPolicies::PlayerPolicies(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory)
    : circuit_(circuit),
      player_(player),
      memory_(memory),
      kernels_(selection_kernels(chosen_instruction_set())),
      informed_(std::ranges::find(player.selection.informed, true) != player.selection.informed.end()),
      ranking_visits_(informed_ ? player.scoring_visits : NEVER),
      draws_by_knowledge_(player.scorer != nullptr && player.scorer->acts_in(ScoringPhase::Playout)),
      drawn_moves_(0) {
  if (player.scorer != nullptr) player.scorer->fit(memory.scorer);
  if (player.selection.exploration == ExplorationKind::Puct) {
    exploration_ = std::make_unique<Puct>(player.selection, kernels_, memory);
  } else {
    exploration_ = std::make_unique<ProgressiveBias>(player.selection, kernels_, memory);
  }
  if (player.mast_temperature > 0) mast_weights_.emplace(player.mast_temperature);
  if (draws_by_knowledge_ || player.mast_temperature > 0 || player.nst_greed > 0) drawn_moves_ = player.playout_moves;
}

// In simulations knowledge takes precedence over NST, and NST over MAST. Selection is by GRAVE where it is on, else by
// knowledge for informed roles, else by UCB1. With UCB1, NST and then MAST decide among the moves never visited.
SearchPolicies PlayerPolicies::make(Tree& tree, Work& work) const {
  SearchPolicies policies;
  const SelectionParameters& selection = player_.selection;
  const std::size_t rows = circuit_.legal.size();
  std::unique_ptr<FirstVisitPolicy> first_visit = std::make_unique<UniformFirstVisit>(kernels_);
  policies.playouts = std::make_unique<UniformPlayouts>();
  if (player_.mast_temperature > 0) {
    auto mast = std::make_unique<Mast>(rows, *mast_weights_, tree, memory_);
    first_visit = std::make_unique<CountedFirstVisit<Mast>>(*mast, kernels_, memory_);
    policies.playouts = std::make_unique<CountedPlayouts<Mast>>(*mast);
    policies.statistics.push_back(std::move(mast));
  }
  if (player_.nst_greed > 0) {
    auto nst = std::make_unique<Nst>(rows, player_, tree, memory_, work);
    first_visit = std::make_unique<CountedFirstVisit<Nst>>(*nst, kernels_, memory_);
    policies.playouts = std::make_unique<CountedPlayouts<Nst>>(*nst);
    policies.statistics.push_back(std::move(nst));
  }
  if (draws_by_knowledge_) policies.playouts = std::make_unique<KnowledgePlayouts>(*player_.scorer, memory_);
  auto ucb1 = std::make_unique<Ucb1Selection>(selection.uct_c, std::move(first_visit), kernels_, memory_);
  if (selection.grave_equivalence > 0) {
    auto amaf = std::make_unique<Amaf>(circuit_, player_, tree, work);
    policies.selection = std::make_unique<GraveSelection>(selection, *exploration_, *amaf, kernels_, memory_);
    policies.statistics.push_back(std::move(amaf));
  } else if (informed_) {
    policies.selection = std::make_unique<InformedSelection>(selection, *exploration_, std::move(ucb1));
  } else {
    policies.selection = std::move(ucb1);
  }
  return policies;
}

}  // namespace gdl
