#include "search/nst.hpp"

#include <algorithm>
#include <cmath>

namespace gdl {
namespace {

constexpr std::uint64_t DRAWS = 1 << 20;

}  // namespace

Nst::Nst(std::size_t rows, const PlayerSpec& player, const Tree& tree, SearchMemory& memory, Work& work)
    : tree_(tree),
      memory_(memory),
      work_(work),
      table_(rows, player.limits),
      threshold_(static_cast<std::uint64_t>(std::llround(player.nst_greed * static_cast<double>(DRAWS)))),
      playouts_(static_cast<std::size_t>(player.in_flight)) {}

void Nst::begin_search(std::span<const std::int32_t> last_rows) {
  table_.fade();
  root_context_ = {};
  if (!last_rows.empty()) root_context_.follow(last_rows);
}

void Nst::begin_playout(const Flight& flight) {
  of(flight).context = root_context_;
  of(flight).made.clear();
}

// The moves of the roles that chose count, and the context moves on by the joint move.
void Nst::note_selection(const Flight& flight) {
  NstPlayout& playout = of(flight);
  const PathStep& step = flight.path.back();
  const std::int32_t* rows = tree_.edges(step.node).rows;
  for_each_choice(flight, step, [&](std::int32_t role, std::uint32_t edge) {
    playout.made.push_back(NGramTable::made(playout.context, rows[edge], role));
  });
  auto& joint = memory_.rows;
  joint.clear();
  for (const std::uint32_t edge : flight.choice) joint.push_back(rows[edge]);
  playout.context.follow(joint);
}

void Nst::note_draw(const Flight& flight, std::span<const std::int32_t> roles) {
  NstPlayout& playout = of(flight);
  for (const std::int32_t role : roles) {
    const std::int32_t row = flight.joint[static_cast<std::size_t>(role)];
    playout.made.push_back(NGramTable::made(playout.context, row, role));
  }
  playout.context.follow(flight.joint);
}

void Nst::back_up(const Flight& flight, const std::int32_t* goals) { table_.add(of(flight).made, goals, work_); }

std::size_t Nst::draw(Flight& flight, std::span<const std::int32_t> rows) {
  if (flight.draws.below(DRAWS) >= threshold_) return static_cast<std::size_t>(flight.draws.below(rows.size()));
  auto& estimates = memory_.estimates;
  table_.estimate(rows, of(flight).context, estimates, work_);
  double best = -1;
  std::uint64_t alike = 0;
  for (const NGramTable::NGramEstimate& each : estimates) {
    alike = each.mean() > best ? 1 : alike + (each.mean() == best);
    best = std::max(best, each.mean());
  }
  std::uint64_t skip = flight.draws.below(alike);
  std::size_t place = 0;
  while (estimates[place].mean() != best || skip-- > 0) ++place;
  return place;
}

}  // namespace gdl
