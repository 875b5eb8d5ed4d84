#include "compiler/circuit_layout.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "compiler/components.hpp"

namespace gdl {

namespace {

constexpr std::uint8_t UNSET = 2;

// Gates in the order of evaluation, gates of the state first.
struct Schedule {
  std::vector<std::uint32_t> gates;  // nodes
  std::size_t n_state_gates = 0;
  std::vector<Loop> loops;  // runs of places in `gates`
};

class Scheduling {
 public:
  Scheduling(const Nodes& nodes, const Roots& roots, Pace& pace);

  Schedule run();

 private:
  struct PhaseGates {
    std::vector<std::uint32_t> gates;
    std::vector<Loop> loops;
  };

  std::span<const Literal> inputs(std::uint32_t node) const {
    return nodes_.is_gate(node) ? nodes_.gate(node) : std::span<const Literal>();
  }
  void place(std::span<const std::uint32_t> component);

  const Nodes& nodes_;
  const Roots& roots_;
  Pace& pace_;
  std::vector<std::uint8_t> reads_moves_;  // [node]
  PhaseGates phases_[2];
};

Scheduling::Scheduling(const Nodes& nodes, const Roots& roots, Pace& pace)
    : nodes_(nodes), roots_(roots), pace_(pace), reads_moves_(nodes.n_nodes(), 0) {
  for (std::uint32_t node = 0; node < nodes.n_nodes(); ++node) reads_moves_[node] = nodes.is_set(node);
}

Schedule Scheduling::run() {
  std::vector<std::uint32_t> asked;
  for (const Literal literal : roots_.literals()) asked.push_back(slot_of(literal));
  for_each_component(
      nodes_.n_nodes(), asked, [this](std::uint32_t node) { return static_cast<std::uint32_t>(inputs(node).size()); },
      [this](std::uint32_t node, std::uint32_t edge) { return slot_of(nodes_.gate(node)[edge]); },
      [this](std::span<const std::uint32_t> component) { place(component); });
  const auto of_state = [this](Literal literal) { return reads_moves_[slot_of(literal)] == 0; };
  if (!std::all_of(roots_.legal.begin(), roots_.legal.end(), of_state) || !of_state(roots_.terminal) ||
      !std::all_of(roots_.goals.begin(), roots_.goals.end(), of_state) ||
      !std::all_of(roots_.preferred.begin(), roots_.preferred.end(), of_state)) {
    throw MovesInState("legal, terminal or goal depends on the moves of the step");
  }
  Schedule schedule{std::move(phases_[0].gates), 0, std::move(phases_[0].loops)};
  schedule.n_state_gates = schedule.gates.size();
  const auto shift = static_cast<std::uint32_t>(schedule.n_state_gates);
  schedule.gates.insert(schedule.gates.end(), phases_[1].gates.begin(), phases_[1].gates.end());
  for (const Loop loop : phases_[1].loops) schedule.loops.push_back({loop.first + shift, loop.last + shift});
  return schedule;
}

void Scheduling::place(std::span<const std::uint32_t> component) {
  pace_.step();
  if (!nodes_.is_gate(component.front())) return;
  bool later = false;
  bool loops = component.size() > 1;
  for (const std::uint32_t node : component) {
    for (const Literal literal : inputs(node)) {
      later = later || reads_moves_[slot_of(literal)] != 0;
      loops = loops || slot_of(literal) == node;
    }
  }
  PhaseGates& phase = phases_[later];
  const auto first = static_cast<std::uint32_t>(phase.gates.size());
  for (const std::uint32_t node : component) {
    reads_moves_[node] = later;
    phase.gates.push_back(node);
  }
  if (loops) phase.loops.push_back({first, static_cast<std::uint32_t>(phase.gates.size())});
}

// The value of every gate in the least element of its loop, from which iteration reaches the least fixpoint.
// Placeholders say how they start. Every other gate of the loop grows or shrinks with them, never both, since no cycle
// passes a negation; it starts at 0 or 1 accordingly.
std::vector<std::uint8_t> least_values(const Nodes& nodes, const Schedule& schedule) {
  struct Reader {
    std::uint32_t place;
    std::uint8_t complement;
  };
  std::vector<std::uint8_t> values(schedule.gates.size(), 0);
  std::vector<std::uint32_t> place_of(schedule.loops.empty() ? 0 : nodes.n_nodes(),
                                      std::numeric_limits<std::uint32_t>::max());
  for (const Loop loop : schedule.loops) {
    const auto gates = std::span(schedule.gates).subspan(loop.first, loop.last - loop.first);
    for (std::uint32_t place = 0; place < gates.size(); ++place) place_of[gates[place]] = place;
    std::vector<std::vector<Reader>> readers(gates.size());
    std::vector<std::uint8_t> least(gates.size(), UNSET);
    std::vector<std::uint32_t> pending;
    for (std::uint32_t place = 0; place < gates.size(); ++place) {
      for (const Literal literal : nodes.gate(gates[place])) {
        const std::uint32_t input = place_of[slot_of(literal)];
        if (input < gates.size() && gates[input] == slot_of(literal) && !nodes.is_placeholder(gates[place])) {
          readers[input].push_back({place, static_cast<std::uint8_t>(literal & 1u)});
        }
      }
      if (!nodes.is_placeholder(gates[place])) continue;
      least[place] = nodes.starts_true(gates[place]);
      pending.push_back(place);
    }
    while (!pending.empty()) {
      const std::uint32_t place = pending.back();
      pending.pop_back();
      for (const Reader reader : readers[place]) {
        const std::uint8_t value = least[place] ^ reader.complement;
        if (least[reader.place] == UNSET) {
          least[reader.place] = value;
          pending.push_back(reader.place);
        } else if (least[reader.place] != value) {
          throw std::invalid_argument("a loop of gates is not monotone");
        }
      }
    }
    std::ranges::copy(least, values.begin() + loop.first);
  }
  return values;
}

// Gives slots to nodes: the constant, fluents, move sets that something reads, gates in their order.
class Placing {
 public:
  Placing(const Nodes& nodes, const Roots& roots, const Schedule& schedule);

