// Reads datasets of PIDX: samples in HZ order, chunks raw and compressed, partitions, and damaged files.
#include <gtest/gtest.h>

#include "formats/idx/idx_dataset.h"
#include "support/pidx_files.h"
#include "support/read_box.h"

namespace esker {
namespace {

using testing_support::PidxField;
using testing_support::PidxFiles;

/// The answer to one query, as bytes, from the reader only.
void check_query(const idx::IdxPart& part, int field, Index step, const Box& box, int level,
                 const std::function<std::vector<std::byte>(const Point&)>& expected) {
  const Lattice selection = part.select(box, level);
  std::vector<std::byte> want;
  for (const Point& p : testing_support::points_of(selection)) {
    if (selection.num_samples() == 0) break;
    const auto bytes = expected(p);
    want.insert(want.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> answer(want.size(), std::byte{0xdb});
  const Status status = testing_support::read_box(part, {field}, step, box, level, answer.data());
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(answer, want) << "level " << level << ", box " << box.to_string();
}

/// Every level of the whole box, and random boxes at random levels, of every field and step.
void check_all_queries(const PidxFiles& files) {
  const auto store = memory_store();
  files.write(*store);
  const auto dataset = idx::IdxDataset::open(store, files.stem + ".idx");
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  const idx::IdxPart& part = *dataset->parts[0];
  const Box whole = part.header().box;
  const int max_level = part.header().bitmask.max_level();
  testing_support::Random random(11);
  for (int f = 0; f < static_cast<int>(files.fields.size()); ++f) {
    for (Index step = files.first_step; step <= files.last_step; ++step) {
      std::map<Point, std::vector<std::byte>> known;
      const auto expected = [&](const Point& p) {
        auto& bytes = known[p];
        if (bytes.empty()) bytes = files.expected(f, step, p);
        return bytes;
      };
      for (int level = 0; level <= max_level; ++level) {
        check_query(part, f, part.step_at(step), whole, level, expected);
      }
      for (int round = 0; round < 25; ++round) {
        const int level = static_cast<int>(random.in(0, max_level));
        check_query(part, f, part.step_at(step), random.box_in(whole), level, expected);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// A box that is no power of two, with PIDX' mask for it: boxes of 8 x 8 x 8 in z, y, x, then their samples.
PidxFiles plain_files() {
  PidxFiles files;
  files.extent = {15, 9, 13, 1, 1};
  files.bits = "V210210210210";
  files.bits_per_block = 6;
  files.blocks_per_file = 16;
  files.first_step = 3;
  files.last_step = 4;
  files.fields = {
      {"temp", SampleType::kFloat64, 1}, {"vel", SampleType::kFloat32, 3}, {"id", SampleType::kInt32, 1}};
  return files;
}

TEST(Pidx, ReadsSeveralFieldsAndStepsOfBothDialects) {
  PidxFiles files = plain_files();
  check_all_queries(files);
  files.version_6_0 = true;
  files.mode = "0";
  files.bits = "V222111000210";  // boxes of 2 x 2 x 2: first all z, all y and all x digits of their numbers
  files.extent = {13, 16, 9, 1, 1};
  check_all_queries(files);
}

TEST(Pidx, ReadsFilesOfAnyFileSystemBlockSize) {
  PidxFiles files = plain_files();
  for (const Index bytes : {1, 4096, 1 << 16}) {
    files.fs_block_bytes = bytes;
    check_all_queries(files);
  }
}

TEST(Pidx, LeavesOutBlocksWithoutSamples) {
  PidxFiles files = plain_files();
  files.extent = {5, 3, 9, 1, 1};
  files.bits_per_block = 3;
  const auto blocks = files.blocks(0, 3);
  ASSERT_TRUE(std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.empty(); }));
  check_all_queries(files);
}

TEST(Pidx, FindsBlocksNextToTheIdxForAnyWrittenPath) {
  PidxFiles files = plain_files();
  files.stem = "elsewhere/run";
  const auto store = memory_store();
  files.write(*store);
  for (const char* directory : {"./", "./elsewhere/", ".//scratch/user/elsewhere/"}) {
    std::string header = files.header();
    header.replace(header.find("./run/"), 6, std::string(directory) + "run/");
    store->remove("elsewhere/run.idx").check();
    PidxFiles::write_bytes(*store, "elsewhere/run.idx", header);
    const auto dataset = idx::IdxDataset::open(store, "elsewhere/run.idx");
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    check_query(*dataset->parts[0], 0, 1, {{4, 4, 4}, {6, 6, 6}}, 12,
                [&](const Point& p) { return files.expected(0, 4, p); });
  }
}

/// Chunks of a box that is no multiple of 4: 4 x 3 x 2 chunks.
PidxFiles chunked_files(int compression, double rate, std::vector<PidxField> fields) {
  PidxFiles files;
  files.extent = {15, 9, 6, 1, 1};
  files.bits = "V10210";
  files.bits_per_block = 2;
  files.blocks_per_file = 4;
  files.compression = compression;
  files.rate = rate;
  files.last_step = 1;
  files.fields = std::move(fields);
  return files;
}

TEST(PidxChunks, RawChunksOfAnyType) {
  check_all_queries(chunked_files(1, 64,
                                  {{"a", SampleType::kFloat64, 1},
                                   {"b", SampleType::kUint8, 1},
                                   {"c", SampleType::kInt16, 1},
                                   {"d", SampleType::kFloat32, 1}}));
}

TEST(PidxChunks, CompressedChunksHaveTheValuesOfZfp) {
  for (const double rate : {0.25, 2.0, 8.0, 16.0, 32.0}) {
    SCOPED_TRACE(rate);
    check_all_queries(
        chunked_files(2, rate, {{"single", SampleType::kFloat32, 1}, {"wide", SampleType::kFloat64, 1}}));
  }
  check_all_queries(chunked_files(2, 64, {{"wide", SampleType::kFloat64, 1}}));
}

TEST(PidxChunks, AnyBlockSizeAndMask) {
  PidxFiles files = chunked_files(1, 64, {{"a", SampleType::kFloat32, 1}});
  for (const int bits : {0, 1, 3, 4, 5}) {  // 0: a block is one chunk; 5: all chunks
    files.bits_per_block = bits;
    check_all_queries(files);
  }
  files.bits_per_block = 2;
  for (const char* mask : {"V00112", "V2210100", "V011002"}) {  // also larger than needed
    files.bits = mask;
    check_all_queries(files);
  }
}

TEST(PidxChunks, AxesOfOneChunkHaveNoDigit) {
  PidxFiles files = chunked_files(1, 64, {{"a", SampleType::kFloat32, 1}});
  files.bits = "V1010";
  for (const Index depth : {1, 3, 4}) {
    files.extent = {15, 9, depth, 1, 1};
    check_all_queries(files);
  }
  files.bits = "V22";
  files.extent = {3, 4, 13, 1, 1};
  check_all_queries(files);
}

TEST(PidxChunks, DialectOfVersion60) {
  PidxFiles files = chunked_files(2, 16, {{"a", SampleType::kFloat64, 1}});
  files.version_6_0 = true;
  files.mode = "0";
  check_all_queries(files);
}

TEST(PidxChunks, ShowSamplesToUsers) {
  const PidxFiles files = chunked_files(2, 16, {{"a", SampleType::kFloat64, 1}});
  const auto store = memory_store();
  files.write(*store);
  const auto dataset = idx::IdxDataset::open(store, "run.idx").value();
  EXPECT_EQ(dataset.infos[0].bitmask, "V10210012012");
  EXPECT_EQ(dataset.infos[0].bits_per_block, 8);
  EXPECT_EQ(dataset.infos[0].num_blocks, 7);  // of 8: one tile begins beyond y = 12
  EXPECT_EQ(dataset.infos[0].box, (Box{{0, 0, 0}, {15, 9, 6}}));
}

/// Reads all of field 0; returns the status code.
Code read_code(const std::shared_ptr<Store>& store) {
  const auto dataset = idx::IdxDataset::open(store, "run.idx");
  if (!dataset.ok()) return dataset.status().code();
  const idx::IdxPart& part = *dataset->parts[0];
  const Index samples = part.header().box.num_samples();
  std::vector<std::byte> answer(static_cast<std::size_t>(samples * part.header().fields[0].sample_bytes()));
  return testing_support::read_box(part, {0}, 0, part.header().box, part.header().bitmask.max_level(),
                                   answer.data())
      .code();
}

/// The files with `changed` as their header.
Code code_with_header(const PidxFiles& files, const std::string& from, const std::string& to) {
  const auto store = memory_store();
  files.write(*store);
  std::string header = files.header();
  header.replace(header.find(from), from.size(), to);
  store->remove("run.idx").check();
  PidxFiles::write_bytes(*store, "run.idx", header);
  return read_code(store);
}

TEST(PidxChunks, RatesTypesAndSizesThatDoNotFitAreErrors) {
  const PidxFiles files = chunked_files(2, 16, {{"a", SampleType::kFloat32, 1}});
  const auto rate = [&](const std::string& text) { return code_with_header(files, "16.000000", text); };
  EXPECT_EQ(rate("16"), Code::kOk);
  EXPECT_EQ(rate("8.0"), Code::kDataLoss);  // the entries say otherwise
  for (const char* bad : {"0", "-16", "nan", "inf", "1e300", "16.01", "65", "", "x"}) {
    EXPECT_EQ(rate(bad), Code::kDataLoss) << bad;
  }
  EXPECT_EQ(rate("64"), Code::kUnsupported);     // more than float32 has
  EXPECT_EQ(rate("0.125"), Code::kUnsupported);  // no room for an exponent
  EXPECT_EQ(code_with_header(files, "1*float32", "3*float32"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "1*float32", "1*uint8"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(compression type)\n2", "(compression type)\n3"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(compression type)\n2", "(compression type)\nzfp"), Code::kDataLoss);
  EXPECT_EQ(code_with_header(files, "(compression type)\n2", "(compression type)\n1"), Code::kDataLoss);
  EXPECT_EQ(code_with_header(files, "0 14 0 8", "0 16 0 8"), Code::kDataLoss);  // beyond the chunks
  EXPECT_EQ(code_with_header(files, "V10210", "V102103"), Code::kDataLoss);
  const std::string long_mask = "V" + std::string(57, '0');
  EXPECT_EQ(code_with_header(files, "V10210", long_mask), Code::kDataLoss);
  EXPECT_EQ(code_with_header(files, "(bitsperblock)\n2", "(bitsperblock)\n3"), Code::kDataLoss);
  EXPECT_EQ(code_with_header(files, "(cores)\n4", "(original box)\n0 3 0 2 0 1"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(cores)\n4", "(arco)\n4096"), Code::kUnsupported);
}

TEST(PidxChunks, DamagedFilesDoNotCrash) {
  const PidxFiles files = chunked_files(2, 8, {{"a", SampleType::kFloat64, 1}});
  const auto store = memory_store();
  files.write(*store);
  const std::string path = files.block_path(0, 0);
  const auto file = store->open(path, OpenMode::kRead).value();
  std::vector<std::byte> bytes(static_cast<std::size_t>(file->size_bytes().value()));
  ASSERT_TRUE(file->read_at(bytes, 0).ok());
  testing_support::Random random(2);
  const auto replace = [&](const std::vector<std::byte>& damaged) {
    store->remove(path).check();
    store->open(path, OpenMode::kWrite).value()->write_at(damaged, 0).check();
    return read_code(store);
  };
  EXPECT_EQ(replace({bytes.begin(), bytes.end() - 1}), Code::kDataLoss);
  EXPECT_EQ(replace(bytes), Code::kOk);
  auto flagged = bytes;
  flagged[40 + 4 * 5 + 3] = std::byte{0x10};  // row-major
  EXPECT_EQ(replace(flagged), Code::kDataLoss);
  for (int round = 0; round < 300; ++round) {
    auto damaged = bytes;
    for (Index n = random.in(1, 4); n > 0; --n) {
      damaged[static_cast<std::size_t>(random.in(0, static_cast<Index>(bytes.size()) - 1))] =
          static_cast<std::byte>(random.in(0, 255));
    }
    const Code code = replace(damaged);
    ASSERT_TRUE(code == Code::kOk || code == Code::kDataLoss || code == Code::kUnsupported);
  }
}

TEST(PidxChunks, DamagedHeadersDoNotCrash) {
  const PidxFiles files = chunked_files(2, 8, {{"a", SampleType::kFloat64, 1}});
  const auto store = memory_store();
  files.write(*store);
  const std::string header = files.header();
  const std::string characters = "0123456789.-V\n()* ";
  testing_support::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = header;
    for (Index n = random.in(1, 3); n > 0; --n) {
      damaged[static_cast<std::size_t>(random.in(0, static_cast<Index>(damaged.size()) - 1))] =
          characters[static_cast<std::size_t>(random.in(0, static_cast<Index>(characters.size()) - 1))];
    }
    store->remove("run.idx").check();
    PidxFiles::write_bytes(*store, "run.idx", damaged);
    const auto dataset = idx::IdxDataset::open(store, "run.idx");
    if (!dataset.ok() || dataset->parts[0]->header().box.num_samples() > 1 << 20) continue;
    if (dataset->parts[0]->header().fields[0].components > 16 || dataset->parts[0]->times().empty()) continue;
    const Code code = read_code(store);
    ASSERT_TRUE(code == Code::kOk || code == Code::kDataLoss || code == Code::kUnsupported) << damaged;
  }
}

TEST(Pidx, RefusesOtherFilesAndUncertainCases) {
  const PidxFiles files = plain_files();
  EXPECT_EQ(code_with_header(files, "(io mode)\nidx", "(io mode)\nraw"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(io mode)\nidx", "(io mode)\nparticle"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(endian)\nlittle", "(endian)\nbig"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(endian)\nlittle", "(endian)\n0"), Code::kUnsupported);
  EXPECT_EQ(code_with_header(files, "(endian)\nlittle", "(endian)\n1"), Code::kOk);
}

/// A dataset of `count` partitions of 8 x 8 x 8 samples in one store; values are those of the whole.
struct Partitioned {
  PidxFiles whole;
  std::vector<PidxFiles> parts;

  explicit Partitioned(const Point& extent, const Point& count, bool clipped, int compression = 0) {
    whole.extent = extent;
    whole.compression = compression;
    whole.rate = 16;
    whole.mode = "l_part_idx";
    whole.last_step = 1;
    whole.with_blocks = false;
    whole.fields = {{"a", SampleType::kFloat64, 1}, {"b", SampleType::kFloat32, compression == 0 ? 3 : 1}};
    whole.bits = "V" + partition_digits(count) + local_digits();
    whole.bits_per_block = 3;
    whole.more_keys = fmt::format("(partition count)\n{} {} {}\n", count[0], count[1], count[2]);
    for (int k = 0; k < count[0] * count[1] * count[2]; ++k) add_part(k, count, clipped);
  }
  void write(Store& store) const {
    whole.write(store);
    for (const PidxFiles& part : parts) part.write(store);
  }

 private:
  [[nodiscard]] std::string local_digits() const { return whole.compression == 0 ? "210210210" : "210"; }
  static std::string partition_digits(const Point& count) {
    std::string digits;
    for (int a = 2; a >= 0; --a) {
      for (Index n = 1; n < count[a]; n *= 2) digits += static_cast<char>('0' + a);
    }
    return digits;
  }
  void add_part(int k, const Point& count, bool clipped) {
    const Point offset{8 * (k % count[0]), 8 * (k / count[0] % count[1]), 8 * (k / count[0] / count[1]), 0,
                       0};
    PidxFiles part = whole;
    part.stem = fmt::format("run_{}", k);
    part.bits = "V" + local_digits();
    part.with_blocks = true;
    part.offset = offset;
    for (int a = 0; a < 3; ++a) {
      if (offset[a] >= whole.extent[a]) return;  // PIDX has no such file
      part.extent[a] = clipped ? std::min<Index>(8, whole.extent[a] - offset[a]) : 8;
    }
    part.more_keys =
        fmt::format("(partition size)\n8 8 8\n(partition offset)\n{} {} {}\n(partition index)\n{}\n",
                    offset[0], offset[1], offset[2], k);
    part.value = [offset, extent = whole.extent](int field, Index step, Point p, int c) -> std::int64_t {
      for (int a = 0; a < 3; ++a) p[a] += offset[a];
      const bool inside = p[0] < extent[0] && p[1] < extent[1] && p[2] < extent[2];
      return inside ? testing_support::value_at(field, step, p, c) : 0;
    };
    parts.push_back(part);
  }
};

void check_whole(const Partitioned& files) {
  const auto store = memory_store();
  files.write(*store);
  const auto dataset = idx::IdxDataset::open(store, "run.idx");
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  const idx::IdxPart& part = *dataset->parts[0];
  testing_support::Random random(4);
  for (int f = 0; f < 2; ++f) {
    for (Index step = 0; step < 2; ++step) {
      const auto expected = [&](const Point& p) {
        for (const PidxFiles& local : files.parts) {
          const Point q{p[0] - local.offset[0], p[1] - local.offset[1], p[2] - local.offset[2], 0, 0};
          const bool inside = q[0] >= 0 && q[1] >= 0 && q[2] >= 0;
          if (inside && q[0] < 8 && q[1] < 8 && q[2] < 8) return local.expected(f, step, q);
        }
        return std::vector<std::byte>();
      };
      for (int level = 0; level <= part.header().bitmask.max_level(); ++level) {
        check_query(part, f, step, part.header().box, level, expected);
        check_query(part, f, step, random.box_in(part.header().box), level, expected);
      }
    }
  }
}

TEST(PidxPartitions, EachIsASeparateDataset) {
  const Partitioned files({16, 13, 8, 1, 1}, {2, 2, 1, 1, 1}, true);
  ASSERT_EQ(files.parts.size(), 4u);
  for (const PidxFiles& part : files.parts) check_all_queries(part);
}

TEST(PidxPartitions, TheWholeJoinsThem) {
  check_whole(Partitioned({16, 13, 8, 1, 1}, {2, 2, 1, 1, 1}, true));
  check_whole(Partitioned({13, 16, 20, 1, 1}, {2, 2, 4, 1, 1}, false));
  check_whole(Partitioned({16, 9, 8, 1, 1}, {2, 2, 1, 1, 1}, true, 1));
  check_whole(Partitioned({16, 9, 8, 1, 1}, {2, 2, 1, 1, 1}, false, 2));
}

TEST(PidxPartitions, PartitionsWithOtherMasksAreReadFinerAndSubsampled) {
  Partitioned files({16, 13, 8, 1, 1}, {2, 2, 1, 1, 1}, true);
  for (PidxFiles& part : files.parts) part.bits = "V000111222";
  check_whole(files);
}

TEST(PidxPartitions, TheWholeIsRefusedWhenPartsDoNotFit) {
  const auto refused = [](const std::function<void(Partitioned&)>& spoil) {
    Partitioned files({16, 13, 8, 1, 1}, {2, 2, 1, 1, 1}, true);
    spoil(files);
    const auto store = memory_store();
    files.write(*store);
    const Status status = idx::IdxDataset::open(store, "run.idx").status();
    EXPECT_NE(status.message().find("open run_0.idx ... run_"), std::string::npos) << status.message();
    return status.code();
  };
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(refused([](Partitioned& f) { f.parts.pop_back(); }), Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.parts.clear(); }), Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.parts[1].more_keys.clear(); }), Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.parts[1].fields.pop_back(); }), Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.parts[1].last_step = 0; }), Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.parts[2].more_keys = f.parts[3].more_keys; }), Code::kUnsupported);
  EXPECT_EQ(refused([&](Partitioned& f) { replace(f.parts[1].more_keys, "8 0 0", "0 0 0"); }),
            Code::kUnsupported);
  EXPECT_EQ(refused([&](Partitioned& f) { replace(f.parts[1].more_keys, "8 0 0", "7 0 0"); }),
            Code::kUnsupported);
  EXPECT_EQ(refused([&](Partitioned& f) { replace(f.parts[1].more_keys, "8 0 0", "-8 0 0"); }),
            Code::kUnsupported);
  EXPECT_EQ(refused([](Partitioned& f) { f.whole.mode = "g_part_idx"; }), Code::kUnsupported);
  EXPECT_EQ(refused([&](Partitioned& f) { replace(f.whole.more_keys, "2 2 1", "2000 2000 2000"); }),
            Code::kUnsupported);
}

TEST(PidxPartitions, StorageIsThatOfTheParts) {
  const Partitioned files({16, 13, 8, 1, 1}, {2, 2, 1, 1, 1}, true);
  const auto store = memory_store();
  files.write(*store);
  const auto dataset = idx::IdxDataset::open(store, "run.idx").value();
  StorageInfo info;
  ASSERT_TRUE(dataset.parts[0]->add_storage(info, 1).ok());
  EXPECT_GE(info.files, 4);
  Index blocks = 0;
  for (int k = 0; k < 4; ++k) {
    const auto part = idx::IdxDataset::open(store, fmt::format("run_{}.idx", k)).value();
    blocks += part.infos[0].num_blocks;
  }
  EXPECT_EQ(dataset.infos[0].num_blocks, blocks);
}

}  // namespace
}  // namespace esker
