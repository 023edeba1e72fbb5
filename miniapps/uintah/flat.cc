#include "flat.h"

#include "common/together.h"
#include "compare.h"

namespace uintah {

Flat::Flat(const ModeSetup& setup)
    : world_(setup.world),
      path_(setup.path),
      dataset_(path_ + ".idx", setup.world, setup.mesh, setup.options) {}

void Flat::write(const Snapshot& snapshot) { dataset_.write(snapshot); }

void Flat::check(const Snapshot& snapshot) {
  miniapp::together(world_.comm, [&] {
    const auto dataset = esker::Dataset::open(dataset_.path());
    dataset.status().check();
    for (const OwnPatch& patch : snapshot.own) require_composite(*dataset, snapshot, patch);
  });
}

std::vector<std::string> Flat::paths() const {
  return {path_ + ".idx", path_, path_ + ".schema.json", path_ + ".report.json"};
}

}  // namespace uintah
