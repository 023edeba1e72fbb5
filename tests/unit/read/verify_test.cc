// verify finds what is wrong with a dataset, and names it; and reading with `verify` does not return it.
#include "formats/registry/verify.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "base/byte_order.h"
#include "formats/idx/entries.h"
#include "formats/idx/idx_dataset.h"
#include "store/commit.h"
#include "store/faulty_store.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

constexpr const char* kBlocksOfStep = "run/xyz/time_0001/0000.bin";

class Verify : public testing::Test {
 protected:
  void SetUp() override {
    run_.end_step = 2;
    ASSERT_TRUE(write_all(store_, run_).ok());
  }

  VerifyReport verified() { return verify_dataset(store_, run_.path).value(); }

  std::string text(const std::string& path) { return read_text(*store_, path, 1 << 24).value(); }

  void put(const std::string& path, const std::string& text) {
    store_->remove(path).check();
    store_->create_exclusive(path, text).check();
  }

  /// The findings as "error: text" or "warning: text", those of one path.
  std::vector<std::string> findings_at(const std::string& path) {
    std::vector<std::string> texts;
    for (const Finding& finding : verified().findings) {
      if (finding.path == path) texts.push_back((finding.is_error ? "error: " : "warning: ") + finding.text);
    }
    return texts;
  }

  void expect_finding(const std::string& path, const std::string& part) {
    const auto texts = findings_at(path);
    ASSERT_FALSE(texts.empty()) << path;
    EXPECT_NE(texts.front().find(part), std::string::npos) << texts.front();
  }

  RunPlan run_;
  std::shared_ptr<Store> store_ = memory_store();
};

TEST_F(Verify, AWholeDatasetHasNoFindings) {
  const VerifyReport report = verified();
  EXPECT_TRUE(report.good());
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.steps, 2);
  EXPECT_GT(report.blocks, 100);
  EXPECT_EQ(report.blocks_with_checksum, report.blocks);
}

TEST_F(Verify, OneChangedByteOfAnyBlockIsFoundAndNamed) {
  const std::string good = text(kBlocksOfStep);
  const Index data_start = 4096;
  for (const Index at : {data_start, data_start + 5000, data_start + 4 * 2048 - 1}) {
    std::string bad = good;
    bad[static_cast<std::size_t>(at)] = static_cast<char>(bad[static_cast<std::size_t>(at)] ^ 1);
    put(kBlocksOfStep, bad);
    EXPECT_EQ(verified().num_errors, 1) << at;
    expect_finding(kBlocksOfStep, "checksum does not match");
  }
}

/// For lack of permission, say.
TEST_F(Verify, WhatTheSystemRefusesToReadIsUnreadableNotDamaged) {
  const auto refuse = [&](StoreCall refused, const std::string& at) {
    return verify_dataset(faulty_store(store_,
                                       [=](StoreCall call, const std::string& path) {
                                         return call == refused && path == at ? EACCES : 0;
                                       }),
                          run_.path)
        .value();
  };
  for (const StoreCall call : {StoreCall::kOpen, StoreCall::kRead}) {
    const VerifyReport report = refuse(call, kBlocksOfStep);
    EXPECT_FALSE(report.good());
    EXPECT_EQ(report.num_errors, report.num_unreadable);
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].path, kBlocksOfStep);
    EXPECT_NE(report.findings[0].text.find("Permission denied"), std::string::npos)
        << report.findings[0].text;
  }
  std::string bad = text(kBlocksOfStep);
  bad.back() = static_cast<char>(bad.back() ^ 1);
  put(kBlocksOfStep, bad);
  EXPECT_EQ(verified().num_unreadable, 0) << "damaged";
}

TEST_F(Verify, FindsSwappedBlocks) {
  std::string bytes = text(kBlocksOfStep);
  const std::size_t first = idx::kFileHeaderBytes, second = first + idx::kEntryBytes;
  for (std::size_t i = 0; i < 40; ++i) std::swap(bytes[first + i], bytes[second + i]);
  put(kBlocksOfStep, bytes);
  EXPECT_EQ(verified().num_errors, 1);
  expect_finding(kBlocksOfStep, "error: the table of blocks differs from the one that Esker wrote");
}

