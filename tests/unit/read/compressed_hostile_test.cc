// Damaged block files of compressed fields: errors and findings, little memory, no crash.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "formats/idx/entries.h"
#include "formats/idx/idx_dataset.h"
#include "formats/registry/verify.h"
#include "store/commit.h"
#include "support/mutate.h"
#include "support/read_box.h"
#include "support/scenario.h"
#include "support/test_new.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: damage and memory
using idx::BlockEntry;

constexpr Index kN = 20;
constexpr int kPerFile = 4, kNumFields = 2;
constexpr const char* kBlocks = "run/time_0000/0000.bin";
constexpr std::size_t kMuch = std::size_t{1} << 20;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// One step of `lossy` (zfp within 0.001) and `exact` (zip), in blocks of 512 samples.
class CompressedHostile : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.set("bits_per_block", "9").check();
    options.set("blocks_per_file", std::to_string(kPerFile)).check();
    options.set("report", "none").check();
    Schema schema;
    const DimId x = schema.add_dim("x", kN).value(), y = schema.add_dim("y", kN).value();
    const DimId z = schema.add_dim("z", kN).value();
    const int grid = schema.add_grid("xyz", {x, y, z}).value().index;
    for (const auto& [name, compression] :
         {std::pair("lossy", "zfp-accuracy=1e-3"), std::pair("exact", "zip")}) {
      schema.add_field({name, grid, SampleType::kFloat64, 1, false, 1, {}, compression}).status().check();
    }
    auto pipeline = WritePipeline::create(Communicator::serial().get(), store_, "run.idx", options).value();
    pipeline->define({}, schema).check();
    const Box all{{0, 0, 0}, {kN, kN, kN}};
    for_each_point(all, [&](const Point& p) {
      samples_.push_back(std::sin(0.1 * static_cast<double>(p[0] + 2 * p[1])) + static_cast<double>(p[2]));
    });
    StepInput input{{}, 0, 0.0, {}};
    for (int field = 0; field < kNumFields; ++field) {
      input.patches.push_back({Patch::dense(all, samples_.data())});
    }
    pipeline->write_step(std::move(input)).check();
    good_ = read_text(*store_, kBlocks, 1 << 24).value();
  }

  [[nodiscard]] static std::size_t table_bytes() {
    return static_cast<std::size_t>(idx::headers_bytes(kPerFile, kNumFields));
  }

  [[nodiscard]] std::vector<BlockEntry> good_entries() const {
    const auto table = std::as_bytes(std::span(good_)).first(table_bytes());
    return idx::decode_headers(table, kPerFile * kNumFields, std::ssize(good_)).value();
  }

  void put(const std::string& content) {
    store_->remove(kBlocks).check();
    store_->create_exclusive(kBlocks, content).check();
  }

  /// The block file with these entries, and a table whose checksum matches; the checksum of entry `changed`
  /// matches its bytes.
  void put_entries(std::vector<BlockEntry> entries, int changed = -1) {
    std::string content = good_;
    const auto bytes = std::as_bytes(std::span(content));
    if (changed >= 0) {
      BlockEntry& entry = entries[static_cast<std::size_t>(changed)];
      const auto stored = bytes.subspan(static_cast<std::size_t>(entry.offset_bytes),
                                        static_cast<std::size_t>(entry.size_bytes));
      const int field = changed / kPerFile;
      entry.checksum = idx::block_checksum(field, changed % kPerFile, entry.flags, stored, entry.sum_version);
    }
    const auto headers = idx::encode_headers(entries, idx::identity_of(bytes.first(table_bytes())));
    std::copy_n(reinterpret_cast<const char*>(headers.data()), headers.size(), content.begin());
    put(content);
  }

  /// Reads a field of 64 KB.
  Status read(int field, bool verify = false) {
    const auto dataset = idx::IdxDataset::open(store_, "run.idx").value();
    std::vector<double> out(samples_.size());
    largest_allocation = 0;
    const Status status = read_box(dataset, field, 0, dataset.box(field), dataset.bitmask(field)->max_level(),
                                   reinterpret_cast<std::byte*>(out.data()), {.verify = verify});
    EXPECT_LT(largest_allocation, kMuch);
    return status;
  }

  Status errors() {
    largest_allocation = 0;
    const auto found = idx::IdxDataset::open(store_, "run.idx")->errors(0, 0);
    EXPECT_LT(largest_allocation, kMuch);
    return found.status();
  }

  VerifyReport verified() {
    const ReadOriginal original = [&](const std::string&, Index, const Lattice& lattice,
                                      std::span<std::byte> out) -> Result<bool> {
      auto* to = reinterpret_cast<double*>(out.data());
      for_each_point(lattice.all_indices(), [&](const Point& index) {
        const Point p = lattice.point(index);
        *to++ = samples_[static_cast<std::size_t>(p[0] + kN * (p[1] + kN * p[2]))];
      });
      return true;
    };
    return verify_dataset(store_, "run.idx", {}, &original).value();
  }

  void expect_finding(const std::string& words) {
    const VerifyReport report = verified();
    const auto has_words = [&](const Finding& finding) {
      return finding.is_error && finding.text.find(words) != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(), has_words))
        << words << "; found " << (report.findings.empty() ? "nothing" : report.findings.front().text);
  }

  std::shared_ptr<Store> store_ = memory_store();
  std::vector<double> samples_;
  std::string good_;
};

