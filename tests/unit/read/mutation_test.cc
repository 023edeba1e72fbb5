// A dataset with one damaged bit, or an edited .idx, gives the right values or an error, never wrong values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/idx/commit_record.h"
#include "formats/idx/entries.h"
#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "support/mutate.h"
#include "support/read_box.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

/// The content of a dataset: times, names and types of the fields, and every sample.
struct Contents {
  std::vector<double> times;
  std::vector<std::string> fields;
  std::vector<std::vector<std::byte>> samples;
  std::vector<std::vector<MeshBox>> patches;  ///< [position in samples]
  int num_errors = 0;
};

/// Reads all parts of a dataset; parts with errors are empty.
Contents read_all(const OpenedDataset& data, bool verify) {
  Contents all;
  all.times = data.times;
  for (std::size_t f = 0; f < data.schema.fields().size(); ++f) {
    const Field& field = data.schema.fields()[f];
    const int number = static_cast<int>(f);
    all.fields.push_back(fmt::format("{} {} {}", field.name, name(field.type), field.components));
    const auto num_steps = field.fixed ? Index{1} : static_cast<Index>(data.times.size());
    for (Index step = 0; step < num_steps; ++step) {
      auto& samples = all.samples.emplace_back();
      all.patches.emplace_back();
      if (!data.has(number, step)) continue;
      const Box box = data.box(number);
      samples.resize(static_cast<std::size_t>(box.num_samples() * field.sample_bytes()));
      const int level = data.bitmask(number).value().max_level();
      const auto patches = data.patches(number, step);
      if (patches.ok()) all.patches.back() = *patches;
      if (read_box(data, number, step, box, level, samples.data(), {.verify = verify}).ok()) continue;
      samples.clear();
      ++all.num_errors;
    }
  }
  return all;
}

/// The dataset whose files are damaged.
struct Kind {
  const char* name;
  std::vector<std::string> texts, block_files;
  bool is_small;  ///< each bit is changed
  bool has_mesh = false;

  [[nodiscard]] bool is_single() const { return texts.front() == "run.idx"; }
};

const std::vector<Kind> kKinds{
    {"OneGrid", {"run.idx"}, {"run/time_0001/0000.bin", "run/time_0000/0004.bin"}, true},
    {"SeveralGrids",
     {"run/xyz.idx", "run/xy.idx", "run/xy_fixed.idx", "run/esker.json"},
     {"run/xyz/time_0001/0000.bin", "run/xy/time_0000/0000.bin", "run/xy_fixed/0000.bin"},
     false},
    {"OfAMesh",
     {"run.idx", "run.schema.json", "run/time_0000/blocks.set", "run/time_0001/blocks.set"},
     {"run/time_0001/0000.bin", "run/time_0000/0000.bin"},
     true,
     true}};

class Mutation : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    run_.single = GetParam().is_single();
    if (GetParam().has_mesh) run_.schema = mesh_schema();
    run_.end_step = 2;
    ASSERT_TRUE(write_all(store_, run_).ok());
    good_ = read_all(*open_dataset(store_, run_.path).value(), true);
    ASSERT_EQ(good_.num_errors, 0);
  }

  void put(const std::string& path, const std::string& text) {
    store_->remove(path).check();
    store_->create_exclusive(path, text).check();
  }

  /// Whether a dataset with this text gives right values or errors.
  bool is_right_or_error(const std::string& path, const std::string& text, bool verify) {
    put(path, text);
    const auto data = open_dataset(store_, run_.path);
    num_errors_ += data.ok() ? 0 : 1;
    if (!data.ok()) return true;
    const Contents found = read_all(**data, verify);
    num_errors_ += found.num_errors > 0 ? 1 : 0;
    if (found.times != good_.times || found.fields != good_.fields) return false;
    for (std::size_t i = 0; i < good_.samples.size(); ++i) {
      if (!found.samples[i].empty() && found.samples[i] != good_.samples[i]) return false;
      if (!found.patches[i].empty() && found.patches[i] != good_.patches[i]) return false;
    }
    return true;
  }

  void flip_each_bit(const std::string& path, std::size_t begin, std::size_t end, std::size_t step,
                     bool verify) {
    const std::string good = read_text(*store_, path, 1 << 24).value();
    for (std::size_t bit = 8 * begin; bit < 8 * std::min(end, good.size()); bit += step) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      EXPECT_TRUE(is_right_or_error(path, bad, verify)) << path << ", bit " << bit;
      ++num_mutants_;
    }
    put(path, good);
  }

  [[nodiscard]] const std::vector<std::string>& texts() const { return GetParam().texts; }
  [[nodiscard]] const std::vector<std::string>& block_files() const { return GetParam().block_files; }
  [[nodiscard]] bool is_small() const { return GetParam().is_small; }

  RunPlan run_;
  std::shared_ptr<Store> store_ = memory_store();
  Contents good_;
  int num_errors_ = 0, num_mutants_ = 0;
};

