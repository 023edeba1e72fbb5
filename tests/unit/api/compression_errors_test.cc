// The errors of compressed fields: what the table of blocks says, what the samples say, and what
// verify_against() says of both.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/macros.h"
#include "esker/dataset.hpp"
#include "esker/rebuild.hpp"
#include "esker/verify.hpp"
#include "esker/writer.hpp"
#include "formats/idx/idx_part.h"
#include "store/commit.h"
#include "support/faulty_zfp.h"

namespace esker {
namespace {

using testing_support::DroppedBitPlanes;

constexpr Index kX = 37, kY = 29, kZ = 23, kNum = kX * kY * kZ;

/// A wave; `amplitude` differs for each step and component.
double wave(Index n, double amplitude) {
  const auto x = static_cast<double>(n % kX), y = static_cast<double>(n / kX % kY);
  return amplitude * std::sin(x / 9) * std::cos(y / 7) + static_cast<double>(n / (kX * kY)) / 50;
}

/// Two steps of `t`, of the vector `v`, and the fixed field `mask`.
class CompressionErrors : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("esker-errors-" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    for (Index n = 0; n < kNum; ++n) {
      for (const double factor : {1.0, 10.0, 100.0}) vectors_.push_back(wave(n, factor));
      mask_.push_back(wave(n, 3));
      for (int step = 0; step < 2; ++step) samples_[step].push_back(wave(n, 1 + step));
    }
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }

  Status write(const std::string& name, const std::string& compression, bool with_mask = true,
               const std::map<std::string, std::string>& more = {}) {
    Options options;
    for (const auto& [key, value] : more) options.set(key, value).check();
    options.set("compression", compression).check();
    options.set("bits_per_block", "12").check();
    options.set("report", "none").check();
    ESKER_ASSIGN_OR_RETURN(Writer writer, Writer::create(path(name), Communicator::serial(), options));
    const auto x = writer.def_dim("x", kX).value(), y = writer.def_dim("y", kY).value();
    const auto z = writer.def_dim("z", kZ).value();
    const auto grid = writer.def_grid("xyz", {x, y, z}).value();
    const auto t = writer.def_field(grid, "t", SampleType::kFloat64).value();
    const auto v = writer.def_field(grid, "v", SampleType::kFloat64, {.components = 3}).value();
    FieldId mask;
    if (with_mask) mask = writer.def_field(grid, "mask", SampleType::kFloat64, {.fixed = true}).value();
    for (int step = 0; step < 2; ++step) ESKER_RETURN_IF_ERROR(write_step(writer, step, t, v, mask));
    return writer.close();
  }

  Status write_step(Writer& writer, int step, FieldId t, FieldId v, FieldId mask) {
    const Box all{{0, 0, 0}, {kX, kY, kZ}};
    ESKER_RETURN_IF_ERROR(writer.begin_step(10.0 * step));
    ESKER_RETURN_IF_ERROR(writer.put(t, Patch::dense(all, samples_[step].data())));
    ESKER_RETURN_IF_ERROR(writer.put(v, Patch::dense(all, vectors_.data(), 3)));
    if (step == 0 && mask.index >= 0) {
      ESKER_RETURN_IF_ERROR(writer.put(mask, Patch::dense(all, mask_.data())));
    }
    return writer.end_step();
  }

  /// Compares the values that a reader gets with the ones that were written.
  [[nodiscard]] FieldErrors measured(const Dataset& dataset, const std::string& field, Index step,
                                     const std::vector<double>& expected) const {
    std::vector<double> values(expected.size());
    dataset.read({.field = field, .step = step}, values.data(), values.size() * sizeof(double)).check();
    FieldErrors found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = std::abs(values[i] - expected[i]);
      found.largest = std::max(found.largest, difference);
      found.rms += difference * difference;
    }
    found.rms = std::sqrt(found.rms / static_cast<double>(values.size()));
    return found;
  }

  void expect_bounds(const std::optional<FieldErrors>& recorded, const FieldErrors& true_errors) {
    ASSERT_TRUE(recorded);
    EXPECT_GT(recorded->rms, 0);
    EXPECT_GE(recorded->largest, true_errors.largest);
    EXPECT_GE(recorded->rms, true_errors.rms);
    EXPECT_LE(recorded->largest, true_errors.largest * (1 + 1e-6));
    EXPECT_LE(recorded->rms, true_errors.rms * (1 + 1e-6));
  }

  /// The original as memory.
  [[nodiscard]] ReadOriginal original() const {
    return [this](const std::string& field, Index step, const Lattice& samples,
                  std::span<std::byte> out) -> Result<bool> {
      const std::vector<double>& values = field == "t" ? samples_[step] : field == "v" ? vectors_ : mask_;
      const Index components = field == "v" ? 3 : 1;
      auto* to = reinterpret_cast<double*>(out.data());
      Point i{};
      for (i[2] = 0; i[2] < samples.count[2]; ++i[2]) {
        for (i[1] = 0; i[1] < samples.count[1]; ++i[1]) {
          for (i[0] = 0; i[0] < samples.count[0]; ++i[0]) {
            const Point p = samples.point(i);
            const Index at = components * (p[0] + kX * (p[1] + kY * p[2]));
            to = std::copy_n(values.begin() + at, components, to);
          }
        }
      }
      return true;
    };
  }

