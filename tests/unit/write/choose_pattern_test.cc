// The file domains of a shared file, chosen by options and by the striping of the file system.
#include "write/choose_pattern.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <mutex>
#include <set>

#include "formats/netcdf/cdf/header.h"
#include "store/forwarding_store.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using testing_support::run_ranks;

/// A file system with known striping.
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
    const auto mine = choose_pattern(*comm.get(), StripedStore(told), "run.nc", options).value();
    if (comm.rank() == n_ranks - 1) chosen = mine;
  });
  return chosen;
}

TEST(FilePattern, EachWriterHasSeparateTargets) {
  EXPECT_EQ(writers_of_targets(12, 100), 12);
  EXPECT_EQ(writers_of_targets(12, 8), 6);
  EXPECT_EQ(writers_of_targets(7, 4), 1);
  EXPECT_EQ(writers_of_targets(1, 1), 1);
}

TEST(FilePattern, StripesOfTheFileSystemDecide) {
  const FilePattern found = choose({1 << 20, 4}, {}, 6);
  EXPECT_EQ(found.pattern, WritePattern::kStripes);
  EXPECT_EQ(found.stripes.size_bytes, 1 << 20);
  EXPECT_EQ(found.writers, 4);
  EXPECT_EQ(choose({1 << 20, 1}, {}, 2).pattern, WritePattern::kContiguous) << "one target";
  EXPECT_EQ(choose({}, {}, 2).pattern, WritePattern::kContiguous);
}

TEST(FilePattern, OptionsOverrideTheFileSystem) {
  Options options;
  options.stripe_size_bytes = 1 << 16;
  options.stripe_count = 3;
  const FilePattern found = choose({1 << 20, 4}, options, 2);
  EXPECT_EQ(found.stripes.size_bytes, 1 << 16);
  EXPECT_EQ(found.writers, 1) << "two ranks cannot share three targets evenly";
  options.aggregators = 2;
  EXPECT_EQ(choose({1 << 20, 4}, options, 2).writers, 2);
  options.pattern = WritePattern::kContiguous;
  EXPECT_EQ(choose({1 << 20, 4}, options, 2).pattern, WritePattern::kContiguous);
}

/// During its lifetime, threads that this thread starts have one processor.
class OneProcessor {
 public:
  OneProcessor() {
    EXPECT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0);
    ::cpu_set_t one;
    CPU_ZERO(&one);
    for (int p = 0; p < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++p) {
      if (CPU_ISSET(p, &before_)) CPU_SET(p, &one);
    }
    EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  ::cpu_set_t before_;
};

TEST(FilePattern, AFileHasAtMostTwoWritersPerProcessor) {
  const OneProcessor bound;
  EXPECT_EQ(choose({}, {}, 2).most_writers, 0) << "limited only by the work";
  EXPECT_EQ(choose({}, {}, 3).most_writers, 2);
  EXPECT_EQ(choose({1 << 20, 4}, {}, 8).writers, 4) << "stripes decide";
}

/// A write of a rank.
struct Written {
  int rank = 0;
  Index offset = 0, size = 0;
};

class RecordingFile final : public ForwardingFile {
 public:
  RecordingFile(std::unique_ptr<File> inner, std::function<void(Index, Index)> record)
      : ForwardingFile(std::move(inner)), record_(std::move(record)) {}
  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    record_(offset, static_cast<Index>(bytes.size()));
    return ForwardingFile::write_at(bytes, offset);
  }

 private:
  std::function<void(Index, Index)> record_;
};

class RecordingStore final : public ForwardingStore {
 public:
  RecordingStore(std::shared_ptr<Store> inner, std::function<void(Index, Index)> record)
      : ForwardingStore(std::move(inner)), record_(std::move(record)) {}
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = inner().open(path, mode);
    if (!file.ok() || path != "run.nc") return file;
    return std::unique_ptr<File>(std::make_unique<RecordingFile>(std::move(*file), record_));
  }

 private:
  std::function<void(Index, Index)> record_;
};

constexpr Index kPlaneBytes = 4096, kNumPlanes = 8, kNumSteps = 3;

