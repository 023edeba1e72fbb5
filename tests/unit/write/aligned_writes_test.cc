// Collective buffers lie in memory so that their address and their file offset are congruent.
#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "plan/plan.h"
#include "store/forwarding_store.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

constexpr auto kAlignment = static_cast<std::uintptr_t>(kBufferAlignment);

/// The large writes of all ranks.
struct Writes {
  std::mutex mutex;
  std::size_t congruent = 0, others = 0;
  std::set<std::uintptr_t> offsets;  // modulo kAlignment

  void add(std::span<const std::byte> bytes, Index offset_bytes) {
    const std::scoped_lock lock(mutex);
    const auto offset = static_cast<std::uintptr_t>(offset_bytes);
    ++((reinterpret_cast<std::uintptr_t>(bytes.data()) - offset) % kAlignment == 0 ? congruent : others);
    offsets.insert(offset % kAlignment);
  }
};

class WatchedFile final : public ForwardingFile {
 public:
  WatchedFile(std::unique_ptr<File> inner, Writes& writes)
      : ForwardingFile(std::move(inner)), writes_(writes) {}

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    constexpr std::size_t kLarge = 1024;
    if (bytes.size() >= kLarge) writes_.add(bytes, offset);
    return ForwardingFile::write_at(bytes, offset);
  }

 private:
  Writes& writes_;
};

class WatchedStore final : public ForwardingStore {
 public:
  WatchedStore(std::shared_ptr<Store> inner, Writes& writes)
      : ForwardingStore(std::move(inner)), writes_(writes) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = ForwardingStore::open(path, mode);
    if (!file.ok()) return file;
    return std::unique_ptr<File>(std::make_unique<WatchedFile>(std::move(*file), writes_));
  }

 private:
  Writes& writes_;
};

/// A record variable: with the time of 8 bytes, each step begins at another offset modulo 64.
Schema one_variable() {
  Schema schema;
  const DimId x = schema.add_dim("x", 40).value(), y = schema.add_dim("y", 30).value();
  const GridId grid = schema.add_grid("xy", {x, y}).value();
  schema.add_field({"thk", grid.index, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  return schema;
}

TEST(AlignedWrites, OfCdfBuffersInEveryStepAndWayOfMovingSamples) {
  for (const auto& way : ways_to_move()) {
    for (const int n_ranks : {1, 4}) {
      Writes writes;
      RunPlan run;
      run.n_ranks = n_ranks;
      run.aggregators = n_ranks;
      run.end_step = 5;
      run.path = "run.nc";
      run.schema = one_variable();
      run.options = way;
      run.options["format"] = "cdf5";
      SCOPED_TRACE(text_of(way) + " ranks " + std::to_string(n_ranks));
      const auto store = memory_store();
      const Status status = write_all(std::make_shared<WatchedStore>(store, writes), run);
      ASSERT_TRUE(status.ok()) << status.message();
      expect_complete(store, run, 5);
      EXPECT_EQ(writes.others, 0u);
      EXPECT_GE(writes.congruent, 5u);
      EXPECT_GE(writes.offsets.size(), 5u);
    }
  }
}

}  // namespace
}  // namespace esker
