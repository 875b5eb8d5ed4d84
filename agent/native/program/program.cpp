#include "program/program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "program/netlist.hpp"
#include "program/run_order.hpp"

namespace gdl {

namespace {

// Assigns slots to gates. Free slots are a stack: the one freed last, which is still in the cache, is taken first.
class SlotAssignment {
 public:
  SlotAssignment(const Netlist& netlist, std::uint32_t first_free)
      : netlist_(netlist), slot_(netlist.n_nodes()), last_use_(netlist.n_nodes(), 0), n_slots_(first_free) {
    for (std::uint32_t node = 0; node < netlist.n_nodes(); ++node) slot_[node] = netlist.bound_slot(node);
  }

  // Call it for blocks in the order in which they run. A loop counts as one moment, so that no slot that it reads or
  // writes is reused inside.
  void note_uses(const Netlist::Block& block) {
    for (const std::uint32_t node : block.gates) {
      if (!block.is_loop) ++moment_;
      for (const std::uint32_t operand : netlist_.operands(node)) last_use_[operand] = moment_;
      last_use_[node] = std::max(last_use_[node], moment_);
    }
    ++moment_;
  }
  void note_use_now(Literal literal) { last_use_[slot_of(literal)] = std::max(last_use_[slot_of(literal)], moment_); }
  void begin_assignment() { moment_ = 0; }

  void assign(const Netlist::Block& block) {
    for (const std::uint32_t node : block.gates) {
      if (!block.is_loop) ++moment_;
      free_operands(node, block.is_loop);
      if (slot_[node] == Netlist::NO_SLOT) take_slot(node);
    }
    if (block.is_loop) {
      for (const std::uint32_t node : block.gates) {
        free_operands(node, false);
        free_if_past(node);
      }
    }
    ++moment_;
  }

  std::uint32_t slot(std::uint32_t node) const { return slot_[node]; }
  std::uint32_t n_slots() const { return n_slots_; }

 private:
  void free_operands(std::uint32_t node, bool keep) {
    if (keep) return;
    for (const std::uint32_t operand : netlist_.operands(node)) free_if_past(operand);
  }
  void free_if_past(std::uint32_t node) {
    if (netlist_.is_gate(node) && netlist_.bound_slot(node) == Netlist::NO_SLOT && last_use_[node] == moment_) {
      free_.push_back(slot_[node]);
      last_use_[node] = std::numeric_limits<std::uint64_t>::max();
    }
  }
  void take_slot(std::uint32_t node) {
    if (free_.empty()) {
      slot_[node] = n_slots_++;
    } else {
      slot_[node] = free_.back();
      free_.pop_back();
    }
  }

  const Netlist& netlist_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint64_t> last_use_;
  std::vector<std::uint32_t> free_;
  std::uint32_t n_slots_;
  std::uint64_t moment_ = 0;
};

class Emitter {
 public:
  Emitter(const Netlist& netlist, const SlotAssignment& slots, Program& program)
      : netlist_(netlist), slots_(slots), program_(program) {}

  void emit(const Netlist::Block& block, std::vector<Segment>& phase) {
    if (block.gates.empty()) return;
    Segment segment{program_.runs.size(), 0, {}};
    for (const std::uint32_t node : block.gates) {
      const Shape& shape = netlist_.shape(node);
      if (program_.runs.size() == segment.first_run || program_.runs.back().shape != shape) {
        program_.runs.push_back({shape, 0, program_.code.size()});
      }
      ++program_.runs.back().gates;
      program_.code.push_back(slots_.slot(node));
      for (const std::uint32_t operand : netlist_.operands(node)) program_.code.push_back(slots_.slot(operand));
      if (block.is_loop) {
        segment.loop_gates.push_back({slots_.slot(node), netlist_.loop_initial(node) != netlist_.inverted(node)});
      }
    }
    segment.last_run = program_.runs.size();
    phase.push_back(std::move(segment));
  }

 private:
  const Netlist& netlist_;
  const SlotAssignment& slots_;
  Program& program_;
};

std::vector<Netlist::Block> ordered(const Netlist& netlist, const std::vector<Netlist::Block>& blocks) {
  std::vector<Netlist::Block> result;
  for (const Netlist::Block& block : blocks) {
    result.push_back(block.is_loop ? block : Netlist::Block{order_into_runs(netlist, block.gates), false});
  }
  return result;
}

constexpr std::int32_t LARGEST_GAP = 8;  // dead rows between live ones that are not worth a new run

std::vector<RowRun> live_runs(const Circuit& circuit, std::int32_t first, std::int32_t last) {
  std::vector<RowRun> runs;
  for (std::int32_t row = first; row < last; ++row) {
    if (circuit.legal[static_cast<std::size_t>(row)] == FALSE_LITERAL) continue;
    if (!runs.empty() && row - (runs.back().first + runs.back().rows) <= LARGEST_GAP) {
      runs.back().rows = row + 1 - runs.back().first;
    } else {
      runs.push_back({row, 1});
    }
  }
  return runs;
}

}  // namespace

Program compile_program(const Circuit& circuit, std::uint32_t first_slot) {
  Program program;
  const auto n_fluents = static_cast<std::uint32_t>(circuit.n_fluents);
  const auto n_rows = static_cast<std::uint32_t>(circuit.n_rows());
  program.next_slot = first_slot;
  program.legal_slot = program.next_slot + n_fluents;
  program.does_slot = program.legal_slot + n_rows;
  const auto n_preferred = static_cast<std::uint32_t>(circuit.preferred.size());
  program.preferred_slot = program.does_slot + n_rows;
  program.n_preferences = n_rows == 0 ? 0 : n_preferred / n_rows;
  program.true_slots.push_back(0);
  for (std::int32_t role = 0; role < circuit.n_roles; ++role) {
    const auto* rows = circuit.move_start.data() + role;
    program.live_rows.push_back(live_runs(circuit, rows[0], rows[1]));
  }
  const Netlist netlist(circuit, program);
  const auto state_blocks = ordered(netlist, netlist.state_blocks());
  const auto move_blocks = ordered(netlist, netlist.move_blocks());

  SlotAssignment slots(netlist, program.does_slot + n_rows + n_preferred);
  for (const auto& block : state_blocks) slots.note_uses(block);
  slots.note_use_now(netlist.terminal());
  for (const Literal goal : netlist.goals()) slots.note_use_now(goal);
  for (const auto& block : move_blocks) slots.note_uses(block);
  slots.begin_assignment();
  for (const auto& block : state_blocks) slots.assign(block);
  for (const auto& block : move_blocks) slots.assign(block);
  program.n_slots = slots.n_slots();
  if (program.n_slots >= (1u << 26)) throw std::invalid_argument("the circuit has too many gates for lanes");

  Emitter emitter(netlist, slots, program);
  for (const auto& block : state_blocks) emitter.emit(block, program.state_phase);
  for (const auto& block : move_blocks) emitter.emit(block, program.move_phase);
  const auto stored = [&](Literal literal) {
    return negated_if(netlist.reads_complement(literal), literal_of(slots.slot(slot_of(literal))));
  };
  program.terminal = stored(netlist.terminal());
  for (const Literal goal : netlist.goals()) program.goal_literals.push_back(stored(goal));
  return program;
}

void throw_endless_loop() {
  throw std::runtime_error("a loop of the circuit does not settle: its gates are not monotone");
}

}  // namespace gdl
