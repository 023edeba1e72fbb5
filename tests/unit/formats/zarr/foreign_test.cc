// Zarr of other programs: codecs, metadata of v3 and v2, also damaged ones, and files that are not what they
// claim.
#include <blosc.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "codec/codecs.h"
#include "format/json_text.h"
#include "formats/registry/open_dataset.h"
#include "formats/zarr/codec_chain.h"
#include "formats/zarr/foreign_array.h"
#include "formats/zarr/foreign_group.h"
#include "formats/zarr/shard_index.h"
#include "store/checksum.h"
#include "support/mutate.h"
#include "support/test_new.h"

namespace esker::zarr {
namespace {

using namespace testing_support;  // NOLINT: mutations

using Bytes = std::vector<std::byte>;

Bytes ramp(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t n = 0; n < size; ++n) bytes[n] = static_cast<std::byte>(n / 3);
  return bytes;
}

Bytes with_sum(Bytes bytes) {
  const std::uint32_t sum = crc32c(bytes);
  const auto stored = std::as_bytes(std::span(&sum, 1));
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  return bytes;
}

/// Encodes by one codec.
Bytes encoded(ByteCodec codec, const Bytes& bytes) {
  if (codec == ByteCodec::kWithSum) return with_sum(bytes);
  Bytes out(2 * bytes.size() + 1024);
  std::size_t size = 0;
  if (codec == ByteCodec::kInGzip) size = static_cast<std::size_t>(gzip_encode(5, bytes, out).value());
  if (codec == ByteCodec::kInZlib) size = static_cast<std::size_t>(zip_encode(5, bytes, out).value());
  if (codec == ByteCodec::kInZstd) size = static_cast<std::size_t>(zstd_encode(3, bytes, out, true).value());
  if (codec == ByteCodec::kInBlosc)
    size = static_cast<std::size_t>(::blosc_compress_ctx(5, BLOSC_SHUFFLE, 4, bytes.size(), bytes.data(),
                                                         out.data(), out.size(), "lz4", 0, 1));
  if (codec == ByteCodec::kInLz4) {
    const auto count = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(out.data(), &count, sizeof(count));
    size = sizeof(count) +
           static_cast<std::size_t>(lz4_encode(bytes, std::span(out).subspan(sizeof(count))).value());
  }
  out.resize(size);
  return out;
}

Bytes encoded(const CodecChain& chain, Bytes bytes) {
  for (const ByteCodec codec : chain.codecs) bytes = encoded(codec, bytes);
  return bytes;
}

constexpr ByteCodec kCompressions[] = {ByteCodec::kInGzip, ByteCodec::kInZlib, ByteCodec::kInZstd,
                                       ByteCodec::kInBlosc, ByteCodec::kInLz4};

/// Chains with each compression, alone and between checksums.
std::vector<CodecChain> all_chains() {
  std::vector<CodecChain> chains{{.value_bytes = 4}, {.value_bytes = 4, .codecs = {ByteCodec::kWithSum}}};
  constexpr ByteCodec kSum = ByteCodec::kWithSum;
  for (const ByteCodec codec : kCompressions) {
    for (const auto& codecs :
         {std::vector{codec}, {codec, kSum}, {kSum, codec}, {kSum, kSum, codec, kSum, kSum}}) {
      chains.push_back({.value_bytes = 4, .codecs = codecs});
    }
  }
  return chains;
}

TEST(ZarrCodecs, DecodeWhatWasEncoded) {
  const Bytes values = ramp(4000);
  for (const CodecChain& chain : all_chains()) {
    const Bytes stored = encoded(chain, values);
    Bytes found(values.size());
    ASSERT_TRUE(decode_chunk(chain, stored, found).ok());
    EXPECT_EQ(found, values);
    EXPECT_LE(std::ssize(stored), most_stored_bytes(chain, std::ssize(values)));
    EXPECT_GE(std::ssize(stored), least_stored_bytes(chain, std::ssize(values)));
  }
}

/// A chunk never decodes to more bytes than its shape has, nor to fewer.
TEST(ZarrCodecs, OtherSizesAreRefused) {
  for (const CodecChain& chain : all_chains()) {
    const Bytes stored = encoded(chain, ramp(4000));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{4}, std::size_t{3996}, std::size_t{4004}, std::size_t{1} << 16}) {
      Bytes found(size);
      EXPECT_EQ(decode_chunk(chain, stored, found).code(), Code::kDataLoss) << size;
    }
  }
}

