#include "compare.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace uintah {
namespace {

TEST(Compare, FindsOneDifferentBit) {
  OwnPatch patch{1, 0, Box({2, 4, 6}, {4, 6, 8}), {}};
  patch.values.fill(std::vector<double>(8, 1.0));
  std::vector<double> found = patch.values[1];
  EXPECT_NO_THROW(require_same("file", patch, 1, found));
  found[7] += 1e-15;
  try {
    require_same("file", patch, 1, found);
    FAIL() << "expected an error";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("file: temperature of cell (3, 5, 7) of level 1"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace uintah
