// Pages of blocks after the last sample of the grid are holes, and readers see no difference.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/verify.hpp"
#include "esker/writer.hpp"

namespace esker {
namespace {

namespace fs = std::filesystem;

class Holes : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("esker-holes-" + std::to_string(::getpid()));
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    std::iota(samples_.begin(), samples_.end(), 1.0);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string write(const std::string& name) {
    const std::string path = (directory_ / (name + ".idx")).string();
    Options options;
    options.set("report", "none").check();
    Writer writer = Writer::create(path, Communicator::serial(), options).value();
    const auto x = writer.def_dim("x", 97).value(), y = writer.def_dim("y", 61).value();
    const auto z = writer.def_dim("z", 43).value();
    const auto grid = writer.def_grid("xyz", {x, y, z}).value();
    const auto field = writer.def_field(grid, "t", SampleType::kFloat64, {}).value();
    writer.begin_step(0).check();
    writer.put(field, Patch::dense(box_, samples_.data())).check();
    writer.end_step().check();
    writer.close().check();
    return path;
  }

  /// The size of the block files, and the space that they take.
  [[nodiscard]] std::pair<Index, Index> sizes(const std::string& name) const {
    std::pair<Index, Index> sum;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / name)) {
      struct stat facts {};
      if (::stat(entry.path().c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
      sum.first += facts.st_size;
      sum.second += Index{512} * facts.st_blocks;
    }
    return sum;
  }

  fs::path directory_;
  const Box box_{{0, 0, 0}, {97, 61, 43}};
  std::vector<double> samples_ = std::vector<double>(97 * 61 * 43);
};

TEST_F(Holes, PagesWithoutSamplesTakeNoSpace) {
  const std::string path = write("run");
  const auto [size, taken] = sizes("run");
  EXPECT_GT(size, Index{14} * 97 * 61 * 43 * 8 / 10);
  EXPECT_LT(taken, Index{13} * 97 * 61 * 43 * 8 / 10);
  const VerifyReport report = verify(path).value();
  EXPECT_TRUE(report.findings.empty());
  const Dataset dataset = Dataset::open(path).value();
  std::vector<double> read(samples_.size());
  dataset.read({.field = "t", .step = 0}, read.data(), read.size() * sizeof(double)).check();
  EXPECT_EQ(read == samples_, true);
}

}  // namespace
}  // namespace esker
