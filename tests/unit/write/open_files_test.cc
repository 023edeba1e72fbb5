// A step of more files than a process may have open: writing, reading and verifying keep few of them open.
#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "store/forwarding_store.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "write/pipeline.h"
#include "write/step_files.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

/// Number of open files, and its maximum.
struct OpenCount {
  std::atomic<int> now = 0, most = 0;
};

class CountedFile final : public ForwardingFile {
 public:
  CountedFile(std::unique_ptr<File> inner, OpenCount& count)
      : ForwardingFile(std::move(inner)), count_(count) {
    const int now = ++count_.now;
    if (now > count_.most) count_.most = now;
  }
  CountedFile(const CountedFile&) = delete;
  CountedFile& operator=(const CountedFile&) = delete;
  ~CountedFile() override { --count_.now; }

 private:
  OpenCount& count_;
};

class CountingStore final : public ForwardingStore {
 public:
  CountingStore(std::shared_ptr<Store> inner, OpenCount& count)
      : ForwardingStore(std::move(inner)), count_(count) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = ForwardingStore::open(path, mode);
    if (!file.ok()) return file;
    return std::unique_ptr<File>(std::make_unique<CountedFile>(std::move(*file), count_));
  }

 private:
  OpenCount& count_;
};

/// 512 blocks of 256 samples, each in its own file.
Schema schema_of_many_files() {
  Schema schema;
  std::vector<DimId> dims;
  for (const auto& [name, size] : {std::pair("x", 64), {"y", 64}, {"z", 32}}) {
    dims.push_back(schema.add_dim(name, size).value());
  }
  const int grid = schema.add_grid("xyz", dims).value().index;
  schema.add_field({"a", grid, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  return schema;
}

class OpenFiles : public testing::TestWithParam<Fsync> {
 protected:
  static constexpr int kFiles = 512;
  /// Open files other than those of samples: the lock, an .idx, a catalog.
  static constexpr int kFew = 8;

  Status write(const Schema& schema, const PatchMemory& memory) {
    Options options;
    options.report = "none";
    options.bits_per_block = 8;
    options.blocks_per_file = 1;
    options.fsync = GetParam();
    auto pipeline = WritePipeline::create(serial_comm(), store_, "run.idx", options);
    if (!pipeline.ok()) return pipeline.status();
    const Status defined = (*pipeline)->define({}, schema);
    if (!defined.ok()) return defined;
    StepInput input;
    input.patches = {{memory.patch()}};
    const Status written = (*pipeline)->write_step(std::move(input));
    return written.ok() ? (*pipeline)->close({}) : written;
  }

  OpenCount count_;
  std::shared_ptr<Store> store_ = std::make_shared<CountingStore>(memory_store(), count_);
};

TEST_P(OpenFiles, AreFewForAnyNumberOfFilesInAStep) {
  const Schema schema = schema_of_many_files();
  const Box box = schema.box_of(schema.grids()[0]);
  const PatchMemory memory(schema.fields()[0], 0, 0, box, 0);
  const Status status = write(schema, memory);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_LE(count_.most, static_cast<int>(StepFiles::kMaxOpen) + kFew);
  EXPECT_EQ(count_.now, 0);
  EXPECT_GE(all_files(*store_, "run").size(), static_cast<std::size_t>(kFiles));

  count_.most = 0;
  {
    const auto dataset = open_dataset(store_, "run.idx").value();
    std::vector<Point> points;
    for_each_point(box, [&](const Point& p) { points.push_back(p); });
    const auto expected = expected_samples(schema.fields()[0], 0, 0, points);
    std::vector<std::byte> found(expected.size());
    const int level = dataset->bitmask(0).value().max_level();
    read_box(*dataset, 0, 0, box, level, found.data(), {}).check();
    EXPECT_EQ(found, expected);
  }
  EXPECT_LE(count_.most, 64 + 16 + kFew);
  count_.most = 0;
  EXPECT_TRUE(findings_of(store_, "run.idx").empty());
  EXPECT_LE(count_.most, 64 + 16 + kFew);
  EXPECT_EQ(count_.now, 0);
}

INSTANTIATE_TEST_SUITE_P(
    AllPolicies, OpenFiles, testing::Values(Fsync::kNone, Fsync::kStep, Fsync::kClose), [](const auto& test) {
      return std::string(test.param == Fsync::kNone ? "None" : test.param == Fsync::kStep ? "Step" : "Close");
    });

}  // namespace
}  // namespace esker