TEST_P(Mutation, AChangedBitOfATextIsDetected) {
  for (const std::string& path : texts()) flip_each_bit(path, 0, 1 << 20, is_small() ? 1 : 11, false);
  EXPECT_GT(num_mutants_, 1000);
  // Names and attributes in the description of a mesh change no sample.
  EXPECT_GT(num_errors_, num_mutants_ / (GetParam().has_mesh ? 4 : 2));
}

TEST_P(Mutation, AChangedBitOfATableOfBlocksIsDetected) {
  for (const std::string& path : block_files())
    flip_each_bit(path, 0, 4 * 40 + 40, is_small() ? 1 : 5, false);
  EXPECT_GT(num_mutants_, 900);
  EXPECT_GT(num_errors_, num_mutants_ / 2);
}

TEST_P(Mutation, AChangedBitOfABlockIsDetectedWithVerify) {
  const std::size_t stride = 8 * (is_small() ? 31 : 499) + 1;
  for (const std::string& path : block_files()) flip_each_bit(path, 4096, 1 << 20, stride, true);
  EXPECT_GT(num_mutants_, 40);
  EXPECT_EQ(verify_dataset(store_, run_.path).value().num_errors, 0);  // the dataset is restored
}

TEST_P(Mutation, EditedTextsAreDetected) {
  std::mt19937 random(7);
  for (const std::string& path : texts()) {
    const std::string good = read_text(*store_, path, 1 << 24).value();
    for (int n = 0; n < (is_small() ? 1500 : 200); ++n) {
      const std::string bad = mutated(good, random);
      EXPECT_TRUE(is_right_or_error(path, bad, false)) << bad;
    }
    put(path, good);
  }
}

