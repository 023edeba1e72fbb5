// PatchDataset: a dataset with the four fields on a mesh.
#pragma once

#include <array>
#include <string>

#include "esker/writer.hpp"
#include "mode.h"
#include "modes.h"

namespace uintah {

class PatchDataset {
 public:
  /// Collective; throws AgreedError.
  PatchDataset(const std::string& path, const miniapp::World& world, const esker::Mesh& mesh,
               const esker::Options& options);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Collective: a step with all patches of a snapshot.
  void write(const Snapshot& snapshot);
  /// Local.
  void begin_step(double time);
  /// Local: puts the values of a patch in place, without a copy. `level`: of the mesh.
  void put(int level, const OwnPatch& patch);
  /// Collective.
  void end_step();
  void close();
  /// After close().
  [[nodiscard]] const Writes& writes() const { return writes_; }

 private:
  void define(const esker::Mesh& mesh);
  /// From the report of the run. Collective.
  [[nodiscard]] Writes count_writes() const;

  std::string path_;
  int n_ranks_;
  esker::Writer writer_;
  std::array<esker::FieldId, kNumFields> fields_;
  Writes writes_;
};

}  // namespace uintah