  Circuit run();

 private:
  void place_sets();
  void place_gates();
  Literal placed(Literal literal) const { return replaced(literal, literal_of(slot_[slot_of(literal)])); }

  const Nodes& nodes_;
  const Roots& roots_;
  const Schedule& schedule_;
  Circuit circuit_;
  std::vector<std::uint32_t> slot_;  // [node]
  std::uint32_t n_slots_ = 0;
};

Placing::Placing(const Nodes& nodes, const Roots& roots, const Schedule& schedule)
    : nodes_(nodes), roots_(roots), schedule_(schedule), slot_(nodes.n_nodes(), 0) {}

Circuit Placing::run() {
  circuit_.n_fluents = static_cast<std::int32_t>(nodes_.n_fluents());
  circuit_.move_start = nodes_.move_start();
  circuit_.n_roles = static_cast<std::int32_t>(circuit_.move_start.size()) - 1;
  for (; n_slots_ <= nodes_.n_fluents(); ++n_slots_) slot_[n_slots_] = n_slots_;
  place_sets();
  place_gates();
  circuit_.loops = schedule_.loops;
  circuit_.loop_initial = least_values(nodes_, schedule_);
  Roots roots = renamed(roots_, [this](Literal literal) { return placed(literal); });
  circuit_.legal = std::move(roots.legal);
  circuit_.terminal = roots.terminal;
  circuit_.goal_literal = std::move(roots.goals);
  circuit_.next = std::move(roots.next);
  circuit_.preferred = std::move(roots.preferred);
  return std::move(circuit_);
}

void Placing::place_sets() {
  std::vector<std::uint8_t> used(nodes_.n_nodes(), 0);
  for (const std::uint32_t gate : schedule_.gates) {
    for (const Literal literal : nodes_.gate(gate)) used[slot_of(literal)] = 1;
  }
  for (const Literal literal : roots_.literals()) used[slot_of(literal)] = 1;
  for (std::uint32_t node = 0; node < nodes_.n_nodes(); ++node) {
    if (!nodes_.is_set(node) || used[node] == 0) continue;
    slot_[node] = n_slots_++;
    circuit_.sets.append(nodes_.rows(node));
  }
}

void Placing::place_gates() {
  for (const std::uint32_t gate : schedule_.gates) slot_[gate] = n_slots_++;
  std::vector<Literal> literals;
  for (const std::uint32_t gate : schedule_.gates) {
    literals.clear();
    for (const Literal literal : nodes_.gate(gate)) literals.push_back(placed(literal));
    std::ranges::sort(literals);
    circuit_.gates.append(literals);
  }
  circuit_.n_state_gates = schedule_.n_state_gates;
}

}  // namespace

Circuit lay_out(const Nodes& nodes, const Roots& roots, Pace& pace) {
  const Schedule schedule = Scheduling(nodes, roots, pace).run();
  return Placing(nodes, roots, schedule).run();
}

Circuit lay_out_like(const Circuit& circuit, const Nodes& nodes, const Roots& roots) {
  Pace pace;
  Circuit result = lay_out(nodes, roots, pace);
  result.goal_role = circuit.goal_role;
  result.goal_value = circuit.goal_value;
  result.initial = circuit.initial;
  return result;
}

}  // namespace gdl
