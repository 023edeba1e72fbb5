// Steps whose patches are in memory of a GPU, which the tests' double of its driver has: the files are those
// of the same samples in memory of the host.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/guarded.h"
#include "esker/dataset.hpp"
#include "esker/writer.hpp"
#include "support/cuda/double.h"
#include "support/device_context.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

class DeviceRuns : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_);
    CudaOfTests::get();
    objects_before_ = esker_double_num_objects();
  }
  void TearDown() override {
    esker_double_fail(nullptr, 0, 0);
    ::unsetenv("ESKER_TEST_DEVICE");
    std::filesystem::remove_all(directory_);
    EXPECT_EQ(esker_double_num_objects(), objects_before_) << "streams, modules, pins ... are left";
  }

  static std::shared_ptr<Store> from(const char* where, const RunPlan& run) {
    if (where != nullptr) ::setenv("ESKER_TEST_DEVICE", where, 1);
    auto store = written(run);
    ::unsetenv("ESKER_TEST_DEVICE");
    return store;
  }
  /// `copied`: the bytes that the driver has copied in the way that is expected.
  static void expect_same_from_device(const RunPlan& run,
                                      unsigned long long (*copied)() = esker_double_kernel_bytes) {
    const auto expected = from(nullptr, run);
    for (const char* const where : {"all", "mixed"}) {
      const auto before = copied();
      expect_same_files(*from(where, run), *expected, ".");
      EXPECT_GT(copied(), before) << where;
    }
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("esker-device-" + std::to_string(::getpid()));
  int objects_before_ = 0;
};

TEST_F(DeviceRuns, WriteTheSameFilesInAllFormats) {
  std::vector<std::pair<const char*, const char*>> formats{
      {"idx", "run.idx"}, {"cdf5", "run.nc"}, {"zarr", "run.zarr"}, {"cdf5+idx", "run.nc"}};
#ifdef ESKER_HAVE_HDF5
  formats.emplace_back("netcdf4", "run.nc");
#endif
  for (const auto& [format, path] : formats) {
    SCOPED_TRACE(format);
    RunPlan run{.n_ranks = 3, .shuffle_puts = true, .path = path};
    run.options = {{"format", format}, {"bits_per_block", "8"}};
    expect_same_from_device(run);
  }
}

TEST_F(DeviceRuns, WriteTheSameFilesInManyRoundsAndLater) {
  for (const char* const async : {"false", "true"}) {
    SCOPED_TRACE(async);
    RunPlan run{.n_ranks = 4, .memory_budget = Index{192} << 10, .new_boxes_each_step = true};
    run.options = {{"async", async}, {"bits_per_block", "7"}};
    expect_same_from_device(run);
  }
}

// Buffers of other ranks of the node, and messages that its leader combines, are pinned, too.
TEST_F(DeviceRuns, UseTheKernelForAllBuffers) {
  ::setenv("ESKER_TEST_DEVICE", "all", 1);
  for (const Transport transport : {Transport::kShared, Transport::kLeaders, Transport::kMessages,
                                    Transport::kAllToAll, Transport::kPut, Transport::kGet}) {
    RunPlan run{.n_ranks = 4, .aggregators = 2, .transport = transport, .ranks_per_node = 2};
    run.options = {{"bits_per_block", "8"}};
    const auto store = memory_store();
    run_ranks(
        run.n_ranks,
        [&](const Communicator& comm) {
          auto pipeline = open_run(comm, store, run).value();
          write_step(*pipeline, comm, run, 0).check();
          const RunReport report = pipeline->report().value();
          std::map<std::string, double> most;
          for (const Spread& amount : report.counters.amounts) most[amount.name] = amount.max;
          EXPECT_GT(most["device_bytes"], 0);
          EXPECT_GT(most["device_pinned_bytes"], 0);
          EXPECT_EQ(most["device_row_bytes"], 0) << static_cast<int>(transport);
          EXPECT_TRUE(report.warnings.empty());
          pipeline->close({}).check();
        },
        run.ranks_per_node);
  }
}

TEST_F(DeviceRuns, OfMeshesWriteTheSameFiles) {
  RunPlan run{.n_ranks = 2, .schema = mesh_schema()};
  run.options = {{"bits_per_block", "6"}};
  expect_same_from_device(run);
}

// Values are needed before they move: they are copied to the host first.
TEST_F(DeviceRuns, WithStoredBitsOrRulesWriteTheSameFiles) {
  RunPlan bits{.n_ranks = 3, .schema = stored_bits_schema()};
  bits.options = {{"bits_per_block", "6"}};
  expect_same_from_device(bits, esker_double_copy_bytes);

  RunPlan rules{.n_ranks = 3, .single = true};
  rules.options = {{"bits_per_block", "6"}};
  rules.keep = [](Index, int, const StepInput&) {
    return std::vector<KeepCall>{{0, 0, KeepRule::in_range({0}, 20, 40)}};
  };
  expect_same_from_device(rules, esker_double_copy_bytes);
}

