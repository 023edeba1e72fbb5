// FilePerPatch: a directory per step with a file per patch and a list of all patches, as AMR codes write.
//
// A patch's file has its fields one after the other: float64 of this machine, x fastest. The list,
// patches.txt, is text: the time, then a line per patch with its level, its box and the name of its file.
#pragma once

#include "modes.h"

namespace uintah {

class FilePerPatch : public Mode {
 public:
  explicit FilePerPatch(const ModeSetup& setup);
  void write(const Snapshot& snapshot) override;
  void close() override {}
  [[nodiscard]] Writes writes() override;
  void check(const Snapshot& snapshot) override;
  [[nodiscard]] bool writes_covered_cells() const override { return true; }
  [[nodiscard]] std::vector<std::string> paths() const override { return {path_}; }

 private:
  [[nodiscard]] std::string directory_of(const Snapshot& snapshot) const;
  void write_list(const Snapshot& snapshot);
  void write_patch(const std::string& directory, const OwnPatch& patch);
  void make_directories(const std::string& directory, bool must_be_new);

  miniapp::World world_;
  std::string path_;
  bool overwrite_;
  Writes own_;
};

}  // namespace uintah
