#include "puzzle/probes.hpp"

#include <algorithm>
#include <utility>

namespace gdl {
namespace {

constexpr std::size_t PROBES = 64;
constexpr std::size_t LONGEST = 4096;  // moves of a probe

}  // namespace

Probes::Probes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs)
    : expander_(circuit, std::move(programs)), probes_(PROBES) {}

void Probes::begin(std::span<const std::uint64_t> root, std::uint64_t seed) {
  root_.assign(root.begin(), root.end());
  draws_ = Draws(seed);
  best_ = {};
  states_ = 0;
  stuck_ = false;
  for (Probe& probe : probes_) restart(probe);
}

void Probes::restart(Probe& probe) {
  probe.state = root_;
  probe.made.clear();
  probe.fewest = draws_.below(2) == 0;
}

void Probes::step(const std::function<bool()>&) {
  states_of_probes_.clear();
  for (const Probe& probe : probes_) states_of_probes_.push_back(probe.state.data());
  std::span<const Successor> rest = expander_.expand(states_of_probes_);
  states_of_step_ = static_cast<std::int64_t>(rest.size());
  states_ += states_of_step_;
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const auto end = std::ranges::find_if(rest, [i](const Successor& each) { return each.from != i; });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    stuck_ = stuck_ || (count == 0 && probes_[i].made.empty());
    move(probes_[i], rest.first(count));
    rest = rest.subspan(count);
  }
}

void Probes::move(Probe& probe, std::span<const Successor> successors) {
  const Successor* chosen = nullptr;
  std::uint64_t equals = 0;
  for (const Successor& successor : successors) {
    if (successor.terminal) {
      Line line{std::max(successor.goal, 0), probe.made};
      line.rows.push_back(successor.row);
      if (line.better_than(best_)) best_ = std::move(line);
      continue;
    }
    if (successor.moves == 0) continue;
    const std::int32_t lead = chosen == nullptr ? 1
                              : probe.fewest    ? chosen->moves - successor.moves
                                                : successor.moves - chosen->moves;
    if (lead < 0) continue;
    equals = lead > 0 ? 1 : equals + 1;
    if (lead > 0 || draws_.below(equals) == 0) chosen = &successor;
  }
  if (chosen == nullptr || probe.made.size() == LONGEST) {
    restart(probe);
    return;
  }
  probe.made.push_back(chosen->row);
  probe.state.assign(chosen->state, chosen->state + probe.state.size());
}

}  // namespace gdl
