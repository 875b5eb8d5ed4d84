// Chooses the gates that become products inside their only reader; their values need neither be stored nor loaded
// again.
#include <algorithm>
#include <map>

#include "program/netlist.hpp"

namespace gdl {

namespace {

constexpr int MIN_PRODUCT_LITERALS = 2;

bool is_kernel_product(Product product) {
  const int literals = product.positive + product.negative;
  return literals >= MIN_PRODUCT_LITERALS && literals <= MAX_PRODUCT_LITERALS;
}

}  // namespace

// A candidate is read once, complemented, by a gate of its own block that is not a candidate itself.
void Netlist::find_product_candidates() {
  std::vector<std::uint32_t> readers(n_nodes(), 0);
  const auto note = [&](Literal literal) { ++readers[slot_of(literal)]; };
  for (const auto* blocks : {&state_blocks_, &move_blocks_}) {
    for (const Block& block : *blocks) {
      for (const std::uint32_t node : block.gates) std::ranges::for_each(literals_[node], note);
    }
  }
  note(terminal_);
  std::ranges::for_each(goals_, note);
  candidate_.assign(n_nodes(), 0);
  loop_gate_.assign(n_nodes(), 0);
  std::vector<const Block*> block_of(n_nodes(), nullptr);
  for (const auto* blocks : {&state_blocks_, &move_blocks_}) {
    for (const Block& block : *blocks) {
      for (const std::uint32_t node : block.gates) {
        block_of[node] = &block;
        loop_gate_[node] = block.is_loop;
      }
    }
  }
  for (const auto* blocks : {&state_blocks_, &move_blocks_}) {
    for (const Block& block : *blocks) {
      if (block.is_loop) continue;
      for (auto node = block.gates.rbegin(); node != block.gates.rend(); ++node) {
        if (candidate_[*node]) continue;
        for (const Literal literal : literals_[*node]) {
          const std::uint32_t operand = slot_of(literal);
          candidate_[operand] = is_complemented(literal) && is_gate(operand) && readers[operand] == 1 &&
                                slot_[operand] == NO_SLOT && block_of[operand] == &block;
        }
      }
    }
  }
}

// Settles every gate, operands before readers. Products leave their block.
void Netlist::choose_products() {
  is_product_.assign(n_nodes(), 0);
  shape_.resize(n_nodes());
  operands_.resize(n_nodes());
  for (auto* blocks : {&state_blocks_, &move_blocks_}) {
    for (Block& block : *blocks) {
      for (const std::uint32_t node : block.gates) {
        if (block.is_loop) continue;
        if (!candidate_[node]) take_products(node);
      }
      if (block.is_loop) {
        for (const std::uint32_t node : block.gates) settle(node, {}, {});
      }
      std::erase_if(block.gates, [&](std::uint32_t node) { return is_product_[node] != 0; });
    }
  }
}

// Takes the candidates of the two kinds that most candidates have; the others become gates of their own.
void Netlist::take_products(std::uint32_t node) {
  std::map<Product, std::vector<std::uint32_t>> kinds;
  for (const Literal literal : literals_[node]) {
    const std::uint32_t operand = slot_of(literal);
    if (!candidate_[operand]) continue;
    if (is_kernel_product(product(operand))) {
      kinds[product(operand)].push_back(operand);
    } else {
      settle(operand, {}, {});
    }
  }
  while (kinds.size() > 2) {
    const auto rarest = std::ranges::min_element(kinds, {}, [](const auto& kind) { return kind.second.size(); });
    for (const std::uint32_t operand : rarest->second) settle(operand, {}, {});
    kinds.erase(rarest);
  }
  for (const auto& [kind, nodes] : kinds) {
    for (const std::uint32_t operand : nodes) is_product_[operand] = 1;
  }
  const auto nodes_of = [&](std::size_t i) {
    return i < kinds.size() ? std::span<const std::uint32_t>(std::next(kinds.begin(), static_cast<int>(i))->second)
                            : std::span<const std::uint32_t>();
  };
  settle(node, nodes_of(0), nodes_of(1));
}

// Fixes the shape and the operands of a gate. A gate without positive operands becomes an OR if its complement is
// stored: that is cheaper, and its readers need no complement.
void Netlist::settle(std::uint32_t node, std::span<const std::uint32_t> first, std::span<const std::uint32_t> second) {
  Shape& shape = shape_[node];
  Product own;
  append_operands(node, operands_[node], own);
  shape.positive = own.positive;
  shape.negative = own.negative;
  shape.n_first = static_cast<int>(first.size());
  shape.n_second = static_cast<int>(second.size());
  for (const std::uint32_t product : first) append_operands(product, operands_[node], shape.first = {});
  for (const std::uint32_t product : second) append_operands(product, operands_[node], shape.second = {});
  const bool free_choice = slot_[node] == NO_SLOT && !loop_gate_[node];
  if (free_choice) inverted_[node] = shape.positive == 0;
  shape.inverted = inverted(node);
}

// Appends the nodes that a gate reads, except its products; the ones that it reads as they are stored come first.
void Netlist::append_operands(std::uint32_t node, std::vector<std::uint32_t>& out, Product& count) const {
  for (const bool complement : {false, true}) {
    for (const Literal literal : literals_[node]) {
      const std::uint32_t operand = slot_of(literal);
      if (reads_complement(literal) != complement || is_product_[operand]) continue;
      out.push_back(operand);
      ++(complement ? count.negative : count.positive);
    }
  }
}

Product Netlist::product(std::uint32_t node) const {
  Product product;
  for (const Literal literal : literals_[node]) ++(reads_complement(literal) ? product.negative : product.positive);
  return product;
}

}  // namespace gdl