  [[nodiscard]] VerifyReport verified(const std::string& name) const {
    return verify_against(path(name), original()).value();
  }

  std::filesystem::path directory_;
  std::vector<double> samples_[2], vectors_, mask_;
};

TEST_F(CompressionErrors, AreBoundsOfWhatReadersGet) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3").ok());
  const Dataset dataset = Dataset::open(path("run.idx")).value();
  for (const int step : {0, 1}) {
    const auto errors = dataset.errors("t", step).value();
    expect_bounds(errors, measured(dataset, "t", step, samples_[step]));
    EXPECT_LE(errors->largest, 1e-3);
    EXPECT_EQ(dataset.largest_errors("t").value().at(static_cast<std::size_t>(step)), errors->largest);
    expect_bounds(dataset.errors("v", step).value(), measured(dataset, "v", step, vectors_));
  }
  EXPECT_EQ(dataset.errors("t", -1).value(), dataset.errors("t", 1).value());
  expect_bounds(dataset.errors("mask", 1).value(), measured(dataset, "mask", 1, mask_));
  EXPECT_EQ(dataset.largest_errors("mask").value(), std::vector{dataset.errors("mask", 0).value()->largest});
  EXPECT_EQ(dataset.errors("t", 2).status().code(), Code::kOutOfRange);
  EXPECT_EQ(dataset.errors("u", 0).status().code(), Code::kNotFound);
}

TEST_F(CompressionErrors, FieldsWithoutLossHaveNone) {
  for (const char* compression : {"none", "zip", "zfp-reversible"}) {
    const std::string name = std::string(compression) + ".idx";
    ASSERT_TRUE(write(name, compression).ok());
    const Dataset dataset = Dataset::open(path(name)).value();
    EXPECT_FALSE(dataset.errors("t", 0).value());
    EXPECT_TRUE(dataset.largest_errors("v").value().empty());
    EXPECT_TRUE(verified(name).good());
  }
}

TEST_F(CompressionErrors, AreRecordedWithoutOtherChecksums) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3", true, {{"checksums", "false"}}).ok());
  const Dataset dataset = Dataset::open(path("run.idx")).value();
  expect_bounds(dataset.errors("t", 1).value(), measured(dataset, "t", 1, samples_[1]));
  EXPECT_TRUE(verified("run.idx").good());
}

TEST_F(CompressionErrors, BlocksThatAreNotFiniteAreCompared) {
  samples_[0][1000] = std::numeric_limits<double>::quiet_NaN();
  samples_[1][2000] = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3").ok());
  EXPECT_TRUE(verified("run.idx").good());
  samples_[1][2000] = 0;
  const VerifyReport report = verified("run.idx");
  EXPECT_EQ(report.num_errors, 1);
}

// ---- verify_against ----

TEST_F(CompressionErrors, AnIntactDatasetIsWithinItsBounds) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3").ok());
  const VerifyReport report = verified("run.idx");
  EXPECT_TRUE(report.good()) << report.findings.front().text;
  EXPECT_EQ(report.blocks_compared, report.blocks);
  EXPECT_EQ(verify(path("run.idx")).value().blocks_compared, 0);
}

TEST_F(CompressionErrors, ABlockBeyondItsBoundIsNamed) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3", false).ok());
  samples_[1][kNum / 2] += 0.5;
  const VerifyReport report = verified("run.idx");
  ASSERT_EQ(report.num_errors, 1);
  const Finding& finding = report.findings.front();
  EXPECT_NE(finding.path.find("time_0001"), std::string::npos) << finding.path;
  EXPECT_NE(finding.text.find("field 't', step 1, block "), std::string::npos) << finding.text;
}

TEST_F(CompressionErrors, OneComponentBeyondItsBoundIsFound) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3", false).ok());
  vectors_[3 * 777 + 1] += 0.5;
  const VerifyReport report = verified("run.idx");
  ASSERT_EQ(report.num_errors, 2);  // steps
  EXPECT_NE(report.findings.front().text.find("field 'v.1'"), std::string::npos)
      << report.findings.front().text;
}

// The writer measures what it decodes: the recorded errors are the true ones, or the block is raw.
TEST_F(CompressionErrors, AnEncoderThatDropsBitPlanesIsMeasured) {
  {
    const DroppedBitPlanes fault(1);
    ASSERT_TRUE(write("fine.idx", "zfp-precision=20").ok());
  }
  {
    const DroppedBitPlanes fault(8);
    ASSERT_TRUE(write("raw.idx", "zfp-accuracy=1e-3").ok());
  }
  for (const char* name : {"fine.idx", "raw.idx"}) {
    const VerifyReport report = verified(name);
    EXPECT_TRUE(report.good()) << report.findings.front().text;
  }
  EXPECT_LE(Dataset::open(path("raw.idx")).value().errors("t", 0).value()->largest, 1e-3);
  ASSERT_TRUE(write("good.idx", "zfp-precision=20").ok());
  const auto worse = Dataset::open(path("fine.idx")).value().errors("t", 0).value();
  const auto good = Dataset::open(path("good.idx")).value().errors("t", 0).value();
  EXPECT_GT(worse->rms, good->rms);
}

