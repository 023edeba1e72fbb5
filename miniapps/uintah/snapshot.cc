#include "snapshot.h"

#include <utility>

namespace uintah {
namespace {

OwnPatch make_patch(const Hierarchy& hierarchy, int level, Index number) {
  OwnPatch patch{level, number, hierarchy.patches(level)[number], {}};
  for (auto& field : patch.values) field.reserve(patch.box.num_samples());
  for_each_point(patch.box, [&](const Point& cell) {
    const auto values = hierarchy.features().values(hierarchy.center(level, cell));
    for (int f = 0; f < kNumFields; ++f) patch.values[f].push_back(values[f]);
  });
  return patch;
}

}  // namespace

Snapshot make_snapshot(const miniapp::World& world, const Sizes& sizes, const esker::Mesh& mesh, Index step,
                       double time) {
  Snapshot snapshot{step, time, std::make_shared<Hierarchy>(sizes, mesh, time), {}};
  for (int level = 0; level < mesh.num_levels(); ++level) {
    const auto count = static_cast<Index>(snapshot.hierarchy->patches(level).size());
    const Index begin = count * world.rank / world.size, end = count * (world.rank + 1) / world.size;
    for (Index i = begin; i < end; ++i) snapshot.own.push_back(make_patch(*snapshot.hierarchy, level, i));
  }
  return snapshot;
}

}  // namespace uintah
