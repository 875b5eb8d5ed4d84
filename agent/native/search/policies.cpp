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
  selection_ = make_selection(std::make_unique<UniformFirstVisit>(kernels_));
  if (draws_by_knowledge_) {
    playouts_ = std::make_shared<KnowledgePlayouts>(*player.scorer, player.opponent_knowledge, memory);
  } else {
    playouts_ = std::make_shared<UniformPlayouts>();
  }
}

std::shared_ptr<SelectionPolicy> PlayerPolicies::make_selection(std::unique_ptr<FirstVisitPolicy> first_visit) const {
  const SelectionParameters& selection = player_.selection;
  auto ucb1 = std::make_unique<Ucb1Selection>(selection, std::move(first_visit), kernels_, memory_);
  if (!informed_) return ucb1;
  return std::make_shared<InformedSelection>(selection, *exploration_, std::move(ucb1));
}

// In simulations knowledge takes precedence over NST, and NST over MAST. Selection is by GRAVE where it is on, else by
// knowledge for informed roles, else by UCB1. With UCB1, NST and then MAST decide among the moves never visited.
SearchPolicies PlayerPolicies::make(Tree& tree, Work& work) const {
  SearchPolicies policies{.selection = selection_, .statistics = {}, .playouts = playouts_};
  const std::size_t rows = circuit_.legal.size();
  const auto decide_by = [&]<typename Counted>(std::unique_ptr<Counted> counted) {
    policies.selection = make_selection(std::make_unique<CountedFirstVisit<Counted>>(*counted, kernels_, memory_));
    if (!draws_by_knowledge_) policies.playouts = std::make_shared<CountedPlayouts<Counted>>(*counted);
    policies.statistics.push_back(std::move(counted));
  };
  if (player_.mast_temperature > 0) decide_by(std::make_unique<Mast>(rows, *mast_weights_, tree, memory_));
  if (player_.nst_greed > 0) decide_by(std::make_unique<Nst>(rows, player_, tree, memory_, work));
  if (player_.selection.grave_equivalence > 0) {
    auto amaf = std::make_unique<Amaf>(circuit_, player_, tree, work);
    policies.selection = std::make_shared<GraveSelection>(player_.selection, *exploration_, *amaf, kernels_, memory_);
    policies.statistics.push_back(std::move(amaf));
  }
  return policies;
}

}  // namespace gdl
