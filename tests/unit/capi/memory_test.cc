// Memory that runs out at any request of any C function is ESKER_OUT_OF_MEMORY, and the next attempt
// succeeds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "esker/esker.h"
#include "support/test_new.h"

namespace {

using esker::testing_support::FailingNew;

class CMemory : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("esker-capi-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
    path_ = (directory_ / "run.idx").string();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// Calls with each request for so much memory failing in turn, until one gets through without a failure.
  /// At least one has to fail.
  static void fail_each_request(std::size_t min_bytes, const std::function<esker_status()>& call) {
    for (long after = 0;; ++after) {
      ASSERT_LT(after, 5000);
      esker_status status = ESKER_OK;
      long num_failed = 0;
      {
        const FailingNew failing({.after = after, .min_bytes = min_bytes});
        status = call();
        num_failed = FailingNew::num_failed();
      }
      if (num_failed == 0) {
        EXPECT_EQ(status, ESKER_OK);
        EXPECT_GT(after, 0) << "no request of that size";
        return;
      }
      EXPECT_TRUE(status == ESKER_OK || status == ESKER_OUT_OF_MEMORY) << status << " after " << after;
    }
  }

  /// A dataset of one step, 13 x 7.
  void write() const {
    esker_dataset* ds = nullptr;
    ASSERT_EQ(esker_create(path_.c_str(), nullptr, nullptr, &ds), ESKER_OK);
    int dims[2], grid, field;
    esker_def_dim(ds, "x", 13, &dims[0]);
    esker_def_dim(ds, "y", 7, &dims[1]);
    esker_def_grid(ds, "map", 2, dims, &grid);
    esker_def_field(ds, grid, "thk", ESKER_FLOAT32, 1, 1, &field);
    esker_put_att_text(ds, ESKER_DATASET, 0, "title", "a title that is too long to be kept in place");
    esker_begin_step(ds, 0);
    const std::vector<float> samples(13 * 7, 1.5F);
    const int64_t lo[2] = {0, 0}, extent[2] = {13, 7};
    esker_put(ds, field, ESKER_FLOAT32, lo, extent, samples.data());
    EXPECT_EQ(esker_end_step(ds), ESKER_OK) << esker_message(ds);
    EXPECT_EQ(esker_close(ds), ESKER_OK) << esker_message(ds);
    esker_free(ds);
  }

  std::filesystem::path directory_;
  std::string path_;
};

TEST_F(CMemory, OfOptions) {
  fail_each_request(0, [] {
    esker_options* options = nullptr;
    int num = 0;
    const char* name = nullptr;
    esker_status status = esker_options_new(&options);
    if (status == ESKER_OK) status = esker_options_set(options, "report", "a path that is rather long.json");
    if (status == ESKER_OK) status = esker_options_inq_num(options, &num);
    if (status == ESKER_OK) status = esker_options_inq(options, 0, &name, nullptr, nullptr, nullptr);
    esker_options_free(options);
    return status;
  });
}

TEST_F(CMemory, OfOpening) {
  write();
  fail_each_request(0, [&] {
    esker_dataset* ds = nullptr;
    const esker_status status = esker_open(path_.c_str(), 0, &ds);
    EXPECT_EQ(status == ESKER_OK, std::string(esker_message(ds)).empty());
    esker_free(ds);
    return status;
  });
}

TEST_F(CMemory, OfReading) {
  write();
  esker_dataset* ds = nullptr;
  ASSERT_EQ(esker_open(path_.c_str(), ESKER_OPEN_VERIFY, &ds), ESKER_OK);
  fail_each_request(0, [&] {
    float samples[13 * 7];
    const char* text = nullptr;
    int field = -1;
    int64_t count[2];
    esker_status status = esker_inq_field_id(ds, "thk", &field);
    if (status == ESKER_OK)
      status = esker_inq_selection(ds, field, 0, nullptr, nullptr, 2, count, count, count);
    if (status == ESKER_OK) status = esker_get(ds, field, 0, nullptr, nullptr, -1, samples, sizeof samples);
    if (status == ESKER_OK)
      status = esker_get_att_text(ds, ESKER_DATASET, 0, "title of a longer name", &text);
    return status == ESKER_NOT_FOUND ? ESKER_OK : status;  // there is no such attribute
  });
  esker_free(ds);
}

TEST_F(CMemory, OfVerifying) {
  write();
  esker_dataset* ds = nullptr;
  ASSERT_EQ(esker_open(path_.c_str(), 0, &ds), ESKER_OK);
  esker_verify_report report;
  fail_each_request(0, [&] { return esker_verify(ds, nullptr, nullptr, &report); });
  EXPECT_EQ(report.errors, 0);
  esker_free(ds);
}

// An error of a local call comes back from esker_end_step; the step after it succeeds.
TEST_F(CMemory, OfPutting) {
  esker_dataset* ds = nullptr;
  ASSERT_EQ(esker_create(path_.c_str(), nullptr, nullptr, &ds), ESKER_OK);
  int x = -1, grid = -1, field = -1;
  esker_def_dim(ds, "x", 13, &x);
  esker_def_grid(ds, "line", 1, &x, &grid);
  esker_def_field(ds, grid, "thk", ESKER_FLOAT32, 1, 1, &field);
  const std::vector<float> samples(13, 1.5F);
  const int64_t lo = 0, extent = 13;
  bool failed = true;
  for (long after = 0; failed; ++after) {
    esker_status status = ESKER_OK;
    {
      const FailingNew failing({.after = after});
      status = esker_begin_step(ds, static_cast<double>(after));
      if (status == ESKER_OK) status = esker_put(ds, field, ESKER_FLOAT32, &lo, &extent, samples.data());
      failed = FailingNew::num_failed() > 0;
    }
    EXPECT_EQ(esker_end_step(ds), status) << esker_message(ds);
    EXPECT_TRUE(failed || status == ESKER_OK);
  }
  EXPECT_EQ(esker_close(ds), ESKER_OK) << esker_message(ds);
  esker_free(ds);
}

// No memory for the handle or the path of a dataset.
TEST_F(CMemory, OfCreating) {
  for (long after = 0; after < 3; ++after) {
    esker_dataset* ds = nullptr;
    esker_status status = ESKER_OK;
    {
      const FailingNew failing({.after = after});
      status = esker_create(path_.c_str(), nullptr, nullptr, &ds);
    }
    EXPECT_EQ(status, ESKER_OUT_OF_MEMORY);
    EXPECT_NE(std::string(esker_message(ds)), "");
    esker_free(ds);
  }
}

}  // namespace
