// Queries beyond a box at a level, of each format: strides, refinement, missing blocks, the cache, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/idx_dataset.h"
#include "formats/registry/open_dataset.h"
#include "grid/hz.h"
#include "grid/selection.h"
#include "read/block_cache.h"
#include "store/forwarding_store.h"
#include "support/read_box.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

std::vector<Point> points_of(const Lattice& lattice) {
  std::vector<Point> points;
  Point i{};
  for (i[2] = 0; i[2] < lattice.count[2]; ++i[2]) {
    for (i[1] = 0; i[1] < lattice.count[1]; ++i[1]) {
      for (i[0] = 0; i[0] < lattice.count[0]; ++i[0]) points.push_back(lattice.point(i));
    }
  }
  return points;
}

class QueryOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    run_.options["format"] = std::string(GetParam()).find("cdf") == 0 ? GetParam() : "idx";
    run_.in_block = GetParam() == std::string("idx_hz") ? InBlockOrder::kHz : InBlockOrder::kRowMajor;
    run_.path = run_.options["format"] == "idx" ? "run.idx" : "run.nc";
    ASSERT_TRUE(write_all(store_, run_).ok());
    data_ = open_dataset(store_, run_.path).value();
  }

  [[nodiscard]] const Field& field(int number) const {
    return data_->schema.fields()[static_cast<std::size_t>(number)];
  }
  /// Fields that have a step 0.
  template <class Visit>
  void for_each_field(const Visit& visit) {
    for (int number = 0; number < static_cast<int>(data_->schema.fields().size()); ++number) visit(number);
  }
  [[nodiscard]] std::vector<std::byte> expected(int number, const Lattice& samples) const {
    return expected_samples(field(number), number, 0, points_of(samples));
  }
  ReadTarget target(int number, const Lattice& samples, std::vector<std::byte>& answer) const {
    const Bitmask mask = data_->bitmask(number).value();
    answer.assign(static_cast<std::size_t>(samples.num_samples() * field(number).sample_bytes()),
                  std::byte{0x5a});
    return ReadTarget::dense(samples, coarsest_level_with(mask, samples), answer.data(),
                             field(number).sample_bytes());
  }

  std::shared_ptr<Store> store_ = memory_store();
  RunPlan run_;
  std::unique_ptr<OpenedDataset> data_;
};

TEST_P(QueryOf, ReadsEveryStride) {
  std::mt19937 random(3);
  for_each_field([&](int number) {
    for (int trial = 0; trial < 60; ++trial) {
      Box box = data_->box(number);
      Point stride{1, 1, 1, 1, 1};
      for (int a = 0; a < box.rank; ++a) {
        box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(box.hi[a]));
        stride[a] = 1 + static_cast<Index>(random() % (trial % 3 == 0 ? 40 : 7));
      }
      const Lattice samples = select_every(box, stride);
      std::vector<std::byte> answer;
      const Status status =
          data_->read(number, 0, target(number, samples, answer), {.threads = 1 + trial % 3});
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(answer, expected(number, samples)) << field(number).name << " " << samples.to_string();
    }
  });
}

// refine() reads the samples that finer levels add. Samples of coarser levels are unchanged or read again.
TEST_P(QueryOf, RefinesCoarserSamples) {
  for_each_field([&](int number) {
    const Bitmask mask = data_->bitmask(number).value();
    for (int level = 1; level <= mask.max_level(); ++level) {
      for (int start = 1; start <= level; start += 2) {
        const Lattice samples = select_samples(mask, data_->box(number), level);
        const auto all = expected(number, samples);
        std::vector<std::byte> answer;
        ReadTarget wanted = target(number, samples, answer);
        wanted.level = level;
        wanted.start_level = start;
        answer = all;
        const Lattice coarse = select_samples(mask, data_->box(number), start - 1);
        for (int h = start; h <= level; ++h) {  // clears the samples to be read
          const auto added = common_samples(mask.samples_new_at(h), wanted);
          if (!added) continue;
          const Lattice indices = added->target.samples;
          for (const Point& p : points_of(indices)) {
            Point i{};
            for (int a = 0; a < samples.rank; ++a) i[a] = (p[a] - samples.origin[a]) / samples.stride[a];
            const Index bytes = field(number).sample_bytes();
            std::memset(answer.data() + wanted.position(i) * bytes, 0x77, static_cast<std::size_t>(bytes));
          }
        }
        const Status status = data_->read(number, 0, wanted, {});
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_EQ(answer, all) << field(number).name << " levels " << start << " to " << level << " over "
                               << coarse.to_string();
      }
    }
  });
}