TEST(ZarrCodecs, DamagedBytesAreNoProblem) {
  std::mt19937 random(20261128);
  for (const CodecChain& chain : all_chains()) {
    const Bytes stored = encoded(chain, ramp(4000));
    for (int k = 0; k < 300; ++k) {
      Bytes damaged = stored;
      for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
      if (k % 3 == 0) damaged.resize(random() % damaged.size());
      Bytes found(4000);
      largest_allocation = 0;
      const Status status = decode_chunk(chain, damaged, found);
      EXPECT_TRUE(status.ok() || status.code() == Code::kDataLoss) << status.message();
      EXPECT_LT(largest_allocation, std::size_t{1} << 20);
    }
  }
}

TEST(ZarrCodecs, EveryChangedByteIsNoticedByTheChecksum) {
  const CodecChain chain{.value_bytes = 1, .codecs = {ByteCodec::kWithSum}};
  const Bytes stored = encoded(chain, ramp(50));
  for (std::size_t at = 0; at < stored.size(); ++at) {
    Bytes damaged = stored, found(50);
    damaged[at] ^= std::byte{1};
    EXPECT_EQ(decode_chunk(chain, damaged, found).code(), Code::kDataLoss) << at;
  }
}

TEST(ZarrCodecs, HalvesAndByteOrders) {
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x0400};
  const float expected[] = {1, -2, 65504, 0x1p-24F, -0.0F, std::numeric_limits<float>::infinity(), 0x1p-14F};
  for (const bool is_big : {false, true}) {
    const CodecChain chain{.value_bytes = 4, .is_half = true, .is_big_endian = is_big};
    Bytes stored(sizeof(halves)), found(sizeof(expected));
    std::memcpy(stored.data(), halves, sizeof(halves));
    for (std::size_t n = 0; is_big && n < stored.size(); n += 2) std::swap(stored[n], stored[n + 1]);
    ASSERT_TRUE(decode_chunk(chain, stored, found).ok());
    EXPECT_EQ(std::memcmp(found.data(), expected, sizeof(expected)), 0) << is_big;
  }
}

TEST(ZarrIndexOfOthers, AtTheStartAndWithoutChecksum) {
  const Bytes index = print_index(std::vector<ChunkPlace>{{36, 10}, {46, 4}});
  EXPECT_TRUE(parse_index(index, 50, 36).ok());
  EXPECT_EQ(parse_index(index, 50, 40).status().code(), Code::kDataLoss);  // a chunk in the index
  EXPECT_EQ(parse_index(index, 49, 36).status().code(), Code::kDataLoss);
  const auto plain = std::span(index).first(32);
  EXPECT_TRUE(parse_index(plain, 50, 32, false).ok());
  EXPECT_EQ(index_bytes(2, false), 32);
}

constexpr const char* kArrayV3 =
    R"({"zarr_format": 3, "node_type": "array", "shape": [6, 4], "data_type": "int16",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 2]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": -7, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
  "attributes": {"units": "m"}, "dimension_names": ["y", null]})";
constexpr const char* kArrayV2 = R"({"zarr_format": 2, "shape": [6, 4], "chunks": [4, 2], "dtype": "<i2",
  "fill_value": -7, "order": "C", "filters": null, "compressor": null})";

Json of(
    const char* text, const std::function<void(Json&)>& change = [](Json&) {}) {
  Json json = Json::parse(text);
  change(json);
  return json;
}

TEST(ZarrArrays, OfVersion3) {
  const ForeignArray array = parse_array_v3("v", of(kArrayV3));
  EXPECT_EQ(array.unsupported, "");
  EXPECT_EQ(array.type, SampleType::kInt16);
  EXPECT_EQ(array.form.shape, (std::vector<Index>{6, 4}));
  EXPECT_EQ(array.form.file, (std::vector<Index>{4, 2}));
  EXPECT_EQ(array.form.chunk, array.form.file);
  EXPECT_EQ(array.dims, (std::vector<std::string>{"y", ""}));
  EXPECT_EQ(array.form.fill, (Bytes{std::byte{0xf9}, std::byte{0xff}}));
  EXPECT_EQ(key_of(array.form.keys, array.form.file), "/c/4/2");
  ASSERT_EQ(array.attributes.size(), 1U);
}