// What other rules keep is known without values.
TEST_F(DeviceRuns, WithRulesForPlacesAreGathered) {
  for (const KeepRule& rule : {KeepRule::everywhere(-2), KeepRule::inside({Box{{3, 2}, {9, 11}}})}) {
    RunPlan run{.n_ranks = 3, .single = true};
    run.options = {{"bits_per_block", "6"}};
    run.keep = [&](Index, int, const StepInput&) { return std::vector<KeepCall>{{0, -1, rule}}; };
    const auto copied_by_rows = esker_double_copy_bytes();
    expect_same_from_device(run);
    EXPECT_EQ(esker_double_copy_bytes(), copied_by_rows);
  }
}

TEST_F(DeviceRuns, SayWhatBudgetCopiesOnTheHostNeed) {
  RunPlan run{.memory_budget = Index{4} << 10, .schema = stored_bits_schema()};
  ::setenv("ESKER_TEST_DEVICE", "all", 1);
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kOutOfMemory) << status.message();
  EXPECT_NE(status.message().find("'thk': values of patches on a device are needed in"), std::string::npos)
      << status.message();
}

/// The functions that a step calls.
constexpr std::array kFailing{"cuLaunchKernel",    "cuStreamSynchronize",    "cuEventRecord",
                              "cuStreamWaitEvent", "cuPointerGetAttributes", "cuCtxPushCurrent_v2"};

// One rank fails, at its first call or later: all discard the step, and the next one succeeds.
TEST_F(DeviceRuns, AnErrorOfTheDeviceIsOneOfAllRanks) {
  ::setenv("ESKER_TEST_DEVICE", "all", 1);
  for (const std::string function : kFailing) {
    const std::string name = function.substr(0, function.find('_'));
    for (const int nth : {0, 2}) {
      SCOPED_TRACE(function + " " + std::to_string(nth));
      const auto store = memory_store();
      RunPlan run{.n_ranks = 3, .end_step = 1, .single = true};
      run.options = {{"bits_per_block", "6"}};
      std::vector<Status> failed(3);
      run_ranks(3, [&](const Communicator& comm) {
        auto pipeline = open_run(comm, store, run).value();
        StepData data(comm, run, 0);
        comm.get()->barrier();
        if (comm.rank() == 0) esker_double_fail(function.c_str(), nth, 700);
        comm.get()->barrier();
        const Status found = guarded("put", [&] {
          find_devices(*pipeline, data.input);
          return Status();
        });
        if (data.input.status.ok()) data.input.status = found;
        failed[static_cast<std::size_t>(comm.rank())] = pipeline->write_step(std::move(data.input));
        comm.get()->barrier();
        if (comm.rank() == 0) esker_double_fail(nullptr, 0, 0);
        comm.get()->barrier();
        if (!failed[0].ok()) write_step(*pipeline, comm, run, 0).check();
        pipeline->close({}).check();
      });
      for (const Status& status : failed) {
        EXPECT_EQ(status.message(), failed[0].message());
        EXPECT_FALSE(status.ok());
        EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
      }
      ::unsetenv("ESKER_TEST_DEVICE");
      expect_complete(store, run, 1);
      ::setenv("ESKER_TEST_DEVICE", "all", 1);
    }
  }
}

// The host reads pinned memory itself, but a stream of the program may still write to it.
TEST_F(DeviceRuns, WaitForStreamsThatFillPinnedMemory) {
  std::vector<double> values(60);
  CudaOfTests::get().call("cuMemHostRegister_v2", static_cast<void*>(values.data()), std::size_t{480}, 0U);
  unsigned long long on_device = 0;
  CudaOfTests::get().call("cuMemHostGetDevicePointer_v2", &on_device, static_cast<void*>(values.data()), 0U);
  const std::string path = (directory_ / "run.idx").string();
  for (const bool is_buffered : {false, true}) {
    Options options;
    options.overwrite = true;
    options.report = "none";
    Writer writer = Writer::create(path, Communicator::serial(), options).value();
    const DimId x = writer.def_dim("x", 10).value(), y = writer.def_dim("y", 6).value();
    const GridId grid = writer.def_grid("xy", {x, y}).value();
    const FieldId field = writer.def_field(grid, "v", SampleType::kFloat64).value();
    writer.begin_step(0).check();
    std::fill(values.begin(), values.end(), 0);
    esker_double_fill_later(nullptr, on_device, 480, 0x3f);
    const Patch patch = Patch::dense(Box::from_extent(2, {10, 6}), values.data());
    (is_buffered ? writer.put_buffered(field, patch) : writer.put(field, patch)).check();
    writer.end_step().check();
    writer.close().check();
    std::vector<std::byte> found(480);
    Dataset::open(path).value().read({.field = "v"}, found.data(), found.size()).check();
    EXPECT_EQ(found, std::vector<std::byte>(480, std::byte{0x3f})) << is_buffered;
  }
  CudaOfTests::get().call("cuMemHostUnregister", static_cast<void*>(values.data()));
}

