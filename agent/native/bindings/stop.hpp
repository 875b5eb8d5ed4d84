// Notices Ctrl-C during a kernel call.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>

namespace gdl {

// Counts the looks of all kernels for Ctrl-C. Whoever watches this process sees by it that a kernel gets on.
inline std::atomic<std::uint64_t> looks{0};

// Whether Python has an exception pending, such as KeyboardInterrupt. Call it without the GIL, at least every 100 ms.
// If it says yes, leave the kernel and throw nanobind::python_error() with the GIL held.
inline bool stop_requested() {
  looks.fetch_add(1, std::memory_order_relaxed);
  const nanobind::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// Throws the exception that stop_requested() found, if any. Call it with the GIL held, after the kernel has returned.
inline void throw_if_stopped() {
  if (PyErr_Occurred() != nullptr) throw nanobind::python_error();
}

}  // namespace gdl
