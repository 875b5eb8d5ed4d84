// The parts of the Python module, each bound in its own file.
#pragma once

#include <nanobind/nanobind.h>

#include "search/player_spec.hpp"

namespace gdl {

// Reads a PlayerSpec (agent/search/player.py).
PlayerSpec read_player(nanobind::handle spec, int n_roles);

void bind_compiler(nanobind::module_& m);
void bind_machine(nanobind::module_& m);
void bind_lanes(nanobind::module_& m);
void bind_state_batch(nanobind::module_& m);
void bind_environments(nanobind::module_& m);
void bind_scorer(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_thinker(nanobind::module_& m);
void bind_puzzle(nanobind::module_& m);
void bind_values(nanobind::module_& m);
void bind_forage(nanobind::module_& m);

}  // namespace gdl