// The reversible mode is not decoded by the writer; only the original shows the fault.
TEST_F(CompressionErrors, AReversibleEncoderThatDropsABitPlaneIsCaught) {
  {
    const DroppedBitPlanes fault(1);
    ASSERT_TRUE(write("run.idx", "zfp-reversible", false).ok());
  }
  EXPECT_TRUE(verify(path("run.idx")).value().good());
  const VerifyReport report = verified("run.idx");
  EXPECT_GT(report.num_errors, 0);
  const std::string& text = report.findings.front().text;
  EXPECT_NE(text.find("recorded errors are 0 "), std::string::npos) << text;
}

TEST_F(CompressionErrors, AnotherDatasetIsTheOriginal) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3").ok());
  ASSERT_TRUE(write("original.idx", "none").ok());
  ASSERT_TRUE(write("original.nc", "none", true).ok());
  for (const char* name : {"original.idx", "original.nc"}) {
    const Dataset original = Dataset::open(path(name)).value();
    const VerifyReport report = verify_against(path("run.idx"), original).value();
    EXPECT_TRUE(report.good()) << report.findings.front().text;
    EXPECT_EQ(report.blocks_compared, report.blocks);
  }
  samples_[1][kNum / 3] -= 0.1;
  ASSERT_TRUE(write("changed.nc", "none").ok());
  const Dataset changed = Dataset::open(path("changed.nc")).value();
  EXPECT_EQ(verify_against(path("run.idx"), changed).value().num_errors, 1);
  EXPECT_EQ(verify_against(path("original.nc"), changed).status().code(), Code::kUnsupported);
}

TEST_F(CompressionErrors, AnOriginalThatDoesNotFitIsAnError) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3").ok());
  const auto write_other = [&](const std::string& name, const std::string& field, SampleType type) {
    Options options;
    options.set("report", "none").check();
    Writer writer = Writer::create(path(name), Communicator::serial(), options).value();
    const auto x = writer.def_dim("x", 4).value();
    const auto other = writer.def_field(writer.def_grid("x", {x}).value(), field, type).value();
    const std::vector<double> values(4);
    writer.begin_step(0).check();
    writer.put(other, Patch::dense(Box{{0}, {4}}, values.data())).check();
    writer.end_step().check();
    writer.close().check();
    return Dataset::open(path(name)).value();
  };
  const auto no_field = verify_against(path("run.idx"), write_other("a.idx", "u", SampleType::kFloat64));
  EXPECT_EQ(no_field.status().code(), Code::kInvalidArgument);
  const auto other_shape = verify_against(path("run.idx"), write_other("b.idx", "t", SampleType::kFloat64));
  EXPECT_EQ(other_shape.status().code(), Code::kInvalidArgument);
  EXPECT_NE(other_shape.status().message().find("field 't'"), std::string::npos);
}

// ---- the record ----

TEST_F(CompressionErrors, ARebuiltIdxHasTheSameBytes) {
  for (const bool with_mask : {false, true}) {
    const std::string name = with_mask ? "several" : "one";
    ASSERT_TRUE(write(name + ".idx", "zfp-accuracy=1e-3", with_mask).ok());
    const std::string idx = path(with_mask ? name + "/xyz.idx" : name + ".idx");
    const std::string text = read_text(*posix_store(), idx, 1 << 20).value();
    std::filesystem::remove(idx);
    RebuildRequest request;
    request.path = idx;
    request.bits_per_block = with_mask ? 0 : 12;
    if (!with_mask) request.times = {0, 10};
    request.write = true;
    const auto rebuilt = rebuild_idx(request);
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status().message();
    EXPECT_EQ(read_text(*posix_store(), idx, 1 << 20).value(), text);
  }
}

// A record below the errors of its blocks was edited.
TEST_F(CompressionErrors, ARecordBelowItsBlocksIsAFinding) {
  ASSERT_TRUE(write("run.idx", "zfp-accuracy=1e-3", false).ok());
  std::string text = read_text(*posix_store(), path("run.idx"), 1 << 20).value();
  const auto begin = text.find(",\"errors\""), end = text.find("},", begin);
  text.replace(begin, end + 1 - begin, ",\"errors\":{\"t\":[0.0,0.0]}");
  const auto sum = text.find(",\"sum\"");
  text.replace(sum, text.find('}', sum) - sum, "");
  text.replace(text.find("\"format\":3"), 10, "\"format\":1");
  posix_store()->remove(path("run.idx")).check();
  posix_store()->create_exclusive(path("run.idx"), text).check();
  const VerifyReport report = verify(path("run.idx")).value();
  EXPECT_GT(report.num_errors, 0);
  EXPECT_NE(report.findings.front().text.find("as the largest"), std::string::npos)
      << report.findings.front().text;
}

}  // namespace
}  // namespace esker
