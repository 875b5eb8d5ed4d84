#include "program/run_order.hpp"

#include <map>
#include <queue>

namespace gdl {

namespace {

constexpr std::size_t WINDOW = 1024;  // gates to look ahead
constexpr std::uint32_t NOT_HERE = ~0u;

// List scheduling. Among the gates whose operands are done it takes one of the same shape as the last, and among these
// the one that has been ready longest: its operands have left the store buffer, so that it does not wait for them.
class RunScheduler {
 public:
  RunScheduler(const Netlist& netlist, std::span<const std::uint32_t> gates)
      : gates_(gates),
        place_(netlist.n_nodes(), NOT_HERE),
        waiting_(gates.size(), 0),
        readers_(gates.size()),
        done_(gates.size(), 0),
        shape_(gates.size()) {
    for (std::size_t i = 0; i < gates.size(); ++i) place_[gates[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      shape_[i] = shape_number(netlist.shape(gates[i]));
      for (const std::uint32_t node : netlist.operands(gates[i])) {
        const std::uint32_t operand = place_[node];
        if (operand == NOT_HERE) continue;
        readers_[operand].push_back(static_cast<std::uint32_t>(i));
        ++waiting_[i];
      }
    }
  }

  std::vector<std::uint32_t> order() {
    std::vector<std::uint32_t> result;
    std::size_t shape = 0;
    admit();
    while (result.size() < gates_.size()) {
      if (ready_[shape].empty()) shape = fullest();
      const std::uint32_t i = ready_[shape].front();
      ready_[shape].pop();
      result.push_back(gates_[i]);
      finish(i);
    }
    return result;
  }

 private:
  std::size_t shape_number(const Shape& shape) {
    const auto [place, is_new] = shape_numbers_.try_emplace(shape, ready_.size());
    if (is_new) ready_.emplace_back();
    return place->second;
  }
  std::size_t fullest() const {
    std::size_t best = 0;
    for (std::size_t shape = 1; shape < ready_.size(); ++shape) {
      if (ready_[shape].size() > ready_[best].size()) best = shape;
    }
    return best;
  }
  void offer(std::uint32_t i) {
    if (waiting_[i] == 0 && i < admitted_) {
      ready_[shape_[i]].push(i);
    }
  }
  void admit() {
    while (admitted_ < gates_.size() && admitted_ < oldest_ + WINDOW) {
      ++admitted_;
      offer(static_cast<std::uint32_t>(admitted_ - 1));
    }
  }
  void finish(std::uint32_t i) {
    done_[i] = 1;
    for (const std::uint32_t reader : readers_[i]) {
      if (--waiting_[reader] == 0) offer(reader);
    }
    while (oldest_ < gates_.size() && done_[oldest_]) ++oldest_;
    admit();
  }

  std::span<const std::uint32_t> gates_;
  std::vector<std::uint32_t> place_;    // [node] place in gates_
  std::vector<std::uint32_t> waiting_;  // [place] number of operands that are not done
  std::vector<std::vector<std::uint32_t>> readers_;
  std::vector<std::uint8_t> done_;
  std::vector<std::size_t> shape_;  // [place]
  std::map<Shape, std::size_t> shape_numbers_;
  std::vector<std::queue<std::uint32_t>> ready_;  // [shape number]
  std::size_t oldest_ = 0;
  std::size_t admitted_ = 0;
};

}  // namespace

std::vector<std::uint32_t> order_into_runs(const Netlist& netlist, std::span<const std::uint32_t> gates) {
  return RunScheduler(netlist, gates).order();
}

}  // namespace gdl
