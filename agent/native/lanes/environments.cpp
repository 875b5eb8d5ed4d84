#include "lanes/environments.hpp"

#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {

// The variants are defined in lanes_isa.cpp.
#define GDL_DECLARE(isa)                                                                                              \
  namespace isa {                                                                                                     \
  std::unique_ptr<Environments> make_environments(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, \
                                                  EnvironmentOptions options);                                        \
  }
GDL_EACH_INSTRUCTION_SET(GDL_DECLARE)

std::unique_ptr<Environments> make_environments(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                EnvironmentOptions options, const std::string& isa) {
  using MakeEnvironments =
      std::unique_ptr<Environments> (*)(const Circuit&, std::shared_ptr<const ProgramSet>, EnvironmentOptions);
#define GDL_VARIANT(isa) {#isa, isa::make_environments},
  static constexpr std::pair<std::string_view, MakeEnvironments> VARIANTS[] = {GDL_EACH_INSTRUCTION_SET(GDL_VARIANT)};
  return variant_for<MakeEnvironments>(isa, VARIANTS)(circuit, std::move(programs), std::move(options));
}

}  // namespace gdl
