// The modes by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "mode.h"

namespace uintah {

/// What a mode needs to begin.
struct ModeSetup {
  miniapp::World world;
  esker::Mesh mesh;
  std::string path;  ///< of the output, without a suffix
  esker::Options options;
};

/// Names of the modes, in the order in which they run.
const std::vector<std::string>& mode_names();
/// Collective; throws AgreedError. `name` is one of mode_names().
std::unique_ptr<Mode> make_mode(const std::string& name, const ModeSetup& setup);

}  // namespace uintah