// OpenVisus prints fewer digits, default values and its own key order when it saves a header.
TEST_P(Mutation, AnEquivalentHeaderIsAccepted) {
  const std::string path = texts().front();
  const std::string good = read_text(*store_, path, 1 << 24).value();
  idx::Header header = idx::parse_header(good, "run").value();
  header.physic_box = {0, 1, 0, 1};
  for (idx::FieldEntry& field : header.fields) field.min = field.max = {0};
  header.other.insert(header.other.begin(), {"(note)", "saved by another program"});
  put(path, "# comment\n" + idx::print_header(header));
  EXPECT_TRUE(open_dataset(store_, run_.path).ok());
  EXPECT_EQ(verify_dataset(store_, run_.path).value().num_errors, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Mutation, testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

#ifdef ESKER_HAVE_HDF5
/// What VTKHDF files have no checksum for may be read with other values. Patches stay inside the levels.
class MutationOfLevels : public testing::Test {
 protected:
  void SetUp() override {
    run_.single = true;
    run_.schema = mesh_schema();
    run_.path = kSeries;
    run_.options = {{"format", "vtkhdf"}};
    run_.end_step = 2;
    ASSERT_TRUE(write_all(store_, run_).ok());
    ASSERT_EQ(read_all(*open_dataset(store_, kSeries).value(), true).num_errors, 0);
  }

  void read(const std::string& path, const std::string& text) {
    store_->remove(path).check();
    store_->create_exclusive(path, text).check();
    ++num_mutants_;
    const auto data = open_dataset(store_, kSeries);
    if (!data.ok()) {
      ++num_errors_;
      EXPECT_FALSE(data.status().message().empty());
      return;
    }
    const Contents found = read_all(**data, true);
    num_errors_ += found.num_errors > 0 ? 1 : 0;
    const auto& mesh = (*data)->schema.grids()[0].mesh;
    for (const auto& patches : found.patches) {
      for (const MeshBox& patch : patches) {
        EXPECT_TRUE(mesh && mesh->domain(patch.level).contains(patch.box)) << path << ": " << patch.level;
      }
    }
  }

  static constexpr const char* kSeries = "run.vtkhdf.series";
  RunPlan run_;
  std::shared_ptr<Store> store_ = memory_store();
  int num_errors_ = 0, num_mutants_ = 0;
};

TEST_F(MutationOfLevels, AChangedBitIsReadOrRefused) {
  for (const std::string path : {"run.vtkhdf.series", "run.vtkhdf.steps/000000.vtkhdf"}) {
    const std::string good = read_text(*store_, path, 1 << 24).value();
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += 31) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      read(path, bad);
    }
    read(path, good);
  }
  EXPECT_GT(num_mutants_, 1000);
  EXPECT_GT(num_errors_, num_mutants_ / 20);
}

TEST_F(MutationOfLevels, EditedFilesAreReadOrRefused) {
  std::mt19937 random(8);
  for (const std::string path : {"run.vtkhdf.series", "run.vtkhdf.steps/000001.vtkhdf"}) {
    const std::string good = read_text(*store_, path, 1 << 24).value();
    for (int n = 0; n < 700; ++n) read(path, mutated(good, random));
    read(path, good);
  }
  EXPECT_GT(num_errors_, num_mutants_ / 4);
}
#endif

// Files that were written before there were such checksums are read, and checked as they were then.
TEST(OlderFiles, AreReadAndChecked) {
  const idx::Header header = idx::parse_header(
                                 "(version)\n6\n(box)\n0 7 0 7\n(fields)\nv "
                                 "uint8\n(bits)\nV010101\n(bitsperblock)\n4\n(blocksperfile)\n4\n"
                                 "(time)\n0 0 time_%04d/\n(filename_template)\n./run/%04x.bin\n",
                                 "run")
                                 .value();
  const idx::CommitRecord record{2, {0.0}, {}, {}, 4096, true, {}};
  const auto store = memory_store();
  idx::Header with_record = header;
  with_record.other.emplace_back(idx::kRecordKey, idx::print_commit_record(record));
  store->create_exclusive("run.idx", idx::print_header(with_record)).check();
  std::vector<idx::BlockEntry> entries;
  const std::vector<std::byte> block(16, std::byte{5});
  for (Index b = 0; b < 4; ++b) {
    const auto sum = idx::block_checksum(0, b, 0x10, block, idx::SumVersion::kBytes);
    entries.push_back({200 + 16 * b, 16, 0x10, sum, idx::SumVersion::kBytes});
  }
  const auto bytes = idx::encode_headers(entries, idx::file_identity(header, 0, 0, idx::SumVersion::kBytes));
  const auto file = store->open("run/time_0000/0000.bin", OpenMode::kWrite).value();
  file->write_at(bytes, 0).check();
  for (const auto& entry : entries) file->write_at(block, entry.offset_bytes).check();
  const auto report = verify_dataset(store, "run.idx").value();
  EXPECT_EQ(report.blocks_with_checksum, 4);
  EXPECT_EQ(report.num_errors, 1)
      << report.findings.back().text;  // without a schema file no writer can continue
  file->write_at(std::vector<std::byte>(1), 200).check();
  EXPECT_GT(verify_dataset(store, "run.idx").value().num_errors, report.num_errors);
}

}  // namespace
}  // namespace esker
