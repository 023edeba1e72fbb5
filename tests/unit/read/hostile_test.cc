// Hostile datasets and queries: clear errors, little memory, no hang.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>

#include "codec/codec.h"
#include "esker/dataset.hpp"
#include "formats/idx/entries.h"
#include "formats/idx/idx_dataset.h"
#include "support/test_new.h"

namespace esker {
namespace {

using testing_support::largest_allocation;

constexpr std::size_t kLittle = std::size_t{1} << 20;
constexpr Index kMost = std::numeric_limits<Index>::max(), kLeast = std::numeric_limits<Index>::min();

/// Headers with one uint8 field on 8 x 8 samples, unless said otherwise.
struct Text {
  std::string fields = "v uint8", bits = "V010101", box = "0 7 0 7", bits_per_block = "4", more;

  [[nodiscard]] std::string str() const {
    return fmt::format(
        "(version)\n6\n(box)\n{}\n(fields)\n{}\n(bits)\n{}\n(bitsperblock)\n{}\n(blocksperfile)\n1\n"
        "(filename_template)\n./run/%04x.bin\n{}",
        box, fields, bits, bits_per_block, more);
  }
};

void put(Store& store, const std::string& path, std::string_view content, Index offset = 0) {
  const auto file = store.open(path, OpenMode::kWrite);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE((*file)->write_at(std::as_bytes(std::span(content)), offset).ok());
}

/// A file with one entry and, from byte 80 on, its block.
void put_block(Store& store, const std::string& path, std::uint32_t flags, std::string_view block) {
  const std::vector<idx::BlockEntry> entries{{80, static_cast<Index>(block.size()), flags}};
  const auto headers = idx::encode_headers(entries);
  put(store, path, {reinterpret_cast<const char*>(headers.data()), headers.size()});
  put(store, path, block, 80);
}

class HostileFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("esker-hostile-" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_ / "run");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  Result<Dataset> open(const Text& text) {
    std::ofstream(path("run.idx")) << text.str();
    return Dataset::open(path("run.idx"));
  }
  /// Reads [0, 4) of axis 0 and 0 of the others.
  Status read_corner(const Text& text) {
    const Dataset dataset = open(text).value();
    Query query{.field = "v", .box = dataset.box("v").value()};
    for (int a = 0; a < query.box->rank; ++a) query.box->hi[a] = query.box->lo[a] + (a == 0 ? 4 : 1);
    const Index samples = dataset.select(query).value().num_samples();
    std::vector<std::byte> out(static_cast<std::size_t>(samples) * 8);
    out.resize(static_cast<std::size_t>(samples * dataset.schema().fields()[0].sample_bytes()));
    largest_allocation = 0;
    return dataset.read(query, out.data(), out.size());
  }