TEST(ZarrArrays, OfVersion2) {
  const Json attributes = Json::parse(R"({"_ARRAY_DIMENSIONS": ["y", "x"], "units": "m"})");
  const ForeignArray array = parse_array_v2("v", of(kArrayV2), &attributes);
  EXPECT_EQ(array.unsupported, "");
  EXPECT_EQ(array.dims, (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(key_of(array.form.keys, array.form.file), "/4.2");
  EXPECT_EQ(array.attributes.size(), 2U);  // and _FillValue
  const ForeignArray column =
      parse_array_v2("v", of(kArrayV2, [](Json& json) { json["order"] = "F"; }), nullptr);
  EXPECT_EQ(column.form.chain.order, (std::vector<int>{1, 0}));
}

struct Refused {
  const char* member;
  const char* value;
  const char* named;  ///< in the message
};

TEST(ZarrArrays, WhatIsNotSupportedIsNamed) {
  for (const Refused& one : std::initializer_list<Refused>{
           {"data_type", R"("complex64")", "complex64"},
           {"data_type", R"({"name": "numpy.datetime64", "configuration": {}})", "numpy.datetime64"},
           {"chunk_grid", R"({"name": "rectangular", "configuration": {}})", "rectangular"},
           {"chunk_key_encoding", R"("fancy")", "fancy"},
           {"codecs", R"([{"name": "bytes"}, {"name": "zfpy"}])", "zfpy"},
           {"codecs", R"([{"name": "numcodecs.delta"}, {"name": "bytes"}])", "numcodecs.delta"},
           {"codecs", R"([{"name": "bytes"}, {"name": "gzip"}, {"name": "zstd"}])", "zstd"},
           {"codecs", "[]", "codecs"},
           {"storage_transformers", R"([{"name": "x"}])", "transformers"},
           {"novelty", R"({"must_understand": true})", "novelty"},
           {"shape", "[-1, 2]", "shape"},
           {"shape", "[4611686018427387904, 4611686018427387904]", "64 bits"},
           {"shape", "[1, 1, 1, 1, 1, 1, 1, 1, 1]", "9 axes"},
           {"fill_value", R"("much")", "fill_value"},
           {"fill_value", "40000", "fill_value"},
           {"dimension_names", R"(["x"])", "dimension_names"}}) {
    const ForeignArray array =
        parse_array_v3("v", of(kArrayV3, [&](Json& json) { json[one.member] = Json::parse(one.value); }));
    EXPECT_NE(array.unsupported.find(one.named), std::string::npos) << one.value << ": " << array.unsupported;
  }
  EXPECT_EQ(parse_array_v3(
                "v", of(kArrayV3,
                        [](Json& json) { json["novelty"] = Json::parse(R"({"must_understand": false})"); }))
                .unsupported,
            "");
  for (const Refused& one : std::initializer_list<Refused>{{"dtype", R"("<M8[ns]")", "M8[ns]"},
                                                           {"dtype", R"("|O")", "|O"},
                                                           {"dtype", R"([["a", "<f4"]])", "members"},
                                                           {"compressor", R"({"id": "bz2"})", "bz2"},
                                                           {"filters", R"([{"id": "shuffle"}])", "shuffle"},
                                                           {"chunks", "[0, 2]", "chunks"},
                                                           {"chunks", "[65536, 65536]", "a chunk has"},
                                                           {"dimension_separator", R"("-")", "separator"},
                                                           {"order", R"("K")", "order"}}) {
    const ForeignArray array = parse_array_v2(
        "v", of(kArrayV2, [&](Json& json) { json[one.member] = Json::parse(one.value); }), nullptr);
    EXPECT_NE(array.unsupported.find(one.named), std::string::npos) << one.value << ": " << array.unsupported;
  }
}

TEST(ZarrArrays, FillValuesAsBits) {
  const auto fill_of = [](const char* type, const char* fill) {
    return parse_array_v3("v", of(kArrayV3, [&](Json& json) {
                            json["data_type"] = type;
                            json["fill_value"] = fill;
                          }));
  };
  float value = 0;
  std::memcpy(&value, fill_of("float32", "0x3f800000").form.fill.data(), sizeof(value));
  EXPECT_EQ(value, 1);
  std::memcpy(&value, fill_of("float16", "0xC000").form.fill.data(), sizeof(value));
  EXPECT_EQ(value, -2);
  std::memcpy(&value, fill_of("float32", "-Infinity").form.fill.data(), sizeof(value));
  EXPECT_EQ(value, -std::numeric_limits<float>::infinity());
  EXPECT_NE(fill_of("float32", "0x3f80").unsupported, "");
  EXPECT_NE(fill_of("float32", "0x3f80zz00").unsupported, "");
}

TEST(ZarrArrays, TransposesFollowEachOther) {
  const ForeignArray array = parse_array_v3(
      "v", of(kArrayV3, [](Json& json) {
        json["shape"] = {2, 3, 4};
        json["dimension_names"] = nullptr;
        json["chunk_grid"]["configuration"]["chunk_shape"] = {2, 3, 4};
        json["codecs"] = Json::parse(R"([{"name": "transpose", "configuration": {"order": [1, 2, 0]}},
      {"name": "transpose", "configuration": {"order": [1, 0, 2]}}, {"name": "bytes"}])");
      }));
  EXPECT_EQ(array.unsupported, "");
  EXPECT_EQ(array.form.chain.order, (std::vector<int>{2, 1, 0}));
}

TEST(ZarrGroups, NumbersThatJsonLacksAreTexts) {
  EXPECT_EQ(with_quoted_reals(R"({"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" NaN"})"),
            R"({"a": "NaN", "b": ["-Infinity", "Infinity"], "c": "NaN \" NaN"})");
  EXPECT_EQ(with_quoted_reals(R"("\)"), R"("\)");
}