TEST_P(QueryOf, PlacesSamplesWithStridesInMemory) {
  for_each_field([&](int number) {
    const Index bytes = field(number).sample_bytes();
    const Lattice samples = select_samples(data_->bitmask(number).value(), data_->box(number), 7);
    std::vector<std::byte> dense, memory(static_cast<std::size_t>(samples.num_samples() * bytes * 3));
    ReadTarget wanted = target(number, samples, dense);
    const auto all = expected(number, samples);
    wanted.out = memory.data();
    wanted.sample_stride_bytes = 3 * bytes;
    std::reverse(wanted.strides.begin(), wanted.strides.begin() + samples.rank);  // another order of axes
    Index stride = 1;
    for (int a = samples.rank; a-- > 0; stride *= samples.count[a]) wanted.strides[a] = stride;
    ASSERT_TRUE(data_->read(number, 0, wanted, {}).ok());
    Point i{};
    std::size_t n = 0;
    for (i[2] = 0; i[2] < samples.count[2]; ++i[2]) {
      for (i[1] = 0; i[1] < samples.count[1]; ++i[1]) {
        for (i[0] = 0; i[0] < samples.count[0]; ++i[0], ++n) {
          ASSERT_EQ(
              std::memcmp(memory.data() + wanted.position(i) * 3 * bytes,
                          all.data() + n * static_cast<std::size_t>(bytes), static_cast<std::size_t>(bytes)),
              0);
        }
      }
    }
  });
}

TEST_P(QueryOf, CountsItsReads) {
  const Lattice coarse = select_samples(data_->bitmask(0).value(), data_->box(0), 3);
  const Lattice all = select_samples(data_->bitmask(0).value(), data_->box(0), 14);
  std::vector<std::byte> answer;
  ReadCounters few, many;
  ASSERT_TRUE(data_->read(0, 0, target(0, coarse, answer), {.counters = &few}).ok());
  ASSERT_TRUE(data_->read(0, 0, target(0, all, answer), {.counters = &many}).ok());
  EXPECT_GT(few.bytes, 0);
  EXPECT_GE(many.bytes, all.num_samples() * 8);
  EXPECT_GT(many.bytes, few.bytes);
}

TEST_P(QueryOf, EndsWhenCancelled) {
  const Lattice all = select_samples(data_->bitmask(0).value(), data_->box(0), 14);
  std::vector<std::byte> answer;
  EXPECT_EQ(data_->read(0, 0, target(0, all, answer), {.progress = [](double) { return false; }}).code(),
            Code::kCancelled);
}

INSTANTIATE_TEST_SUITE_P(Formats, QueryOf, testing::Values("idx", "idx_hz", "cdf5"));

/// A dataset with a missing block file.
class MissingBlocksOf : public testing::Test {
 protected:
  void SetUp() override {
    run_.single = true;
    run_.options["bits_per_block"] = "3";
    ASSERT_TRUE(write_all(store_, run_).ok());
    dataset_ = std::make_unique<idx::IdxDataset>(idx::IdxDataset::open(store_, run_.path).value());
    ASSERT_TRUE(store_->remove(part().files().path(0, 4, 0)).ok());  // blocks 4 to 7
  }

  [[nodiscard]] const idx::IdxPart& part() const { return *dataset_->parts[0]; }
  [[nodiscard]] bool is_lost(const Point& p) const { return part().blocks().block_of(p) / 4 == 1; }
  static double at(const std::vector<std::byte>& samples, Index n) {
    double value = 0;
    std::memcpy(&value, samples.data() + n * 8, 8);
    return value;
  }
  Status read(const Box& box, int level, ReadContext context) {
    samples_ = part().select(box, level);
    answer_.assign(static_cast<std::size_t>(samples_.num_samples()) * 8, std::byte{0x5a});
    is_stored_.assign(static_cast<std::size_t>(samples_.num_samples()), 1);
    ReadTarget wanted = ReadTarget::dense(samples_, level, answer_.data(), 8);
    wanted.is_stored = is_stored_.data();
    return dataset_->read(0, 0, wanted, context);
  }

