// The Python module gdl_miner.agent._native.
#include "bindings/bindings.hpp"

#include "bindings/stop.hpp"

NB_MODULE(_native, m) {
  // A program that ends by an exception keeps the objects in its traceback to the end. They are no leaks.
  nanobind::set_leak_warnings(false);
  m.doc() = "Circuits, lanes and searches: what repeats millions of times.";
  m.attr("sources") = GDL_SOURCES;
  m.def("looks", [] { return gdl::looks.load(std::memory_order_relaxed); });
  gdl::bind_compiler(m);
  gdl::bind_machine(m);
  gdl::bind_lanes(m);
  gdl::bind_state_batch(m);
  gdl::bind_environments(m);
  gdl::bind_scorer(m);
  gdl::bind_search(m);
  gdl::bind_thinker(m);
  gdl::bind_puzzle(m);
  gdl::bind_values(m);
  gdl::bind_forage(m);
}
