// The Python module agent._native.
#include <nanobind/nanobind.h>

namespace gdl {
void bind_scorer(nanobind::module_& module);
}

NB_MODULE(_native, m) {
  m.doc() = "Circuits, lanes and searches: what repeats millions of times.";
  gdl::bind_scorer(m);
}
