// esker-bench-amr: compares ways to write the patches of an AMR code (miniapps/uintah), on the ranks of one
// MPI job. `esker bench amr` starts it.
#include "common/esker_options.h"
#include "modes.h"
#include "plain_files.h"

namespace bench {
namespace {

std::vector<std::string> case_names() {
  std::vector<std::string> names{"posix", "posix_shared"};
  for (const std::string& mode : uintah::mode_names()) names.push_back(mode);
  return names;
}

/// The limits and all modes of the miniapp.
std::vector<NamedMode> make_modes(const miniapp::World& world, const AmrSettings& settings) {
  std::vector<NamedMode> modes = limit_modes(world);
  const esker::Mesh mesh = uintah::make_mesh(settings.sizes);
  const esker::Options options = miniapp::esker_options(settings.options);
  for (const std::string& name : uintah::mode_names()) {
    modes.push_back({name, [=](const std::string& path) {
                       return uintah::make_mode(name, {world, mesh, path, options});
                     }});
  }
  return modes;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_amr_program(argc, argv, {"esker-bench-amr", bench::case_names(), bench::make_modes});
}
