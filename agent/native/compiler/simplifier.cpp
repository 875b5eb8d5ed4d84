#include "compiler/simplifier.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "compiler/common_factors.hpp"

namespace gdl {

namespace {

constexpr int PASSES = 8;
constexpr std::size_t SMALL = 24;  // gates with more literals are not looked into

std::size_t size_of(const Nodes& nodes, const Roots& roots) {
  std::size_t size = 0;
  for (const std::uint32_t gate : nodes.needed_gates(roots)) size += 1 + nodes.gate(gate).size();
  return size;
}

// Whether a pass removed enough of the circuit to try another.
bool worthwhile(std::size_t before, std::size_t after) { return 100 * after < 98 * before; }

// One pass: copies the gates that roots need into new nodes, simplifying each on the way.
class Rebuilding {
 public:
  Rebuilding(const Nodes& nodes, Roots& roots, Pace& pace);

  Nodes run();

 private:
  void count_uses();
  Literal rebuilt(Literal literal) const { return replaced(literal, literal_[slot_of(literal)]); }
  Literal rebuilt_gate(std::uint32_t node);
  Literal simplified_conjunction(std::span<const Literal> literals);
  void flatten(std::span<const Literal> literals);
  void absorb(bool& contradiction);
  void shorten(bool& contradiction);
  std::span<const Literal> looked_into(Literal literal) const;
  bool single(Literal literal) const { return slot_of(literal) < single_.size() && single_[slot_of(literal)] != 0; }
  void set_single(Literal literal, bool single);

  bool asks_for(Literal literal) const { return literal < asked_.size() && asked_[literal] == round_; }
  void ask_for(Literal literal);
  void drop(Literal literal) { asked_[literal] = 0; }