/// The writes of four ranks, with one column each, of a field of 8 planes in 3 steps, without headers and
/// times.
struct Recorded {
  /// Planes have `kPlaneBytes` times `scale`.
  explicit Recorded(const Options& options, Index scale = 1) {
    const auto files = memory_store();
    std::vector<Written> all;
    std::mutex mutex;
    run_ranks(4, [&](const Communicator& comm) {
      const auto record = [&, rank = comm.rank()](Index offset, Index size) {
        const std::scoped_lock lock(mutex);
        all.push_back({rank, offset, size});
      };
      write(comm, std::make_shared<RecordingStore>(files, record), options, scale);
    });
    const cdf::Header header = cdf::read_header(*files->open("run.nc", OpenMode::kRead).value()).value();
    record_bytes = header.record_bytes();
    for (const cdf::Variable& variable : header.variables) {
      if (variable.name == "temp") begin = variable.begin;
    }
    for (const Written& write : all) {
      const Index in_record = (write.offset - begin) % record_bytes;
      const bool is_data = write.offset >= begin && in_record < kNumPlanes * kPlaneBytes * scale;
      if (is_data) writes.push_back(write);
    }
  }

  static void write(const Communicator& comm, const std::shared_ptr<Store>& store, const Options& options,
                    Index scale) {
    Schema schema;
    const DimId x = schema.add_dim("x", 32 * scale).value(), y = schema.add_dim("y", 16).value();
    const DimId z = schema.add_dim("z", kNumPlanes).value();
    const int grid = schema.add_grid("volume", {x, y, z}).value().index;
    schema.add_field({"temp", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
    const Box box =
        BrickDecomposition::even(3, {32 * scale, 16, kNumPlanes}, {2, 2, 1}).value().box(comm.rank());
    const std::vector<double> samples(static_cast<std::size_t>(box.num_samples()), 1.0);
    const auto pipeline = WritePipeline::create(comm.get(), store, "run.nc", options).value();
    pipeline->define({}, schema).check();
    for (Index step = 0; step < kNumSteps; ++step) {
      StepInput input;
      input.step = step;
      input.time = static_cast<double>(step);
      input.patches = {{Patch::dense(box, samples.data())}};
      pipeline->write_step(std::move(input)).check();
    }
    pipeline->close({}).check();
  }

  std::vector<Written> writes;
  Index begin = 0, record_bytes = 0;
};

Options cdf_options() {
  Options options;
  options.format = "cdf5";
  options.report = "none";
  return options;
}

std::set<int> writers_of(const Recorded& run) {
  std::set<int> ranks;
  for (const Written& write : run.writes) ranks.insert(write.rank);
  return ranks;
}

// A step has 16 MiB: work for four ranks.
TEST(FilePattern, FewProcessorsHaveFewWriters) {
  constexpr Index kScale = 512;
  const OneProcessor bound;
  EXPECT_EQ(writers_of(Recorded(cdf_options(), kScale)).size(), 2u);
  Options asked = cdf_options();
  asked.aggregators = 4;
  EXPECT_EQ(writers_of(Recorded(asked, kScale)).size(), 4u);
}

TEST(FilePattern, TheRankOfATargetWritesItsStripes) {
  constexpr Index kStripe = 4096;
  Options options = cdf_options();
  options.stripe_size_bytes = kStripe;
  options.stripe_count = 2;
  const Recorded run(options);
  ASSERT_NE(run.record_bytes % (2 * kStripe), 0) << "stripes begin elsewhere in each step";
  std::map<Index, std::set<int>> ranks_of_target;
  Index bytes = 0;
  for (const Written& write : run.writes) {
    const Index stripe = write.offset / kStripe;
    EXPECT_EQ((write.offset + write.size - 1) / kStripe, stripe);
    ranks_of_target[stripe % 2].insert(write.rank);
    bytes += write.size;
  }
  EXPECT_EQ(bytes, kNumSteps * kNumPlanes * kPlaneBytes);
  ASSERT_EQ(ranks_of_target.size(), 2u);
  EXPECT_EQ(ranks_of_target[0].size(), 1u);
  EXPECT_EQ(ranks_of_target[1].size(), 1u);
  EXPECT_NE(ranks_of_target[0], ranks_of_target[1]);
}

TEST(FilePattern, ASlabIsWrittenByOneRank) {
  Options options = cdf_options();
  options.pattern = WritePattern::kSlabs;
  options.aggregators = 3;  // of 8 planes
  const Recorded run(options);
  std::map<Index, std::set<int>> ranks_of_plane;
  std::set<int> writers;
  for (const Written& write : run.writes) {
    const Index in_record = (write.offset - run.begin) % run.record_bytes;
    const Index last = in_record + write.size - 1;
    for (Index plane = in_record / kPlaneBytes; plane <= last / kPlaneBytes; ++plane) {
      ranks_of_plane[plane].insert(write.rank);
    }
    writers.insert(write.rank);
  }
  ASSERT_EQ(static_cast<Index>(ranks_of_plane.size()), kNumPlanes);
  for (const auto& [plane, ranks] : ranks_of_plane) EXPECT_EQ(ranks.size(), 1u) << plane;
  EXPECT_EQ(writers.size(), 3u);
}

}  // namespace
}  // namespace esker