  std::shared_ptr<Store> store_ = memory_store();
  RunPlan run_;
  std::unique_ptr<idx::IdxDataset> dataset_;
  Lattice samples_;
  std::vector<std::byte> answer_;
  std::vector<std::uint8_t> is_stored_;
};

TEST_F(MissingBlocksOf, AreAnErrorIfTheWriterWroteAllBlocks) {
  const Box grid = part().header().box;
  const Status status = read(grid, part().header().bitmask.max_level(), {});
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("is missing"), std::string::npos) << status.message();
}

TEST_F(MissingBlocksOf, AreFilledAndMarked) {
  const Box grid = part().header().box;
  for (int level = 0; level <= part().header().bitmask.max_level(); ++level) {
    ReadCounters counters;
    const Status status =
        read(grid, level, {.threads = 2, .missing = MissingBlocks::kFill, .counters = &counters});
    ASSERT_TRUE(status.ok()) << status.message();
    const auto points = points_of(samples_);
    const auto all = expected_samples(dataset_->schema.fields()[0], 0, 0, points);
    Index lost = 0;
    for (std::size_t n = 0; n < points.size(); ++n) {
      const auto i = static_cast<Index>(n);
      ASSERT_EQ(is_stored_[n] == 0, is_lost(points[n])) << level;
      ASSERT_EQ(at(answer_, i), is_lost(points[n]) ? 0 : at(all, i)) << level;
      lost += is_lost(points[n]) ? 1 : 0;
    }
    EXPECT_EQ(lost > 0, counters.missing_blocks > 0);
    EXPECT_TRUE(lost > 0 || level < part().header().bitmask.max_level());
  }
}

// Strides skip most blocks in a box: skipped blocks are not read, and may be missing.
TEST_F(MissingBlocksOf, MayBeMissingIfNoSampleIsRequested) {
  const Box grid = part().header().box;
  int tried = 0;
  for (const Index stride : {5, 7, 9, 11, 13}) {
    const Lattice samples = select_every(grid, {stride, stride + 2, 1, 1, 1});
    const auto points = points_of(samples);
    if (std::any_of(points.begin(), points.end(), [&](const Point& p) { return is_lost(p); })) continue;
    ++tried;
    std::set<Index> blocks;
    for (const Point& p : points) blocks.insert(part().blocks().block_of(p));
    std::vector<std::byte> answer(points.size() * 8);
    ReadCounters counters;
    const int level = coarsest_level_with(part().header().bitmask, samples);
    const Status status = dataset_->read(0, 0, ReadTarget::dense(samples, level, answer.data(), 8),
                                         {.missing = MissingBlocks::kAuto, .counters = &counters});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(answer, expected_samples(dataset_->schema.fields()[0], 0, 0, points));
    EXPECT_EQ(counters.blocks, static_cast<Index>(blocks.size()));
    EXPECT_EQ(counters.missing_blocks, 0);
  }
  EXPECT_GT(tried, 0);
}

TEST_F(MissingBlocksOf, GetTheFieldsFillValue) {
  for (const auto& [value, expected] : std::vector<std::pair<AttributeValue, double>>{
           {std::vector<double>{-9e33}, -9e33}, {std::vector<double>{1, 2}, 0}, {std::string("1"), 0}}) {
    (*dataset_->schema.attributes_of(FieldId{0}).value())["_FillValue"] = value;
    ASSERT_TRUE(
        read(part().header().box, part().header().bitmask.max_level(), {.missing = MissingBlocks::kFill})
            .ok());
    const auto points = points_of(samples_);
    const auto all = expected_samples(dataset_->schema.fields()[0], 0, 0, points);
    for (std::size_t n = 0; n < points.size(); ++n) {
      const auto i = static_cast<Index>(n);
      ASSERT_EQ(at(answer_, i), is_lost(points[n]) ? expected : at(all, i));
    }
  }
}