/// A group of both kinds of arrays, whose files change.
class HostileForeignZarr : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    store_->remove(path).check();
    store_->create_exclusive(path, text).check();
  }
  void put(const std::string& path, const Bytes& bytes) {
    put(path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  void SetUp() override {
    put("a.zarr/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
    put("a.zarr/v/zarr.json", sharded().dump());
    put("a.zarr/v/c/0/0", shard());
    put("a.zarr/w/zarr.json", of(kArrayV3).dump());
  }

  /// Shards of 4 x 2 in chunks of 2 x 2, in gzip.
  static Json sharded() {
    return of(kArrayV3, [](Json& json) {
      json["codecs"] = Json::parse(R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip"}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}])");
    });
  }
  static Bytes shard() {
    Bytes bytes = encoded(ByteCodec::kInGzip, ramp(8));
    const auto size = bytes.size();
    const Bytes second = encoded(ByteCodec::kInGzip, ramp(8));
    bytes.insert(bytes.end(), second.begin(), second.end());
    const Bytes index = print_index(std::vector<ChunkPlace>{{0, size}, {size, second.size()}});
    bytes.insert(bytes.end(), index.begin(), index.end());
    return bytes;
  }

  /// Opens the group and reads the first and the last sample of each field; returns the first error.
  Status read_all() {
    largest_allocation = 0;
    Status first;
    EXPECT_NO_THROW({ first = read_samples(); });
    EXPECT_LT(largest_allocation, std::size_t{8} << 20);
    return first;
  }

  Status read_samples() {
    const auto opened = open_dataset(store_, "a.zarr");
    if (!opened.ok()) return opened.status();
    const OpenedDataset& dataset = **opened;
    warnings_ = dataset.warnings;
    for (int f = 0; f < static_cast<int>(dataset.schema.fields().size()); ++f) {
      Bytes sample(static_cast<std::size_t>(dataset.field_at(f).sample_bytes()));
      for (const Point& at : {Point{}, dataset.box(f).hi}) {
        Lattice samples{dataset.box(f).rank};
        for (int a = 0; a < samples.rank; ++a) samples.origin[a] = std::max<Index>(at[a] - 1, 0);
        const auto target =
            ReadTarget::dense(samples, OpenedDataset::kEveryLevel, sample.data(), std::ssize(sample));
        if (!dataset.has(f, 0)) continue;
        const Status status = dataset.read(f, 0, target, {});
        if (!status.ok()) return status;
      }
    }
    return {};
  }

  static void expect_legal(const Status& status) {
    EXPECT_TRUE(status.ok() || status.code() == Code::kDataLoss || status.code() == Code::kUnsupported ||
                status.code() == Code::kNotFound)
        << status.message();
  }

  std::shared_ptr<Store> store_ = memory_store();
  std::vector<std::string> warnings_;
};

TEST_F(HostileForeignZarr, IsGoodAtFirst) {
  const Status status = read_all();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
}

TEST_F(HostileForeignZarr, DamagedMetadata) {
  std::mt19937 random(20261128);
  const std::string good = sharded().dump();
  for (int k = 0; k < 3000 && !HasFailure(); ++k) {
    put("a.zarr/v/zarr.json", mutated(good, random));
    expect_legal(read_all());
  }
}

TEST_F(HostileForeignZarr, EveryNumberIsChecked) {
  const std::string text = sharded().dump();
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos && !HasFailure();) {
    const std::size_t end = text.find_first_not_of("0123456789", at);
    for (const char* number :
         {"-1", "0", "1", "1000000", "2147483648", "1152921504606846976", "9223372036854775807"}) {
      put("a.zarr/v/zarr.json", text.substr(0, at) + number + text.substr(end));
      expect_legal(read_all());
    }
    at = text.find_first_of("0123456789", end);
  }
}

TEST_F(HostileForeignZarr, DamagedShards) {
  std::mt19937 random(20261128);
  const Bytes good = shard();
  for (int k = 0; k < 2000 && !HasFailure(); ++k) {
    Bytes damaged = good;
    damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (k % 4 == 0) damaged.resize(random() % damaged.size());
    put("a.zarr/v/c/0/0", damaged);
    expect_legal(read_all());
  }
}

/// Chunks that overlap, and places outside of the file with a right checksum.
TEST_F(HostileForeignZarr, PlacesOfChunks) {
  const Bytes chunk = encoded(ByteCodec::kInGzip, ramp(8));
  for (const ChunkPlace& place :
       {ChunkPlace{0, chunk.size()}, ChunkPlace{chunk.size(), 1}, ChunkPlace{~0ULL - 1, 1},
        ChunkPlace{0, std::uint64_t{1} << 62}, ChunkPlace{0, 0}}) {
    Bytes bytes = chunk;
    const Bytes index = print_index(std::vector<ChunkPlace>{place, place});
    bytes.insert(bytes.end(), index.begin(), index.end());
    put("a.zarr/v/c/0/0", bytes);
    const Status status = read_all();
    EXPECT_EQ(status.ok(), place.offset_bytes == 0 && place.size_bytes == chunk.size()) << status.message();
    EXPECT_TRUE(status.ok() || status.code() == Code::kDataLoss) << status.message();
  }
}

/// A few bytes that would decode to a chunk of a gigabyte: no memory is taken for it.
TEST_F(HostileForeignZarr, SmallFilesOfHugeChunks) {
  for (const char* codec : {"zstd", "gzip", "blosc"}) {
    put("a.zarr/v/zarr.json",
        of(kArrayV3, [&](Json& json) {
          json["shape"] = json["chunk_grid"]["configuration"]["chunk_shape"] = {1 << 15, 1 << 14};
          json["codecs"].push_back({{"name", codec}});
        }).dump());
    put("a.zarr/v/c/0/0", ramp(100));
    EXPECT_EQ(read_all().code(), Code::kDataLoss) << codec;
  }
}

TEST_F(HostileForeignZarr, NamesStayInTheGroup) {
  Json group = Json::parse(R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  for (const char* name : {"..", "../b", "/etc", "", ".hidden", "a/b", "good"}) {
    group["consolidated_metadata"]["metadata"][name] = of(kArrayV3);
  }
  put("a.zarr/zarr.json", group.dump());
  EXPECT_TRUE(read_all().ok());
  EXPECT_EQ(open_dataset(store_, "a.zarr").value()->schema.fields().size(), 1U);
}

/// Other arrays stay readable, and the reason is a warning.
TEST_F(HostileForeignZarr, UnknownCodecsAreLeftOut) {
  put("a.zarr/v/zarr.json", of(kArrayV3, [](Json& json) {
                              json["codecs"].push_back({{"name", "zfpy"}});
                            }).dump());
  EXPECT_TRUE(read_all().ok());
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(warnings_.front(), "variable 'v' is left out: codec 'zfpy' is not supported");
}

TEST_F(HostileForeignZarr, GroupsWithoutArraysNameTheirGroups) {
  put("b.zarr/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  EXPECT_EQ(open_dataset(store_, "b.zarr").status().message(), "b.zarr: the Zarr group has no arrays");
  put("b.zarr/0/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  const std::string message = open_dataset(store_, "b.zarr").status().message();
  EXPECT_NE(message.find("open one of them, b.zarr/0"), std::string::npos) << message;
}

}  // namespace
}  // namespace esker::zarr