  std::filesystem::path directory_;
  std::shared_ptr<Store> store_ = posix_store();
};

double seconds_to_open(const std::string& fields, std::size_t expected_fields) {
  const auto store = memory_store();
  put(*store, "run.idx", Text{.fields = fields, .more = {}}.str());
  const auto start = std::chrono::steady_clock::now();
  const auto dataset = idx::IdxDataset::open(store, "run.idx");
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_EQ(dataset.ok() ? dataset->schema.fields().size() : 0, expected_fields);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Quadratic code takes minutes for these; the bound is for debug builds under sanitizers.
TEST(HostileDataset, AHundredThousandFieldsOpenInLinearTime) {
  std::string different, alike;
  for (int k = 0; k < idx::kMaxFields; ++k) {
    different += fmt::format("f{} int8 +\n", k);
    // Names that become equal in a schema: letters of two bytes become "__".
    std::string name;
    for (int digits = k; name.size() < 40; digits /= 2) name += digits % 2 == 0 ? "\xc3\xa9" : "\xc3\xa8";
    alike += name + " int8 +\n";
  }
  EXPECT_LT(seconds_to_open(different, idx::kMaxFields), 25);
  EXPECT_LT(seconds_to_open(alike, idx::kMaxFields), 25);
}

TEST(HostileDataset, AxesOfOneNameAndSizeOpen) {
  const auto store = memory_store();
  put(*store, "run.idx", Text{.more = "(axis)\nx x\n"}.str());
  EXPECT_TRUE(idx::IdxDataset::open(store, "run.idx").ok());
}

TEST_F(HostileFiles, StorageCountsExistingFiles) {
  const Text huge{.bits = "V" + std::string(62, '0'),
                  .box = fmt::format("0 {}", (Index{1} << 61) - 1),
                  .more = "(time)\n0 1000000 t%04d/\n"};
  const Dataset dataset = open(huge).value();
  EXPECT_EQ(dataset.storage().value().files, 0);
  for (const char* counted :
       {"t0000/0000.bin", "t0007/bfff.bin", "t0007/abcd/0001.bin", "t1000000/0000.bin"}) {
    put(*store_, path("run/" + std::string(counted)), "12345");
  }
  for (const char* ignored :
       {"t0000/0000.bin~", "t0000/000g.bin", "t0000/ffff.bin", "t1000001/0000.bin", "t-001/0000.bin",
        "0000.bin", "t00007/0000.bin", "t0007/0000/0001.bin", "t0007/FFFF.bin", "t0007/x/0001.bin"}) {
    put(*store_, path("run/" + std::string(ignored)), "12345");
  }
  EXPECT_EQ(dataset.storage().value().files, 4);
  EXPECT_EQ(dataset.storage().value().bytes, 20);
}

TEST_F(HostileFiles, TheCostOfAHugeBlockFollowsTheRequest) {
  const Index block_bytes = Index{1} << 30;
  for (const InBlockOrder order : {InBlockOrder::kHz, InBlockOrder::kRowMajor}) {
    for (const char* file : {"0000", "0100", "0200"}) {  // where the samples 0; 2; 1 and 3 are
      const std::string name = path(fmt::format("run/{}.bin", file));
      const std::vector<idx::BlockEntry> entries{
          {80, block_bytes, idx::block_flags(order, idx::Codec::kRaw), {}}};
      const auto headers = idx::encode_headers(entries);
      put(*store_, name, {reinterpret_cast<const char*>(headers.data()), headers.size()});
      put(*store_, name, "\1", 80 + block_bytes - 1);  // a hole before it
    }
    const Status status = read_corner({.bits = "V" + std::string(40, '0'),
                                       .box = fmt::format("0 {}", (Index{1} << 40) - 1),
                                       .bits_per_block = "30",
                                       .more = {}});
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_LT(largest_allocation, kLittle);
  }
}

TEST_F(HostileFiles, AFewBytesAreNotABlockOfAGigabyte) {
  const std::string fields = "v float32 default_compression(zfp)";
  for (const idx::Codec codec : {idx::Codec::kRaw, idx::Codec::kZip, idx::Codec::kLz4, idx::Codec::kZfp}) {
    put_block(*store_, path("run/0000.bin"), idx::block_flags(InBlockOrder::kRowMajor, codec),
              std::string(1000, 'x'));
    const Status status = read_corner({.fields = fields,
                                       .bits = "V0101010101010101010101010101",
                                       .box = "0 16383 0 16383",
                                       .bits_per_block = "28",
                                       .more = {}});
    EXPECT_EQ(status.code(), Code::kDataLoss) << status.message();
    EXPECT_LT(largest_allocation, kLittle);
  }
}

// A few stored bytes of zeros can be a block of any size: not every thread may decode one at the same time.
TEST_F(HostileFiles, OneLargeBlockIsDecodedAtATime) {
  constexpr Index kBlockBytes = Index{1} << 28;
  BlockShape shape{SampleType::kUint8, 1, 1, {kBlockBytes, 1, 1, 1, 1}};
  const CodecSpec zip = parse_codec_spec("zip").value();
  const auto stored =
      encode(zip, std::vector<std::byte>(static_cast<std::size_t>(kBlockBytes)), shape).value();
  const std::string_view block(reinterpret_cast<const char*>(stored.data()), stored.size());
  for (const char* file : {"0000", "0001", "0002"}) {  // where the samples 0; 2; 1 and 3 are
    put_block(*store_, path(fmt::format("run/{}.bin", file)),
              idx::block_flags(InBlockOrder::kRowMajor, idx::Codec::kZip), block);
  }
  std::ofstream(path("run.idx")) << Text{
      .fields = "v uint8 default_compression(zip)",
      .bits = "V" + std::string(30, '0'),
      .box = fmt::format("0 {}", (Index{1} << 30) - 1),
      .bits_per_block = "28",
      .more = {}}.str();
  const Dataset dataset = Dataset::open(path("run.idx"), {.threads = 8}).value();
  std::array<std::byte, 4> out{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}};
  const testing_support::FailingNew fault({.after = 1, .min_bytes = kBlockBytes / 2, .and_all_after = true});
  const Status status = dataset.read({.field = "v", .box = Box{{0}, {4}}}, out.data(), out.size());
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(out, (std::array<std::byte, 4>{}));
}

TEST_F(HostileFiles, TablesLargerThanTheFileAreNotAllocated) {
  put(*store_, path("run/0000.bin"), std::string(1000, '\xff'));
  const Status status = read_corner({.more = "(blocksperfile)\n16777216\n"});
  EXPECT_TRUE(status.ok()) << "a file that is shorter than its headers has no blocks: " << status.message();
  EXPECT_LT(largest_allocation, kLittle);
}

TEST_F(HostileFiles, BlocksThatOverlapAreRead) {
  std::vector<idx::BlockEntry> entries(4, {200, 16, 0x10});
  entries[1].offset_bytes = 208;
  const auto headers = idx::encode_headers(entries);
  put(*store_, path("run/0000.bin"), {reinterpret_cast<const char*>(headers.data()), headers.size()});
  put(*store_, path("run/0000.bin"), std::string(24, 'x'), 200);
  EXPECT_TRUE(read_corner({.more = "(blocksperfile)\n4\n"}).ok());
}

TEST_F(HostileFiles, ArcoBlocksOf2GiBAreRefused) {
  put(*store_, path("run/0/v/0000/0000/0000/0000.bin"), "x", Index{3} << 30);
  const Status status = read_corner({.fields = "v uint8 default_compression(zip)", .more = "(arco)\n16\n"});
  EXPECT_EQ(status.code(), Code::kDataLoss) << status.message();
  EXPECT_LT(largest_allocation, kLittle);
}

TEST_F(HostileFiles, DirectoriesAndPipesInPlaceOfFiles) {
  std::filesystem::create_directories(directory_ / "run/0000.bin");
  EXPECT_EQ(read_corner({}).code(), Code::kIoError);
  std::filesystem::remove(directory_ / "run/0000.bin");
  ASSERT_EQ(::mkfifo(path("run/0000.bin").c_str(), 0666), 0);
  EXPECT_EQ(read_corner({}).code(), Code::kIoError);
  ASSERT_EQ(::mkfifo(path("pipe.idx").c_str(), 0666), 0);
  EXPECT_EQ(Dataset::open(path("pipe.idx")).status().code(), Code::kIoError);
  std::filesystem::create_directories(directory_ / "directory.idx");
  EXPECT_EQ(Dataset::open(path("directory.idx")).status().code(), Code::kIoError);
}

TEST_F(HostileFiles, WrongSidecarFilesAreWarnings) {
  for (const std::string& schema : {std::string("{"), std::string(100000, '['), std::string("\xff\xfe"),
                                    std::string(R"({"format":1,"format":1})")}) {
    std::ofstream(path("run.schema.json")) << schema;
    const auto dataset = open({});
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    ASSERT_EQ(dataset->warnings().size(), 1U);
    EXPECT_LT(dataset->warnings()[0].size(), 1000U);
  }
}

TEST_F(HostileFiles, CatalogsCannotMakeTheirNamesPaths) {
  std::filesystem::create_directories(directory_ / "set");
  for (const char* part :
       {R"({"name":"../run","grid":"g","fixed":false})", R"({"name":"a","grid":"../g","fixed":false})"}) {
    std::ofstream(path("set/esker.json"))
        << R"({"format":1,"generation":0,"times":[0],"parts":[)" << part << "]}";
    std::ofstream(path("set/a.idx")) << Text{}.str();
    EXPECT_EQ(Dataset::open(path("set")).status().code(), Code::kDataLoss) << part;
  }
}

TEST_F(HostileFiles, QueriesOutsideEveryRange) {
  const Dataset dataset = open({.more = "(time)\n0 3 t%d/\n"}).value();
  const auto code = [&](const Query& query) { return dataset.select(query).status().code(); };
  EXPECT_EQ(code({.field = "nothing"}), Code::kNotFound);
  EXPECT_EQ(code({.field = std::string(100000, '\xff')}), Code::kNotFound);
  for (const int level : {-1, 7, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_EQ(code({.field = "v", .level = level}), Code::kOutOfRange) << level;
  }
  for (const Index step : {Index{-5}, Index{4}, kMost, kLeast}) {
    EXPECT_EQ(code({.field = "v", .step = step}), Code::kOutOfRange) << step;
  }
  EXPECT_EQ(code({.field = "v", .box = Box{{0}, {8}}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.field = "v", .box = Box{{0, 0, 0}, {8, 8, 1}}}), Code::kInvalidArgument);
  Box broken{{0, 0}, {8, 8}};
  for (const int rank : {-1, 0, 6, std::numeric_limits<int>::max()}) {
    broken.rank = rank;
    EXPECT_EQ(code({.field = "v", .box = broken}), Code::kInvalidArgument) << rank;
  }
}

TEST_F(HostileFiles, BoxesThatLeaveTheGridAreRefused) {
  const Dataset dataset = open({}).value();
  for (const Box& box : {Box{{kLeast, kLeast}, {kMost, kMost}}, Box{{kMost, kMost}, {kLeast, kLeast}},
                         Box{{kMost, 0}, {kMost, 8}}, Box{{kLeast, 0}, {kLeast, 8}}, Box{{-5, -5}, {1, 1}},
                         Box{{7, 7}, {100, 100}}}) {
    const Query query{.field = "v", .box = box};
    EXPECT_EQ(dataset.select(query).status().code(), Code::kOutOfRange) << box.to_string();
    EXPECT_EQ(dataset.read(query, nullptr, 0).code(), Code::kOutOfRange) << box.to_string();
  }
}

TEST_F(HostileFiles, BuffersOfAnotherSizeThanTheAnswerAreRefused) {
  const Dataset dataset = open({}).value();
  for (const Box& box :
       {Box{{0, 0}, {8, 8}}, Box{{7, 7}, {8, 8}}, Box{{8, 0}, {8, 8}}, Box{{5, 5}, {2, 2}}}) {
    for (int level = 0; level <= 6; ++level) {
      const Query query{.field = "v", .box = box, .level = level};
      const Index samples = dataset.select(query).value().num_samples();
      EXPECT_TRUE(level < 6 || samples == (box.empty() ? 0 : box.num_samples())) << box.to_string();
      std::vector<std::byte> out(static_cast<std::size_t>(samples));
      EXPECT_TRUE(dataset.read(query, out.data(), out.size()).ok());
      EXPECT_EQ(dataset.read(query, out.data(), out.size() + 1).code(), Code::kInvalidArgument);
      EXPECT_EQ(dataset.read(query, out.data(), std::numeric_limits<std::size_t>::max()).code(),
                Code::kInvalidArgument);
      EXPECT_TRUE(samples == 0 || !dataset.read(query, nullptr, 0).ok());
    }
  }
}

}  // namespace
}  // namespace esker
