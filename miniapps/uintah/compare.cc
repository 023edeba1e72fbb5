#include "compare.h"

#include <fmt/format.h>

#include <stdexcept>

namespace uintah {
namespace {

Index index_in(const Box& box, const Point& at) {
  return at[0] - box.lo[0] + box.extent(0) * (at[1] - box.lo[1] + box.extent(1) * (at[2] - box.lo[2]));
}

[[noreturn]] void fail(const std::string& where, const OwnPatch& patch, int field, const Point& cell,
                       double found) {
  const double expected = patch.values[field][index_in(patch.box, cell)];
  throw std::runtime_error(fmt::format("{}: {} of cell ({}, {}, {}) of level {}: expected {}, found {}",
                                       where, kFieldNames[field], cell[0], cell[1], cell[2], patch.level,
                                       expected, found));
}

std::vector<double> read(const esker::Dataset& dataset, int field, Index step, const Box& box,
                         std::optional<int> mesh_level = {}) {
  std::vector<double> samples(box.num_samples());
  esker::Query query{.field = kFieldNames[field], .step = step, .box = box};
  query.mesh_level = mesh_level;
  dataset.read(query, samples.data(), samples.size() * sizeof(double)).check();
  return samples;
}

}  // namespace

void require_same(const std::string& path, const OwnPatch& patch, int field,
                  const std::vector<double>& found) {
  for_each_point(patch.box, [&](const Point& cell) {
    const Index i = index_in(patch.box, cell);
    if (found[i] != patch.values[field][i]) fail(path, patch, field, cell, found[i]);
  });
}

void require_patch(const esker::Dataset& dataset, Index step, const OwnPatch& patch,
                   std::optional<int> mesh_level) {
  for (int f = 0; f < kNumFields; ++f) {
    require_same(fmt::format("step {} of a level", step), patch, f,
                 read(dataset, f, step, patch.box, mesh_level));
  }
}

void require_composite(const esker::Dataset& dataset, const Snapshot& snapshot, const OwnPatch& patch) {
  const Hierarchy& hierarchy = *snapshot.hierarchy;
  const Box fine = hierarchy.mesh().in_finest(patch.box, patch.level);
  for (int f = 0; f < kNumFields; ++f) {
    const std::vector<double> samples = read(dataset, f, snapshot.step, fine);
    for_each_point(patch.box, [&](const Point& cell) {
      if (hierarchy.is_covered(patch.level, cell)) return;
      const double expected = patch.values[f][index_in(patch.box, cell)];
      const Box own = hierarchy.mesh().in_finest(Box(3, cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1, 1, 1}),
                                                 patch.level);
      for_each_point(own, [&](const Point& at) {
        const double found = samples[index_in(fine, at)];
        if (found != expected) fail(fmt::format("step {}", snapshot.step), patch, f, cell, found);
      });
    });
  }
}

}  // namespace uintah