TEST_F(Verify, FindsSwappedFilesAndDoesNotReadThem) {
  const std::string first = "run/xyz/time_0000/0000.bin";
  const std::string other_step = text(first);
  put(kBlocksOfStep, other_step);
  EXPECT_EQ(verified().num_errors, 1);
  expect_finding(kBlocksOfStep, "another step");
  const auto dataset = idx::IdxDataset::open(store_, run_.path).value();
  const auto& place = dataset.places[0];
  const idx::IdxPart& part = *dataset.parts[place.part];
  std::vector<std::byte> answer(
      static_cast<std::size_t>(part.header().box.num_samples() * dataset.schema.fields()[0].sample_bytes()));
  const int level = part.header().bitmask.max_level();
  EXPECT_EQ(testing_support::read_box(part, place.columns, 1, part.header().box, level, answer.data(),
                                      {.verify = true})
                .code(),
            Code::kDataLoss);
  put("run/xy_fixed/0000.bin", text("run/xy/time_0000/0000.bin"));
  EXPECT_GT(verified().num_errors, 1);
}

TEST_F(Verify, ASinglePartIsValid) {
  for (const char* part : {"run/xyz.idx", "run/xy.idx", "run/xy_fixed.idx"}) {
    const VerifyReport report = verify_dataset(store_, part).value();
    EXPECT_TRUE(report.findings.empty()) << part << ": " << report.findings.front().text;
    EXPECT_GT(report.blocks, 0);
  }
}

TEST_F(Verify, HeadersThatDoNotFitTogetherAreErrors) {
  const std::string good = text("run/xyz.idx");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"temp float64", "temp int64"},
                                                        {"0 14 0 32 0 16", "0 13 0 32 0 16"},
                                                        {"V0120120120121", "V0120120121020"},
                                                        {"[0.0,10.0]", "[0.0,11.0]"}}) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    if (at == std::string::npos) {  // this grid has another mask
      EXPECT_EQ(from.front(), 'V') << from;
      continue;
    }
    put("run/xyz.idx", bad.replace(at, from.size(), to));
    const auto report = verify_dataset(store_, run_.path);
    EXPECT_TRUE(!report.ok() || !report->good()) << to;
  }
  put("run/xyz.idx", good);
  EXPECT_TRUE(verified().good());
  store_->remove("run/schema.json").check();
  EXPECT_FALSE(verified().good());
}

TEST_F(Verify, TruncatedMissingAndOverlappingBlocksAreErrors) {
  const std::string good = text(kBlocksOfStep);
  put(kBlocksOfStep, good.substr(0, good.size() - 2000));
  expect_finding(kBlocksOfStep, "error: ");
  put(kBlocksOfStep, good.substr(0, 100));
  expect_finding(kBlocksOfStep, "shorter");
  store_->remove(kBlocksOfStep).check();
  expect_finding(kBlocksOfStep, "missing");
  std::string overlapping = good;
  const auto offset_low = idx::kFileHeaderBytes + idx::kEntryBytes + 8;
  auto* bytes = reinterpret_cast<std::byte*>(overlapping.data());
  store_be32(load_be32(bytes + offset_low) - 8, bytes + offset_low);
  put(kBlocksOfStep, overlapping);
  expect_finding(kBlocksOfStep, "error: the table of blocks");
  constexpr Index kFields = 3;  // of the part
  const auto table = std::span(bytes, static_cast<std::size_t>(idx::headers_bytes(4, kFields)));
  const auto entries =
      idx::decode_headers(table, 4 * kFields, static_cast<Index>(overlapping.size())).value();
  const auto sealed = idx::encode_headers(entries, idx::identity_of(table));
  std::copy(sealed.begin(), sealed.end(), bytes);
  put(kBlocksOfStep, overlapping);
  bool found = false;
  for (const std::string& text : findings_at(kBlocksOfStep))
    found = found || text.find("overlap") != std::string::npos;
  EXPECT_TRUE(found);
}

