#include "search/policies.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hardware/instruction_set.hpp"
#include "search/informed_selection.hpp"
#include "search/progressive_bias.hpp"
#include "search/puct.hpp"
#include "search/ucb1.hpp"

namespace gdl {
namespace {

constexpr std::uint32_t NEVER = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PlayerPolicies::PlayerPolicies(const PlayerSpec& player, SearchMemory& memory) {
  const SelectionParameters& selection = player.selection;
  const SelectionKernels& kernels = selection_kernels(chosen_instruction_set());
  if (player.scorer != nullptr) player.scorer->fit(memory.scorer);
  auto ucb1 = std::make_unique<Ucb1Selection>(selection, kernels, memory);
  const bool informed = std::ranges::find(selection.informed, true) != selection.informed.end();
  ranking_visits_ = informed ? player.scoring_visits : NEVER;
  if (informed) {
    if (selection.exploration == ExplorationKind::Puct) {
      exploration_ = std::make_unique<Puct>(selection, kernels, memory);
    } else {
      exploration_ = std::make_unique<ProgressiveBias>(selection, kernels, memory);
    }
    selection_ = std::make_unique<InformedSelection>(selection, *exploration_, std::move(ucb1));
  } else {
    selection_ = std::move(ucb1);
  }
  if (player.scorer != nullptr && player.scorer->acts_in(ScoringPhase::Playout)) {
    playouts_.emplace(*player.scorer, player.opponent_knowledge, memory);
    drawn_moves_ = player.playout_moves;
  }
}

}  // namespace gdl