TEST_F(MissingBlocksOf, TakeTheNearestCoarserSample) {
  const Bitmask& mask = part().header().bitmask;
  for (const Box& box : {part().header().box, Box({3, 5}, {20, 17}), Box({5, 0}, {6, 18})}) {
    for (int level = 0; level <= mask.max_level(); ++level) {
      ASSERT_TRUE(read(box, level, {.missing = MissingBlocks::kNearest}).ok());
      std::vector<std::byte> expected;
      for (const Point& p : points_of(samples_)) {
        Point from = p;  // the answer for a box is that part of the answer for the whole grid
        while (is_lost(from)) {
          const int h = std::bit_width(static_cast<std::uint64_t>(hz_from_point(mask, from)));
          from[mask.digit(h)] -= mask.samples_new_at(h).stride[mask.digit(h)] / 2;
        }
        const auto value = expected_samples(dataset_->schema.fields()[0], 0, 0, {from});
        expected.insert(expected.end(), value.begin(), value.end());
      }
      ASSERT_EQ(answer_, expected) << level << " " << box.to_string();
    }
  }
}

TEST(BlockCache, KeepsTheMostRecentlyUsedBlocks) {
  BlockCache cache(100);
  const auto block = [](Index bytes) {
    auto made = std::make_shared<DecodedBlock>();
    made->size_bytes = bytes;
    return made;
  };
  const int part = 0;
  const auto key = [&](Index number) { return BlockCache::Key{&part, 0, 0, number}; };
  cache.keep(key(1), block(40));
  cache.keep(key(2), block(40));
  EXPECT_TRUE(cache.find(key(1)));
  cache.keep(key(3), block(40));  // 2 was not used since then
  EXPECT_TRUE(cache.find(key(1)));
  EXPECT_FALSE(cache.find(key(2)));
  EXPECT_TRUE(cache.find(key(3)));
  cache.keep(key(4), block(101));
  EXPECT_FALSE(cache.find(key(4)));
  EXPECT_TRUE(cache.find(key(3)));
  cache.keep(key(5), block(100));
  EXPECT_FALSE(cache.find(key(3)));
  EXPECT_TRUE(cache.find(key(5)));
}

class FarFile final : public File {
 public:
  explicit FarFile(std::unique_ptr<File> inner) : inner_(std::move(inner)) {}
  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    return inner_->read_at(bytes, offset);
  }
  Result<Index> size_bytes() const override { return inner_->size_bytes(); }
  Index cheap_gap_bytes() const override { return Index{256} << 10; }
  Status write_at(std::span<const std::byte>, Index) override { return only_read(); }
  Status extend_to(Index) override { return only_read(); }
  Status shrink_to(Index) override { return only_read(); }
  Status sync() override { return only_read(); }
  Status close() override { return {}; }

 private:
  static Status only_read() { return Status(Code::kUnsupported, "only to be read"); }
  std::unique_ptr<File> inner_;
};

/// A store with remote files.
class RemoteStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  [[nodiscard]] bool is_local() const override { return false; }
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    ESKER_ASSIGN_OR_RETURN(auto file, inner().open(path, mode));
    return std::unique_ptr<File>(std::make_unique<FarFile>(std::move(file)));
  }
  Result<bool> exists(const std::string& path) const override {
    if (refuses_what_is_missing && !*inner().exists(path))
      return error(Code::kIoError, "{}: forbidden", path);
    return inner().exists(path);
  }
  bool refuses_what_is_missing = false;
};

