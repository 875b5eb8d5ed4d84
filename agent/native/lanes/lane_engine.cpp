#include "lanes/lane_engine.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {

// The variants are defined in lanes_isa.cpp.
#define GDL_DECLARE(isa)                                                                                     \
  namespace isa {                                                                                            \
  std::unique_ptr<LaneEngine> make_lanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, \
                                         int lanes);                                                         \
  }
GDL_EACH_INSTRUCTION_SET(GDL_DECLARE)

std::unique_ptr<LaneEngine> make_lane_engine(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                             int lanes, const std::string& isa) {
  using Make = std::unique_ptr<LaneEngine> (*)(const Circuit&, std::shared_ptr<const ProgramSet>, int);
#define GDL_VARIANT(isa) {#isa, isa::make_lanes},
  static constexpr std::pair<std::string_view, Make> VARIANTS[] = {GDL_EACH_INSTRUCTION_SET(GDL_VARIANT)};
  const Make make = variant_for<Make>(isa, VARIANTS);
  if (lanes != 64 && lanes != 128 && lanes != 256 && lanes != 512) {
    throw std::invalid_argument("lanes must be 64, 128, 256 or 512, not " + std::to_string(lanes));
  }
  return make(circuit, std::move(programs), lanes);
}

}  // namespace gdl
