#include "circuit/possible_values.hpp"

#include <cstddef>
#include <utility>

namespace gdl {
namespace {

// Sets only grow, each at most twice. A slot whose set has grown tells this to its readers.
class Simulation {
 public:
  explicit Simulation(const Circuit& circuit)
      : circuit_(circuit),
        values_(circuit.n_slots(), 0),
        lacking_(circuit.gates.size()),
        legal_(circuit.legal.size(), 0),
        gates_of_(circuit.n_slots()),
        fluents_of_(circuit.n_slots()),
        rows_of_(circuit.n_slots()),
        sets_of_(circuit.legal.size()) {
    for (std::size_t gate = 0; gate < circuit.gates.size(); ++gate) {
      lacking_[gate] = circuit.gates[gate].size();
      for (const Literal literal : circuit.gates[gate]) add(gates_of_, literal, gate);
    }
    for (std::size_t fluent = 0; fluent < circuit.next.size(); ++fluent) {
      add(fluents_of_, circuit.next[fluent], fluent);
    }
    for (std::size_t row = 0; row < circuit.legal.size(); ++row) add(rows_of_, circuit.legal[row], row);
    for (std::size_t set = 0; set < circuit.sets.size(); ++set) {
      for (const std::int32_t row : circuit.sets[set]) {
        sets_of_[static_cast<std::size_t>(row)].push_back(circuit.set_slot(set));
      }
    }
  }

  PossibleValues run() && {
    begin();
    while (!grown_.empty()) {
      const auto [slot, fresh] = grown_.back();
      grown_.pop_back();
      tell_readers(slot, fresh);
    }
    const auto first = values_.begin() + circuit_.fluent_slot(0);
    return {{first, first + circuit_.n_fluents}, std::move(legal_)};
  }

 private:
  // A gate, a fluent or a row that reads a slot, or its complement.
  struct SlotReader {
    std::uint32_t number;
    bool complemented;
  };
  using Readers = std::vector<std::vector<SlotReader>>;  // [slot]

  static void add(Readers& readers, Literal literal, std::size_t number) {
    readers[slot_of(literal)].push_back({static_cast<std::uint32_t>(number), is_complemented(literal)});
  }

  // A loop computes its gates again and again from their initial values, so these are possible, too.
  void begin() {
    grow(0, MAY_BE_TRUE);
    for (std::size_t fluent = 0; fluent < circuit_.initial.size(); ++fluent) {
      grow(circuit_.fluent_slot(fluent), circuit_.initial[fluent] != 0 ? MAY_BE_TRUE : MAY_BE_FALSE);
    }
    for (std::size_t set = 0; set < circuit_.sets.size(); ++set) grow(circuit_.set_slot(set), MAY_BE_FALSE);
    const std::vector<std::uint8_t> in_loop = circuit_.gates_in_loops();
    for (std::size_t gate = 0; gate < circuit_.gates.size(); ++gate) {
      if (in_loop[gate] == 0) continue;
      grow(circuit_.gate_slot(gate), circuit_.loop_initial[gate] != 0 ? MAY_BE_TRUE : MAY_BE_FALSE);
    }
  }

  void grow(std::uint32_t slot, std::uint8_t value) {
    if ((values_[slot] & value) != 0) return;
    values_[slot] |= value;
    grown_.emplace_back(slot, value);
  }

  void tell_readers(std::uint32_t slot, std::uint8_t fresh) {
    for (const SlotReader gate : gates_of_[slot]) {
      const std::uint8_t value = read(gate, fresh);
      if (value == MAY_BE_FALSE || --lacking_[gate.number] == 0) grow(circuit_.gate_slot(gate.number), value);
    }
    for (const SlotReader fluent : fluents_of_[slot]) grow(circuit_.fluent_slot(fluent.number), read(fluent, fresh));
    for (const SlotReader row : rows_of_[slot]) {
      if (read(row, fresh) == MAY_BE_FALSE) continue;
      legal_[row.number] = 1;
      for (const std::uint32_t set : sets_of_[row.number]) grow(set, MAY_BE_TRUE);
    }
  }

  static std::uint8_t read(SlotReader reader, std::uint8_t value) {
    return reader.complemented ? MAY_BE_FALSE + MAY_BE_TRUE - value : value;
  }

  const Circuit& circuit_;
  std::vector<std::uint8_t> values_;                           // [slot] set of values
  std::vector<std::size_t> lacking_;                           // [gate] literals that may not be true yet
  std::vector<std::uint8_t> legal_;                            // [row] whether it may be legal
  Readers gates_of_;                                           // gates that read a slot
  Readers fluents_of_;                                         // fluents whose next value is that of a slot
  Readers rows_of_;                                            // rows whose legality is that of a slot
  std::vector<std::vector<std::uint32_t>> sets_of_;            // [row] slots of the sets that have it
  std::vector<std::pair<std::uint32_t, std::uint8_t>> grown_;  // slot and new value that readers do not know yet
};

}  // namespace

PossibleValues possible_values(const Circuit& circuit) { return Simulation(circuit).run(); }

}  // namespace gdl