// A header of a few kilobytes that claims thousands of fields, and files without their blocks.
TEST_F(Verify, TheCostOfAHeaderFollowsTheFilesNotItsClaims) {
  std::string fields, absent;
  constexpr int kFields = 20000;
  for (int f = 0; f < kFields; ++f) {
    fields += (f == 0 ? "f" : " + f") + std::to_string(f) + " uint8";
    if (f + 1 < kFields) absent += (f == 0 ? "\"f" : ",\"f") + std::to_string(f) + "\"";
  }
  std::string record = R"({"format":1,"generation":6,"times":[0,1,2,3,4],"absent":{)";
  for (int step = 0; step < 5; ++step) {
    record += (step == 0 ? "\"" : ",\"") + std::to_string(step) + "\":[" + absent + "]";
  }
  const std::string header = "(version)\n6\n(box)\n0 63 0 63\n(fields)\n" + fields +
                             "\n(bits)\nV010101010101\n(bitsperblock)\n4\n(blocksperfile)\n256\n(time)\n0 4 "
                             "time_%04d/\n(filename_template)\n./big/%04x.bin\n(esker)\n" +
                             record + "}}\n";
  put("big.idx", header);
  for (int step = 0; step < 5; ++step) put("big/time_000" + std::to_string(step) + "/0000.bin", "");
  const auto began = std::chrono::steady_clock::now();
  const VerifyReport report = verify_dataset(store_, "big.idx").value();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  EXPECT_EQ(report.num_errors, 6);  // and the schema file is missing
}

TEST_F(Verify, LeftoversOfKilledRunsAreWarnings) {
  put("run/xyz/time_0002/0000.bin", "half");
  put("run/esker.json.tmp", "{");
  put("run.esker-lock", "elsewhere 1 - 1\n");
  const VerifyReport report = verified();
  EXPECT_TRUE(report.good());
  EXPECT_EQ(report.num_warnings, 3);
  expect_finding("run/xyz/time_0002", "did not finish");
  expect_finding("run/esker.json.tmp", "did not finish");
  expect_finding("run.esker-lock", "writer");
}

TEST_F(Verify, ABadSchemaFileIsAFindingAndABadCatalogDoesNotOpen) {
  put("run/schema.json", "{}");
  EXPECT_EQ(verified().num_errors, 1);  // samples can be read, but no run can continue
  put("run/esker.json", "{}");
  EXPECT_EQ(verify_dataset(store_, run_.path).status().code(), Code::kDataLoss);
}

TEST_F(Verify, ReadingWithVerifyReturnsNoDamagedSample) {
  std::string bytes = text(kBlocksOfStep);
  bytes[5000] = static_cast<char>(bytes[5000] ^ 64);
  put(kBlocksOfStep, bytes);
  const auto dataset = idx::IdxDataset::open(store_, run_.path).value();
  const auto& place = dataset.places[0];
  const idx::IdxPart& part = *dataset.parts[place.part];
  std::vector<std::byte> answer(
      static_cast<std::size_t>(part.header().box.num_samples() * dataset.schema.fields()[0].sample_bytes()));
  const int level = part.header().bitmask.max_level();
  EXPECT_TRUE(
      testing_support::read_box(part, place.columns, 1, part.header().box, level, answer.data()).ok());
  const Status status = testing_support::read_box(part, place.columns, 1, part.header().box, level,
                                                  answer.data(), {.verify = true});
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find(kBlocksOfStep), std::string::npos) << status.message();
}

// A block that another program replaced cannot be distinguished from a damaged block.
TEST_F(Verify, ABlockThatAnotherProgramReplacedIsAnErrorThatNamesTheReason) {
  std::string bytes = text(kBlocksOfStep);
  auto* entry = reinterpret_cast<std::byte*>(bytes.data()) + idx::kFileHeaderBytes;
  std::fill(entry + 24, entry + 40, std::byte{});
  bytes[4096] = static_cast<char>(bytes[4096] ^ 1);
  put(kBlocksOfStep, bytes);
  const VerifyReport report = verified();
  EXPECT_FALSE(report.good());
  EXPECT_EQ(report.num_errors, 1);
  expect_finding(
      kBlocksOfStep,
      "error: the table of blocks differs from the one that Esker wrote: it is damaged, or another program");
}

}  // namespace
}  // namespace esker
