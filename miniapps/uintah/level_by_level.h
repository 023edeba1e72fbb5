// LevelByLevel: a dataset per level, written one after the other. Each rank writes its own patches
// (aggregate=false), with the cells that finer levels cover.
#pragma once

#include <memory>

#include "dataset.h"
#include "modes.h"

namespace uintah {

class LevelByLevel : public Mode {
 public:
  explicit LevelByLevel(const ModeSetup& setup);
  void write(const Snapshot& snapshot) override;
  void close() override;
  [[nodiscard]] Writes writes() override;
  void check(const Snapshot& snapshot) override;
  [[nodiscard]] bool writes_covered_cells() const override { return true; }
  [[nodiscard]] std::vector<std::string> paths() const override { return {path_}; }

 private:
  miniapp::World world_;
  std::string path_;
  std::vector<std::unique_ptr<PatchDataset>> levels_;
};

}  // namespace uintah