TEST_F(CompressedHostile, TheDatasetIsGood) {
  put_entries(good_entries());
  EXPECT_TRUE(read(0, true).ok() && read(1, true).ok() && errors().ok());
  const VerifyReport report = verified();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.blocks_compared, report.blocks);
}

TEST_F(CompressedHostile, SizesBeyondTheFile) {
  for (const Index size : {std::ssize(good_), Index{1} << 30, (Index{1} << 31) - 1, Index{1} << 31}) {
    auto entries = good_entries();
    entries[1].size_bytes = size;
    put_entries(entries);
    EXPECT_EQ(read(0).code(), Code::kDataLoss);
    EXPECT_EQ(errors().code(), Code::kDataLoss);
    expect_finding("entry 1");
  }
}

TEST_F(CompressedHostile, OverlappingBlocks) {
  auto entries = good_entries();
  entries[1].offset_bytes = entries[0].offset_bytes + 8;
  put_entries(entries, 1);
  (void)read(0);  // values or an error
  expect_finding("overlap");
}

// All streams have the right checksum, as if a writer had made them so. zfp decodes a few bits to cells of
// zeros, so only the comparison with the original shows that the stream of one byte is too short.
TEST_F(CompressedHostile, StreamsThatEndEarly) {
  for (const int number : {0, 1, kPerFile, kPerFile + 1}) {
    const Index whole = good_entries()[static_cast<std::size_t>(number)].size_bytes;
    for (const Index size : {Index{1}, Index{8}, whole / 2, whole - 8}) {
      auto entries = good_entries();
      entries[static_cast<std::size_t>(number)].size_bytes = size;
      put_entries(entries, number);
      const Status status = read(number / kPerFile);
      EXPECT_TRUE(size == 1 || status.code() == Code::kDataLoss) << number << ": " << size << " of " << whole;
      EXPECT_GT(verified().num_errors, 0);
    }
  }
}

TEST_F(CompressedHostile, ErrorsThatAreNotNumbersOrNegative) {
  using idx::BlockErrors;
  const std::vector<BlockErrors> all_bad{{kNaN, 0}, {1, kNaN}, {-1, 0}, {1, -1}};
  for (const BlockErrors& bad : all_bad) {
    auto entries = good_entries();
    entries[2].errors = bad;
    put_entries(entries);
    EXPECT_EQ(read(0).code(), Code::kDataLoss);
    EXPECT_EQ(errors().code(), Code::kDataLoss);
    expect_finding("expected numbers of 0 or more");
  }
}

TEST_F(CompressedHostile, ErrorsThatAreNotTheTrueOnes) {
  auto entries = good_entries();
  entries[2].errors = idx::BlockErrors{1e-9F, 1e-9F};
  put_entries(entries);
  EXPECT_TRUE(read(0, true).ok());
  expect_finding("field 'lossy', step 0, block 2: differs");
  entries[2].errors = idx::BlockErrors{std::numeric_limits<float>::infinity(), 0};
  put_entries(entries);
  expect_finding("as the largest");
}

// The tag of blocks with errors, but neither a checksum nor errors behind it.
TEST_F(CompressedHostile, TagsWithoutChecksums) {
  auto entries = good_entries();
  for (BlockEntry& entry : entries) {
    entry.checksum = 0;
    entry.errors = idx::BlockErrors{};
  }
  put_entries(entries);
  EXPECT_TRUE(read(0).ok());
  EXPECT_EQ(read(0, true).code(), Code::kDataLoss);
  EXPECT_TRUE(errors().ok());
  expect_finding("checksum does not match");
}

TEST_F(CompressedHostile, AnotherCodecInTheFlags) {
  for (const std::uint32_t codec : {0u, 3u, 4u, 7u, 8u, 9u}) {
    for (const int number : {1, kPerFile + 1}) {
      auto entries = good_entries();
      BlockEntry& entry = entries[static_cast<std::size_t>(number)];
      if (entry.codec_bits() == codec) continue;
      entry.flags = 0x10 | codec;
      put_entries(entries, number);
      EXPECT_FALSE(read(number / kPerFile).ok()) << codec;
      EXPECT_GT(verified().num_errors, 0);
    }
  }
}

// Tables and streams with changed bytes, and checksums that match: every number in them counts.
TEST_F(CompressedHostile, ChangedBytes) {
  std::mt19937 random(18);
  const std::size_t first = static_cast<std::size_t>(idx::kFileHeaderBytes);
  for (int round = 0; round < 1500 && !HasFailure(); ++round) {
    std::string bad = good_;
    const bool in_table = round % 2 == 0;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = in_table ? first + below(random, table_bytes() - first)
                                      : below(random, bad.size() - table_bytes()) + table_bytes();
      bad[at] = static_cast<char>(random());
    }
    if (round % 10 == 1) truncate(bad, random);
    const auto bytes = std::as_bytes(std::span(bad));
    if (bytes.size() >= table_bytes()) {
      const auto entries =
          idx::decode_headers(bytes.first(table_bytes()), kPerFile * kNumFields, std::ssize(bad));
      const auto sealed = entries.ok()
                              ? idx::encode_headers(*entries, idx::identity_of(bytes.first(table_bytes())))
                              : std::vector<std::byte>();
      std::copy_n(reinterpret_cast<const char*>(sealed.data()), sealed.size(), bad.begin());
    }
    put(bad);
    (void)read(0);
    (void)read(1);
    (void)errors();
    largest_allocation = 0;
    (void)verified();
    EXPECT_LT(largest_allocation, kMuch);
  }
}

}  // namespace
}  // namespace esker
