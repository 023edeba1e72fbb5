// Full: every level whole, in one VTKHDF file per step, which ParaView opens.
#pragma once

#include "dataset.h"
#include "modes.h"

namespace uintah {

class Full : public Mode {
 public:
  explicit Full(const ModeSetup& setup);
  void write(const Snapshot& snapshot) override;
  void close() override { dataset_.close(); }
  [[nodiscard]] Writes writes() override { return dataset_.writes(); }
  void check(const Snapshot& snapshot) override;
  [[nodiscard]] bool writes_covered_cells() const override { return true; }
  [[nodiscard]] std::vector<std::string> paths() const override;

 private:
  miniapp::World world_;
  std::string stem_;
  PatchDataset dataset_;
};

}  // namespace uintah
