#include "full.h"

#include "common/together.h"
#include "compare.h"

namespace uintah {

namespace {

esker::Options with_levels(esker::Options options) {
  options.set("format", "vtkhdf").check();
  return options;
}

}  // namespace

Full::Full(const ModeSetup& setup)
    : world_(setup.world),
      stem_(setup.path + ".full"),
      dataset_(stem_ + ".vtkhdf.series", setup.world, setup.mesh, with_levels(setup.options)) {}

void Full::write(const Snapshot& snapshot) { dataset_.write(snapshot); }

void Full::check(const Snapshot& snapshot) {
  miniapp::together(world_.comm, [&] {
    const auto dataset = esker::Dataset::open(dataset_.path());
    dataset.status().check();
    for (const OwnPatch& patch : snapshot.own) require_patch(*dataset, snapshot.step, patch, patch.level);
  });
}

std::vector<std::string> Full::paths() const {
  return {stem_ + ".vtkhdf.series", stem_ + ".vtkhdf.steps", stem_ + ".report.json"};
}

}  // namespace uintah
