// Flat: all levels in one dataset, in which any program finds the finest patch everywhere.
#pragma once

#include "dataset.h"
#include "modes.h"

namespace uintah {

class Flat : public Mode {
 public:
  explicit Flat(const ModeSetup& setup);
  void write(const Snapshot& snapshot) override;
  void close() override { dataset_.close(); }
  [[nodiscard]] Writes writes() override { return dataset_.writes(); }
  void check(const Snapshot& snapshot) override;
  [[nodiscard]] bool writes_covered_cells() const override { return false; }
  [[nodiscard]] std::vector<std::string> paths() const override;

 private:
  miniapp::World world_;
  std::string path_;
  PatchDataset dataset_;
};

}  // namespace uintah
