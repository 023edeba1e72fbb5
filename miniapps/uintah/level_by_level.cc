#include "level_by_level.h"

#include "common/together.h"
#include "compare.h"

namespace uintah {
namespace {

/// A mesh with the cells of one level of `mesh` only.
esker::Mesh level_of(const esker::Mesh& mesh, int level) {
  esker::Mesh single = mesh;
  single.extent = mesh.domain(level).extents();
  single.ratios.clear();
  for (int a = 0; a < mesh.rank(); ++a) {
    single.spacing[a] *= static_cast<double>(mesh.extent[a]) / static_cast<double>(single.extent[a]);
  }
  return single;
}

}  // namespace

LevelByLevel::LevelByLevel(const ModeSetup& setup) : world_(setup.world), path_(setup.path + ".levels") {
  esker::Options options = setup.options;
  options.aggregate = false;
  options.checksums = false;  // a rank that writes a part of a block does not know the others
  for (int level = 0; level < setup.mesh.num_levels(); ++level) {
    levels_.push_back(std::make_unique<PatchDataset>(path_ + "/level" + std::to_string(level) + ".idx",
                                                     setup.world, level_of(setup.mesh, level), options));
  }
}

void LevelByLevel::write(const Snapshot& snapshot) {
  for (int level = 0; level < static_cast<int>(levels_.size()); ++level) {
    levels_[level]->begin_step(snapshot.time);
    for (const OwnPatch& patch : snapshot.own) {
      if (patch.level == level) levels_[level]->put(0, patch);
    }
    levels_[level]->end_step();
  }
}

void LevelByLevel::close() {
  for (const auto& level : levels_) level->close();
}

Writes LevelByLevel::writes() {
  Writes sum;
  for (const auto& level : levels_) {
    sum.count += level->writes().count;
    sum.bytes += level->writes().bytes;
  }
  return sum;
}

void LevelByLevel::check(const Snapshot& snapshot) {
  miniapp::together(world_.comm, [&] {
    for (int level = 0; level < static_cast<int>(levels_.size()); ++level) {
      const auto dataset = esker::Dataset::open(levels_[level]->path());
      dataset.status().check();
      for (const OwnPatch& patch : snapshot.own) {
        if (patch.level == level) require_patch(*dataset, snapshot.step, patch);
      }
    }
  });
}

}  // namespace uintah