TEST(BlockCache, AvoidsSecondReadsOfRemoteBlocks) {
  const auto store = memory_store();
  RunPlan run;
  run.single = true;
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = idx::IdxDataset::open(std::make_shared<RemoteStore>(store), run.path).value();
  const Box grid = dataset.box(0);
  const int level = dataset.bitmask(0).value().max_level();
  std::vector<std::byte> first(static_cast<std::size_t>(grid.num_samples()) * 8), second = first;
  BlockCache cache(Index{1} << 20);
  ReadCounters counters;
  const ReadContext context{.threads = 3, .cache = &cache, .counters = &counters};
  ASSERT_TRUE(read_box(dataset, 0, 0, grid, level, first.data(), context).ok());
  const Index reads = counters.reads, blocks = counters.blocks;
  EXPECT_GT(reads, 0);
  EXPECT_LT(reads, blocks);  // neighbours in one call
  ASSERT_TRUE(read_box(dataset, 0, 0, grid, level, second.data(), context).ok());
  EXPECT_EQ(counters.reads, reads);
  EXPECT_EQ(counters.cached_blocks, blocks);
  EXPECT_EQ(first, second);
  BlockCache small(1000);  // too small for the whole query
  ReadCounters again;
  for (int n = 0; n < 2; ++n) {
    ASSERT_TRUE(
        read_box(dataset, 0, 0, grid, level, second.data(), {.cache = &small, .counters = &again}).ok());
  }
  EXPECT_EQ(again.cached_blocks, 0);
}

// Tasks have blocks of all levels, which are spread over the whole file, between blocks of other tasks.
TEST(RemoteDatasets, AreNotFetchedManyTimesByManyThreads) {
  const auto store = memory_store();
  RunPlan run;
  run.single = true;
  run.options = {{"bits_per_block", "3"}, {"blocks_per_file", "256"}};
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = idx::IdxDataset::open(std::make_shared<RemoteStore>(store), run.path).value();
  const Box grid = dataset.box(0);
  const int level = dataset.bitmask(0).value().max_level();
  std::vector<std::byte> answer(static_cast<std::size_t>(grid.num_samples()) * 8);
  ReadCounters counters;
  ASSERT_TRUE(
      read_box(dataset, 0, 0, grid, level, answer.data(), {.threads = 16, .counters = &counters}).ok());
  const Index stored = dataset.parts[0]->num_blocks() * dataset.parts[0]->blocks().samples_per_block() * 8;
  EXPECT_LE(counters.bytes, 2 * stored);
}

TEST(RemoteDatasets, OpenIfTheServerDoesNotReportMissingFiles) {
  const auto store = memory_store();
  RunPlan run;
  run.single = true;
  ASSERT_TRUE(write_all(store, run).ok());
  const auto far = std::make_shared<RemoteStore>(store);
  far->refuses_what_is_missing = true;
  ASSERT_TRUE(store->remove("run.schema.json").ok());
  const auto opened = open_dataset(far, run.path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ(open_dataset(far, "nothing.idx").status().code(), Code::kIoError);
}

// Without its record, a dataset would be read with wrong times, and damage could not be detected.
TEST(CutShort, ATruncatedIdxOfEskerIsNotReadAsAnotherPrograms) {
  const auto store = memory_store();
  RunPlan run;
  run.single = true;
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string whole = read_text(*store, "run.idx", 1 << 20).value();
  int with_remedy = 0;
  for (std::size_t size = whole.find("(esker)"); size > 20; size -= 7) {
    const auto file = store->open("run.idx", OpenMode::kWrite).value();
    ASSERT_TRUE(file->shrink_to(static_cast<Index>(size)).ok());
    const auto data = open_dataset(store, "run.idx");
    ASSERT_EQ(data.status().code(), Code::kDataLoss) << size;
    with_remedy += data.status().message().find("repair --rebuild") != std::string::npos;
  }
  EXPECT_GT(with_remedy, 3);
}

TEST(Parts, NameTheFieldsOfTheSchema) {
  for (const bool single : {true, false}) {
    const auto store = memory_store();
    RunPlan run;
    run.single = single;
    ASSERT_TRUE(write_all(store, run).ok());
    const auto data = open_dataset(store, run.path).value();
    std::size_t named = 0;
    for (const PartInfo& part : data->infos) {
      named += part.fields.size();
      for (const std::string& name : part.fields) EXPECT_TRUE(data->schema.find_field(name)) << name;
    }
    EXPECT_EQ(named, data->schema.fields().size());
  }
}

}  // namespace
}  // namespace esker
