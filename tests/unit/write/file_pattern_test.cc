// Who stores what of a shared file, by options and by what the file system says.
#include "write/file_pattern.h"

#include <gtest/gtest.h>

#include "store/forwarding_store.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using testing_support::run_ranks;

/// A file system that tells its stripes.
class StripedStore final : public ForwardingStore {
 public:
  explicit StripedStore(const Striping& striping) : ForwardingStore(memory_store()), striping_(striping) {}
  Striping striping(const std::string& /*path*/) const override { return striping_; }

 private:
  Striping striping_;
};

FilePattern choose(const Striping& told, const Options& options, int n_ranks) {
  FilePattern chosen;
  run_ranks(n_ranks, [&](const Communicator& comm) {
    const auto mine = FilePattern::choose(*comm.get(), StripedStore(told), "run.nc", options).value();
    if (comm.rank() == n_ranks - 1) chosen = mine;
  });
  return chosen;
}

TEST(FilePattern, EachWriterHasItsOwnTargets) {
  EXPECT_EQ(writers_of_targets(12, 100), 12);
  EXPECT_EQ(writers_of_targets(12, 8), 6);
  EXPECT_EQ(writers_of_targets(7, 4), 1);
  EXPECT_EQ(writers_of_targets(1, 1), 1);
}

TEST(FilePattern, StripesOfTheFileSystemDecide) {
  const FilePattern found = choose({1 << 20, 4}, {}, 6);
  EXPECT_EQ(found.pattern, WritePattern::kStripes);
  EXPECT_EQ(found.striping.size_bytes, 1 << 20);
  EXPECT_EQ(found.writers, 4);
  EXPECT_EQ(choose({1 << 20, 1}, {}, 2).pattern, WritePattern::kContiguous) << "one target";
  EXPECT_EQ(choose({}, {}, 2).pattern, WritePattern::kContiguous);
}

TEST(FilePattern, OptionsGoBeforeWhatTheFileSystemSays) {
  Options options;
  options.stripe_size_bytes = 1 << 16;
  options.stripe_count = 3;
  const FilePattern found = choose({1 << 20, 4}, options, 2);
  EXPECT_EQ(found.striping.size_bytes, 1 << 16);
  EXPECT_EQ(found.writers, 1) << "two ranks cannot share three targets evenly";
  options.aggregators = 2;
  EXPECT_EQ(choose({1 << 20, 4}, options, 2).writers, 2);
  options.pattern = WritePattern::kContiguous;
  EXPECT_EQ(choose({1 << 20, 4}, options, 2).pattern, WritePattern::kContiguous);
}

}  // namespace
}  // namespace esker