  const Nodes& old_;
  Roots& roots_;
  Pace& pace_;
  std::vector<std::uint32_t> gates_;  // the needed ones of old_, in order
  std::vector<std::uint32_t> uses_;   // [old node] number of readers; roots count twice
  Nodes new_;
  std::vector<Literal> literal_;      // [old node]
  std::vector<std::uint8_t> single_;  // [new node] whether it has one reader
  std::vector<std::uint32_t> asked_;  // [new literal] equals round_ for the literals of the gate at hand
  std::uint32_t round_ = 0;
  std::vector<Literal> flat_;   // literals of the gate at hand; some may have been dropped since
  std::vector<Literal> inner_;  // the literals among them that are gates to be looked into
  std::vector<Literal> inputs_;
  std::vector<Literal> rest_;
};

Rebuilding::Rebuilding(const Nodes& nodes, Roots& roots, Pace& pace)
    : old_(nodes),
      roots_(roots),
      pace_(pace),
      gates_(nodes.needed_gates(roots)),
      uses_(nodes.n_nodes(), 0),
      new_(nodes.n_fluents(), nodes.move_start()),
      literal_(nodes.n_nodes(), FALSE_LITERAL) {
  for (const std::uint32_t gate : gates_) {
    for (const Literal literal : old_.gate(gate)) ++uses_[slot_of(literal)];
  }
  for (const Literal literal : roots_.literals()) uses_[slot_of(literal)] += 2;  // a root is never inlined
}

Nodes Rebuilding::run() {
  for (std::uint32_t node = 0; node <= old_.n_fluents(); ++node) literal_[node] = literal_of(node);
  for (std::uint32_t node = 0; node < old_.n_nodes(); ++node) {
    if (old_.is_set(node) && uses_[node] != 0) literal_[node] = new_.move_set(old_.rows(node));
  }
  for (const std::uint32_t node : gates_) {
    if (old_.is_placeholder(node)) literal_[node] = literal_of(new_.add_placeholder(old_.starts_true(node)));
  }
  for (const std::uint32_t node : gates_) {
    if (old_.is_placeholder(node)) continue;
    const Literal literal = literal_[node] = rebuilt_gate(node);
    set_single(literal, uses_[node] == 1 && !is_complemented(literal));
  }
  for (const std::uint32_t node : gates_) {
    if (old_.is_placeholder(node)) new_.define(slot_of(literal_[node]), rebuilt_gate(node));
  }
  roots_ = renamed(std::move(roots_), [this](Literal literal) { return rebuilt(literal); });
  return std::move(new_);
}

Literal Rebuilding::rebuilt_gate(std::uint32_t node) {
  inputs_.clear();
  for (const Literal literal : old_.gate(node)) {
    pace_.step();
    inputs_.push_back(rebuilt(literal));
  }
  return simplified_conjunction(inputs_);
}

void Rebuilding::set_single(Literal literal, bool single) {
  const std::uint32_t node = slot_of(literal);
  if (node >= single_.size()) single_.resize(new_.n_nodes(), 0);
  single_[node] = single;
}

// The literals of a gate that may be looked into; none for other nodes.
std::span<const Literal> Rebuilding::looked_into(Literal literal) const {
  const std::uint32_t node = slot_of(literal);
  if (!new_.is_gate(node) || new_.is_placeholder(node)) return {};
  const auto gate = new_.gate(node);
  return gate.size() <= SMALL ? gate : std::span<const Literal>();
}

void Rebuilding::ask_for(Literal literal) {
  if (literal >= asked_.size()) asked_.resize(2 * (std::size_t{literal} + 1), 0);
  if (asked_[literal] == round_) return;
  asked_[literal] = round_;
  flat_.push_back(literal);
}

Literal Rebuilding::simplified_conjunction(std::span<const Literal> literals) {
  flatten(literals);
  inner_.clear();
  for (const Literal literal : flat_) {
    if (!looked_into(literal).empty()) inner_.push_back(literal);
  }
  if (inner_.empty()) return new_.conjunction(flat_);
  std::sort(inner_.begin(), inner_.end());
  bool contradiction = false;
  absorb(contradiction);
  if (!contradiction) shorten(contradiction);
  if (contradiction) return FALSE_LITERAL;
  std::sort(flat_.begin(), flat_.end());
  flat_.erase(std::remove_if(flat_.begin(), flat_.end(), [this](Literal literal) { return !asks_for(literal); }),
              flat_.end());
  flat_.erase(std::unique(flat_.begin(), flat_.end()), flat_.end());
  take_out_common_factors(
      new_, flat_,
      [this](Literal literal) {
        return is_complemented(literal) && single(literal) ? looked_into(literal) : std::span<const Literal>();
      },
      [this](Literal rest) {
        if (!is_complemented(rest)) set_single(rest, true);
      },
      pace_);
  return new_.conjunction(flat_);
}

// Inlines the gates that only this one reads.
void Rebuilding::flatten(std::span<const Literal> literals) {
  ++round_;
  flat_.clear();
  for (const Literal literal : literals) {
    const auto gate = !is_complemented(literal) && single(literal) ? looked_into(literal) : std::span<const Literal>();
    if (gate.empty()) ask_for(literal);
    for (const Literal inner : gate) ask_for(inner);
  }
}

// a and (a or b) = a; a literal that an inner gate asks for too need not be asked for.
void Rebuilding::absorb(bool& contradiction) {
  for (const Literal literal : inner_) {
    if (!asks_for(literal)) continue;
    for (const Literal inner : looked_into(literal)) {
      if (is_complemented(literal)) {
        if (!asks_for(negated(inner))) continue;
        drop(literal);
        break;
      }
      if (asks_for(negated(inner))) {
        contradiction = true;
        return;
      }
      if (asks_for(inner)) drop(inner);
    }
  }
}

// a and not (a and b) = a and not b.
void Rebuilding::shorten(bool& contradiction) {
  for (const Literal literal : inner_) {
    if (!is_complemented(literal) || !asks_for(literal)) continue;
    const auto gate = looked_into(literal);
    rest_.clear();
    for (const Literal inner : gate) {
      if (!asks_for(inner)) rest_.push_back(inner);
    }
    if (rest_.size() == gate.size()) continue;
    if (rest_.empty()) {
      contradiction = true;
      return;
    }
    if (rest_.size() > 1 && !single(literal)) continue;
    drop(literal);
    ask_for(negated(new_.conjunction(rest_)));
  }
}

}  // namespace

Nodes simplified(Nodes nodes, Roots& roots, Pace& pace) {
  std::size_t size = size_of(nodes, roots);
  for (int pass = 0; pass < PASSES; ++pass) {
    nodes = Rebuilding(nodes, roots, pace).run();
    const std::size_t before = std::exchange(size, size_of(nodes, roots));
    if (!worthwhile(before, size)) break;
  }
  share_pairs(nodes, nodes.needed_gates(roots), pace);
  return nodes;
}

}  // namespace gdl
