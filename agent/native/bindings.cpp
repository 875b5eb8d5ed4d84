// The Python module agent._native.
#include <nanobind/nanobind.h>

NB_MODULE(_native, m) { m.doc() = "Circuits, lanes and searches: what repeats millions of times."; }
