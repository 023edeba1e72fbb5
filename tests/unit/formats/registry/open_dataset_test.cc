// Opening a dataset of any format by its path.
#include "formats/registry/open_dataset.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

std::string error_of(const std::string& path) {
  const Status opened = open_dataset(memory_store(), path).status();
  EXPECT_EQ(opened.code(), Code::kNotFound) << path;
  return opened.message();
}

TEST(OpenDataset, AMissingOneSaysWhatWasLookedFor) {
  for (const char* file : {"run.nc", "a/run.nc4", "run.h5", "run.hdf5"}) {
    EXPECT_EQ(error_of(file), std::string(file) + ": no such file");
  }
  EXPECT_EQ(error_of("a/run.idx"), "a/run.idx: no such dataset (looked for a/run.idx and a/run/esker.json)");
  const std::string without_suffix = error_of("a/run/");
  EXPECT_NE(without_suffix.find("(looked for a/run.idx, a/run/esker.json, a/run.nc"), std::string::npos)
      << without_suffix;
}

}  // namespace
}  // namespace esker
