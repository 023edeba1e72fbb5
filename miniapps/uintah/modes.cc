#include "modes.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "file_per_patch.h"
#include "flat.h"
#include "full.h"
#include "level_by_level.h"

namespace uintah {
namespace {

using Make = std::unique_ptr<Mode> (*)(const ModeSetup&);

template <class T>
std::unique_ptr<Mode> make(const ModeSetup& setup) {
  return std::make_unique<T>(setup);
}

const std::array<std::pair<const char*, Make>, 4> kModes{{
    {"flat", make<Flat>},
    {"full", make<Full>},
    {"file-per-patch", make<FilePerPatch>},
    {"level-by-level", make<LevelByLevel>},
}};

}  // namespace

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, make] : kModes) list.emplace_back(name);
    return list;
  }();
  return names;
}

std::unique_ptr<Mode> make_mode(const std::string& name, const ModeSetup& setup) {
  for (const auto& [known, make] : kModes) {
    if (name == known) return make(setup);
  }
  throw std::invalid_argument("no mode " + name);
}

}  // namespace uintah