// The double does the work of a stream when it is synchronized.
TEST_F(DeviceRuns, WaitForTheStreamThatTheWriterIsTold) {
  void* stream = nullptr;
  CudaOfTests::get().call("cuStreamCreate", &stream, 1U);
  const std::vector<double> zeros(60);
  const DeviceBytes memory(std::as_bytes(std::span(zeros)));
  const std::string path = (directory_ / "run.idx").string();
  {
    Writer writer = Writer::create(path, Communicator::serial()).value();
    const DimId x = writer.def_dim("x", 10).value(), y = writer.def_dim("y", 6).value();
    const FieldId field =
        writer.def_field(writer.def_grid("xy", {x, y}).value(), "v", SampleType::kFloat64).value();
    writer.set_stream(stream);
    writer.begin_step(0).check();
    esker_double_fill_later(
        stream, static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(memory.data())), 480, 0x3f);
    writer
        .put(field,
             Patch::dense(Box::from_extent(2, {10, 6}), reinterpret_cast<const double*>(memory.data())))
        .check();
    writer.end_step().check();
    writer.close().check();
  }
  CudaOfTests::get().call("cuStreamDestroy_v2", stream);
  std::vector<std::byte> found(480);
  Dataset::open(path).value().read({.field = "v"}, found.data(), found.size()).check();
  EXPECT_EQ(found, std::vector<std::byte>(480, std::byte{0x3f}));
}

/// A dataset with one field of 10 x 6 samples, of which patches are rows.
struct RowsOfAField {
  explicit RowsOfAField(const std::string& path, const Options& options = {})
      : writer(Writer::create(path, Communicator::serial(), options).value()) {
    const DimId x = writer.def_dim("x", 10).value(), y = writer.def_dim("y", 6).value();
    field = writer.def_field(writer.def_grid("xy", {x, y}).value(), "v", SampleType::kFloat64).value();
  }
  void put(Index first_row, Index num_rows, const void* memory) {
    const Box box({0, first_row}, {10, first_row + num_rows});
    writer.put(field, Patch::dense(box, static_cast<const double*>(memory))).check();
  }
  Writer writer;
  FieldId field;
};

// Strides are filled by the kernel, dense memory by one copy of the driver.
TEST_F(DeviceRuns, FillMemoryAfterTheStreamThatAReadIsTold) {
  void* stream = nullptr;
  CudaOfTests::get().call("cuStreamCreate", &stream, 1U);
  const std::string path = (directory_ / "run.idx").string();
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  {
    Options options;
    options.set("bits_per_block", "3").check();  // blocks of finer levels have no coarser samples
    RowsOfAField rows(path, options);
    rows.writer.begin_step(0).check();
    rows.put(0, 6, values.data());
    rows.writer.end_step().check();
    rows.writer.close().check();
  }
  const Dataset dataset = Dataset::open(path).value();
  const std::vector<double> zeros(120);
  double filled = 0;
  std::memset(&filled, 0x3f, sizeof(filled));
  for (const int start_level : {0, 4}) {  // of a refinement, the coarser samples are those that are there
    const Lattice coarse = dataset.select({.field = "v", .level = std::max(start_level - 1, 0)}).value();
    for (const Index every : {1, 2}) {
      const DeviceBytes memory(std::as_bytes(std::span(zeros)));
      const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(memory.data()));
      esker_double_fill_later(stream, address, 960, 0x3f);
      auto* const first = reinterpret_cast<double*>(memory.data());
      const auto by_kernel = esker_double_kernel_bytes();
      const auto out = MutablePatch::strided(Box::from_extent(2, {10, 6}), first, {every, 10 * every});
      dataset.read({.field = "v", .start_level = start_level}, out, {.stream = stream}).check();
      const unsigned long long of_copies = start_level > 0 ? 960 : 480;
      EXPECT_EQ(esker_double_kernel_bytes() - by_kernel, every == 1 ? 0 : of_copies);
      std::vector<double> found(120);
      memory.read(reinterpret_cast<std::byte*>(found.data()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto x = static_cast<Index>(i % 10), y = static_cast<Index>(i / 10);
        const bool is_coarse = start_level > 0 && !coarse.indices_in(Box({x, y}, {x + 1, y + 1})).empty();
        EXPECT_EQ(found[i * every], is_coarse ? filled : values[i]) << every;
      }
    }
  }
  CudaOfTests::get().call("cuStreamDestroy_v2", stream);
}

TEST_F(DeviceRuns, GatherFromTwoDevicesInOneStep) {
  const DeviceContext other(1);
  const std::vector<double> first(20, 1), second(20, 2), third(20, 3);
  const std::string path = (directory_ / "run.idx").string();
  {
    const DeviceBytes memory(std::as_bytes(std::span(first)));
    RowsOfAField rows(path);
    rows.writer.begin_step(0).check();
    rows.put(0, 2, memory.data());
    rows.put(2, 2, other.allocate(std::as_bytes(std::span(second))));
    rows.put(4, 2, third.data());
    rows.writer.end_step().check();
    rows.writer.close().check();
  }
  std::vector<double> found(60), expected = first;
  expected.insert(expected.end(), second.begin(), second.end());
  expected.insert(expected.end(), third.begin(), third.end());
  Dataset::open(path).value().read({.field = "v"}, found.data(), 480).check();
  EXPECT_EQ(found, expected);
}

// The step is discarded; the writer continues with memory of the host, and ends.
TEST_F(DeviceRuns, ReportContextsThatWereDestroyed) {
  const std::vector<double> ones(60, 1);
  const std::string path = (directory_ / "run.idx").string();
  {
    DeviceContext other(1);
    RowsOfAField rows(path);
    rows.writer.begin_step(0).check();
    rows.put(0, 6, other.allocate(std::as_bytes(std::span(ones))));
    other.destroy();
    const Status status = rows.writer.end_step();
    EXPECT_EQ(status.code(), Code::kIoError);
    EXPECT_NE(status.message().find("CUDA_ERROR_CONTEXT_IS_DESTROYED"), std::string::npos)
        << status.message();
    rows.writer.begin_step(0).check();
    rows.put(0, 6, ones.data());
    rows.writer.end_step().check();
    rows.writer.close().check();
  }
  std::vector<double> found(60);
  Dataset::open(path).value().read({.field = "v"}, found.data(), 480).check();
  EXPECT_EQ(found, ones);
}

// Whether levels are means is in the dataset, not in the options of the run that continues it.
TEST_F(DeviceRuns, ContinueADatasetWithMeans) {
  const auto run_of = [](bool continues) {
    RunPlan run{
        .n_ranks = 2, .first_step = continues ? 2 : 0, .end_step = continues ? 3 : 2, .path = "run.zarr"};
    run.options = {{"format", "zarr"}};
    if (!continues) run.options.insert({{"levels", "2"}, {"level_values", "mean"}});
    return run;
  };
  std::array<std::shared_ptr<Store>, 2> stores{memory_store(), memory_store()};
  for (std::size_t s = 0; s < stores.size(); ++s) {
    if (s == 1) ::setenv("ESKER_TEST_DEVICE", "all", 1);
    for (const bool continues : {false, true}) {
      const Status written = write_all(stores[s], run_of(continues));
      EXPECT_TRUE(written.ok()) << written.message();
    }
  }
  expect_same_files(*stores[1], *stores[0], ".");
}

TEST_F(DeviceRuns, BufferedPutsCopyAndConvert) {
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 0.5;
  {
    Writer writer = Writer::create((directory_ / "run.idx").string(), Communicator::serial()).value();
    const DimId x = writer.def_dim("x", 10).value(), y = writer.def_dim("y", 6).value();
    const GridId grid = writer.def_grid("xy", {x, y}).value();
    const FieldId same = writer.def_field(grid, "same", SampleType::kFloat64).value();
    const FieldId other = writer.def_field(grid, "other", SampleType::kInt32).value();
    writer.begin_step(0).check();
    {
      const DeviceBytes memory(std::as_bytes(std::span(values)));
      const Patch patch =
          Patch::dense(Box::from_extent(2, {10, 6}), reinterpret_cast<const double*>(memory.data()));
      writer.put_buffered(same, patch).check();
      writer.put_buffered(other, patch).check();
    }
    writer.end_step().check();
    writer.close().check();
  }
  const Dataset dataset = Dataset::open((directory_ / "run.idx").string()).value();
  std::vector<double> same(60);
  std::vector<std::int32_t> other(60);
  dataset.read({.field = "same"}, same.data(), 480).check();
  dataset.read({.field = "other"}, other.data(), 240).check();
  EXPECT_EQ(same, values);
  const DeviceBytes read_to(std::as_bytes(std::span(std::as_const(same))));
  dataset.read({.field = "same"}, read_to.data(), read_to.size()).check();
  std::fill(same.begin(), same.end(), 0);
  read_to.read(reinterpret_cast<std::byte*>(same.data()));
  EXPECT_EQ(same, values);
  for (std::size_t i = 0; i < other.size(); ++i) EXPECT_EQ(other[i], static_cast<int>(i));
}

}  // namespace
}  // namespace esker
