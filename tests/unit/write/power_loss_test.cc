// The power fails at any moment of a run, and unsynced changes are lost, in part or in another order. Durable
// steps can still be read. With fsync=step no other steps are visible; with fsync=close they are marked.
#include <gtest/gtest.h>

#include <set>

#include "formats/registry/open_dataset.h"
#include "store/faulty_store.h"
#include "store/forwarding_store.h"
#include "store/unsynced.h"
#include "support/power_loss_store.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

/// The last step that the policy guarantees to be on the device at a moment.
struct Promise {
  std::size_t moment = 0;
  Index steps = 0;
};

class RestartedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::string boot() const override { return "after"; }
};

struct Format {
  const char* name;
  const char* option;
  const char* path;
  bool single;
  bool has_mesh = false;
  const char* partitions = nullptr;  ///< stored separately
  const char* levels = nullptr;      ///< of lower resolution
  bool is_rounded = false;           ///< to as many bits as the values have, with a record of the errors
};

class PowerLossTest : public testing::TestWithParam<Format> {
 protected:
  RunPlan plan(Fsync fsync, Index first, Index end) const {
    RunPlan run;
    run.single = GetParam().single;
    if (GetParam().has_mesh) run.schema = mesh_schema();
    run.path = GetParam().path;
    run.options = {{"format", GetParam().option}};
    if (const char* levels = GetParam().levels) run.options.insert({"levels", levels});
    if (const char* partitions = GetParam().partitions) {
      run.options.insert({{"partition_index", "local"}, {"partitions", partitions}});
    }
    if (GetParam().is_rounded) {
      run.schema = volume_plane_and_line({9, 6, 4});
      run.options["compression"] = "bitround=23";
    }
    run.checksums = std::string(GetParam().option).find("idx") != std::string::npos;
    run.fsync = fsync;
    run.first_step = first;
    run.end_step = end;
    return run;
  }

  /// Writes, and records the guaranteed steps by moment.
  void write(const RunPlan& run) {
    const auto store = PowerLossDevice::store(device_, "before");
    run_ranks(1, [&](const Communicator& comm) {
      auto pipeline = open_run(comm, store, run).value();
      for (Index step = run.first_step; step < run.end_step; ++step) {
        write_step(*pipeline, comm, run, step).check();
        if (run.fsync == Fsync::kStep) promises_.push_back({device_->now(), step + 1});
      }
      pipeline->close({}).check();
    });
    if (run.fsync == Fsync::kClose) promises_.push_back({device_->now(), run.end_step});
  }

  void write_without_closing(const RunPlan& run) {
    run_ranks(1, [&](const Communicator& comm) {
      const auto store = PowerLossDevice::store(device_, "before");
      auto pipeline = open_run(comm, store, run).value();
      for (Index step = run.first_step; step < run.end_step; ++step) {
        write_step(*pipeline, comm, run, step).check();
      }
    });
  }

  [[nodiscard]] Index promised(std::size_t moment) const {
    Index steps = 0;
    for (const Promise& promise : promises_) {
      if (promise.moment <= moment) steps = promise.steps;
    }
    return steps;
  }

  static std::shared_ptr<Store> store_of(const std::map<std::string, std::vector<std::byte>>& files) {
    const auto store = memory_store();
    for (const auto& [path, bytes] : files) {
      store->open(path, OpenMode::kWrite).value()->write_at(bytes, 0).check();
    }
    return std::make_shared<RestartedStore>(store);
  }

  /// The samples that a step of a mesh must have: those of a run without power loss.
  std::vector<std::byte> samples_of_mesh(int field, Index step, const Box& box, int level) const {
    if (!whole_) {
      const auto store = memory_store();
      write_all(store, plan(Fsync::kNone, 0, 4)).check();
      whole_ = open_dataset(store, GetParam().path).value();
    }
    const Index bytes =
        box.num_samples() * whole_->schema.fields()[static_cast<std::size_t>(field)].sample_bytes();
    std::vector<std::byte> samples(static_cast<std::size_t>(bytes));
    read_box(*whole_, field, step, box, level, samples.data()).check();
    return samples;
  }

  bool is_right(const OpenedDataset& data, Index step) const {
    if (data.times[static_cast<std::size_t>(step)] != time_of(step)) return false;
    for (std::size_t f = 0; f < data.schema.fields().size(); ++f) {
      const Field& field = data.schema.fields()[f];
      const int number = static_cast<int>(f);
      const Index at = field.fixed ? 0 : step;
      if (step % field.every != 0 || !data.has_samples(number) || !data.has(number, at)) continue;
      const Box box = data.box(number);
      std::vector<Point> points;
      for_each_point(box, [&](const Point& p) { points.push_back(p); });
      std::vector<std::byte> samples(points.size() * static_cast<std::size_t>(field.sample_bytes()));
      const int level = data.bitmask(number).value().max_level();
      if (!read_box(data, number, at, box, level, samples.data()).ok()) return false;
      const bool has_expected = GetParam().has_mesh ? samples == samples_of_mesh(number, at, box, level)
                                                    : samples == expected_samples(field, number, at, points);
      if (!has_expected) return false;
      if (!GetParam().is_rounded) continue;
      const auto errors = data.errors(number, at);
      if (!errors.ok() || *errors != FieldErrors{}) return false;
    }
    return true;
  }

  /// `recognizable`: wrong steps may be visible if the dataset marks them.
  void check(std::size_t moment, PowerLoss model, unsigned seed, bool recognizable) {
    std::mt19937 random(seed);
    const auto files = device_->after(moment, model, random);
    ++num_states_;
    check_dataset(files, GetParam().path, promised(moment), recognizable);
    if (std::string_view(GetParam().path) != "run") return;
    const char* other_half = GetParam().has_mesh ? "run.vtkhdf.series" : "run.nc";
    check_dataset(files, other_half, promised(moment), recognizable);
  }

  void check_dataset(const std::map<std::string, std::vector<std::byte>>& files, const std::string& path,
                     Index durable, bool recognizable) {
    const auto data = open_dataset(store_of(files), path);
    if (!data.ok()) {
      EXPECT_EQ(durable, 0) << data.status().message();
      return;
    }
    const auto shown = static_cast<Index>((*data)->times.size());
    EXPECT_GE(shown, durable);
    bool is_marked = false;
    for (const std::string& text : (*data)->warnings) {
      is_marked = is_marked || text.find(".esker-unsynced") != std::string::npos;
    }
    for (Index step = 0; step < shown; ++step) {
      if (is_right(**data, step)) continue;
      ++num_wrong_;
      EXPECT_TRUE(step >= durable && recognizable && is_marked)
          << "step " << step << ", " << durable << " durable";
    }
  }

  void sweep(std::size_t first_moment, bool recognizable) {
    const std::size_t moments = GetParam().single ? 40 : 12;
    const std::size_t end = device_->now();
    const std::size_t stride = std::max<std::size_t>(1, (end - first_moment) / moments);
    for (std::size_t moment = first_moment; moment <= end; moment += stride) {
      for (int model = 0; model < kNumPowerLosses; ++model) {
        check(moment, static_cast<PowerLoss>(model), static_cast<unsigned>(moment), recognizable);
        ASSERT_FALSE(HasFailure()) << "at event " << moment << " of " << end << ", model " << model;
      }
    }
    EXPECT_GT(num_states_, 90);
  }

  std::shared_ptr<PowerLossDevice> device_ = std::make_shared<PowerLossDevice>();
  std::vector<Promise> promises_;
  mutable std::unique_ptr<OpenedDataset> whole_;
  int num_states_ = 0, num_wrong_ = 0;
};

TEST_P(PowerLossTest, OfARunThatSyncsEachStepShowsNoWrongStep) {
  write(plan(Fsync::kStep, 0, 3));
  sweep(0, false);
}

TEST_P(PowerLossTest, OfARunThatSyncsAtCloseLeavesWrongStepsRecognizable) {
  write(plan(Fsync::kClose, 0, 3));
  sweep(0, true);
  std::mt19937 random(1);
  for (const auto& [path, bytes] : device_->after(device_->now(), PowerLoss::kNothing, random)) {
    EXPECT_FALSE(path.ends_with(".esker-unsynced"));  // all steps are synced, and there is no mark
  }
}

TEST_P(PowerLossTest, WhileAppendingKeepsDurableSteps) {
  write(plan(Fsync::kClose, 0, 2));
  const std::size_t closed = device_->now();
  write(plan(Fsync::kClose, 2, 4));
  sweep(closed, true);
  if (GetParam().partitions)
    return;                  // all parts are synced, with their data, before any reader sees the step
  EXPECT_GT(num_wrong_, 0);  // otherwise this test would not show that wrong steps are recognized
}

TEST_P(PowerLossTest, WhileAppendingWithoutSyncsKeepsDurableSteps) {
  write(plan(Fsync::kStep, 0, 2));
  const std::size_t closed = device_->now();
  write(plan(Fsync::kNone, 2, 4));
  const std::size_t end = device_->now();
  const std::size_t moments = GetParam().single ? 40 : 12;
  const std::size_t stride = std::max<std::size_t>(1, (end - closed) / moments);
  for (std::size_t moment = closed; moment <= end; moment += stride) {
    for (int model = 0; model < kNumPowerLosses; ++model) {
      std::mt19937 random(static_cast<unsigned>(moment));
      const auto files = device_->after(moment, static_cast<PowerLoss>(model), random);
      const auto data = open_dataset(store_of(files), GetParam().path);
      ASSERT_TRUE(data.ok()) << data.status().message();
      ASSERT_GE((*data)->times.size(), 2U);
      for (const Index step : {0, 1}) {
        ASSERT_TRUE(is_right(**data, step)) << "step " << step << ", event " << moment << ", model " << model;
      }
    }
  }
}

TEST_P(PowerLossTest, WhileRewindingKeepsRemainingSteps) {
  write(plan(Fsync::kClose, 0, 3));
  const std::size_t closed = device_->now();
  promises_.push_back({closed + 1, 1});  // steps 1 and 2 are written again
  write(plan(Fsync::kClose, 1, 3));
  sweep(closed + 1, true);
}

// On a parallel file system, a sync covers what its own rank wrote. Rank 0 has no patch of the mesh.
TEST_P(PowerLossTest, EachRankSyncsTheFilesThatItWrote) {
  for (const Fsync fsync : {Fsync::kStep, Fsync::kClose}) {
    RunPlan run = plan(fsync, 0, 3);
    run.n_ranks = 9;
    if (run.options["format"] == "vtkhdf") run.aggregate = false;
    const auto store = memory_store();
    std::vector<std::set<std::string>> unsynced(static_cast<std::size_t>(run.n_ranks));
    const auto store_of_rank = [&](int rank) {
      std::set<std::string>& mine = unsynced[static_cast<std::size_t>(rank)];
      return faulty_store(store, [&mine](StoreCall call, const std::string& path) {
        std::string name = path.ends_with(".tmp") ? path.substr(0, path.size() - 4) : path;
        constexpr std::string_view kStaged = "/.esker-new";  // of files until they are renamed
        if (const auto at = name.find(kStaged); at != std::string::npos) name.erase(at, kStaged.size());
        if (name.ends_with("/complete")) return 0;  // removed with its directory
        if (call == StoreCall::kWrite) mine.insert(name);
        if (call == StoreCall::kSync || call == StoreCall::kRemove) mine.erase(name);
        return 0;
      });
    };
    write_all(store_of_rank, run).check();
    for (const auto& mine : unsynced) {
      for (const std::string& name : mine) ADD_FAILURE() << name << " is not synced";
    }
  }
}

// A killed run's steps are in the machine's memory: the next run syncs them.
TEST_P(PowerLossTest, StepsOfAKilledRunAreSyncedByTheNext) {
  write(plan(Fsync::kClose, 0, 2));
  write_without_closing(plan(Fsync::kClose, 2, 3));
  const auto before = PowerLossDevice::store(device_, "before");
  EXPECT_TRUE(before->exists("run.esker-unsynced").value());
  EXPECT_TRUE(open_dataset(before, GetParam().path).value()->warnings.empty());
  const RunPlan next = plan(Fsync::kNone, 3, 3);
  ASSERT_TRUE(write_all(before, next).ok());
  EXPECT_FALSE(before->exists("run.esker-unsynced").value());
  promises_.push_back({device_->now(), 3});
  for (int model = 0; model < kNumPowerLosses; ++model) {
    check(device_->now(), static_cast<PowerLoss>(model), 1, false);
  }
}

// The marked steps are removed, and all others were durable before.
TEST_P(PowerLossTest, ClosingAfterRewindingLeavesNoMark) {
  write(plan(Fsync::kClose, 0, 2));
  const auto store = PowerLossDevice::store(device_, "before");
  run_ranks(1, [&](const Communicator& comm) {
    const RunPlan run = plan(Fsync::kClose, 2, 3);
    auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 2).check();
    EXPECT_TRUE(store->exists("run.esker-unsynced").value());
    pipeline->rewind({}, time_of(0)).check();
    pipeline->close({}).check();
  });
  EXPECT_FALSE(store->exists("run.esker-unsynced").value());
}

// A step that takes the number of a durable one is not durable for that.
TEST_P(PowerLossTest, AStepBeforeTheMarkedOnesLowersTheMark) {
  write(plan(Fsync::kClose, 0, 3));
  run_ranks(1, [&](const Communicator& comm) {
    const RunPlan run = plan(Fsync::kClose, 3, 4);
    auto pipeline = open_run(comm, PowerLossDevice::store(device_, "before"), run).value();
    write_step(*pipeline, comm, run, 3).check();
    pipeline->rewind({}, time_of(0)).check();
    write_step(*pipeline, comm, run, 1).check();
  });
  std::mt19937 random(3);
  const auto files = device_->after(device_->now(), PowerLoss::kNothing, random);
  const auto marker = read_unsynced_marker(*store_of(files), "run").value();
  ASSERT_TRUE(marker);
  EXPECT_EQ(marker->synced_steps, 1);
}

// After a power failure, a run cannot continue after steps that may be damaged, only after a durable one.
TEST_P(PowerLossTest, ARunContinuesFromADurableStep) {
  write(plan(Fsync::kClose, 0, 2));
  write_without_closing(plan(Fsync::kClose, 2, 3));
  std::mt19937 random(3);
  auto files = device_->after(device_->now(), PowerLoss::kNamesNoneData, random);
  files.erase("run.esker-lock");  // of a process that has ended
  const auto store = store_of(files);
  const auto shown = static_cast<Index>(open_dataset(store, GetParam().path).value()->times.size());
  run_ranks(1, [&](const Communicator& comm) {
    const RunPlan after = plan(Fsync::kStep, shown, 4);
    auto pipeline = open_run(comm, store, after).value();
    const Status refused = write_step(*pipeline, comm, after, shown);
    EXPECT_EQ(refused.code(), shown > 2 ? Code::kDataLoss : Code::kOk) << refused.message();
    pipeline->close({}).check();
  });
  const Status status = write_all(store, plan(Fsync::kStep, 2, 4));
  ASSERT_TRUE(status.ok()) << status.message();
  const auto data = open_dataset(store, GetParam().path).value();
  EXPECT_TRUE(data->warnings.empty());
  ASSERT_EQ(data->times.size(), 4U);
  for (const Index step : {0, 1, 2, 3}) EXPECT_TRUE(is_right(*data, step)) << step;
}

std::vector<Format> formats() {
  std::vector<Format> all{{"Idx", "idx", "run.idx", true},
                          {"SeveralGrids", "idx", "run.idx", false},
                          {"Cdf5", "cdf5", "run.nc", true},
                          {"Cdf5AndIdx", "cdf5+idx", "run", true},
                          {"Zarr", "zarr", "run.zarr", true},
                          {"ZarrOfSeveralGrids", "zarr", "run.zarr", false, false, nullptr, "1"},
                          {"Cdf5AndZarr", "cdf5+zarr", "run.zarr", true, false, nullptr, "1"},
                          {"RoundedZarr", "zarr", "run.zarr", true, false, nullptr, nullptr, true}};
#ifdef ESKER_HAVE_HDF5
  all.push_back({"Netcdf4", "netcdf4", "run.nc", true});
  all.push_back({"PartsOfNetcdf4", "netcdf4", "run.nc", true, false, "2"});
  all.push_back({"Levels", "vtkhdf", "run.vtkhdf.series", true, true});
  all.push_back({"LevelsAndIdx", "vtkhdf+idx", "run", true, true});
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PowerLossTest, testing::ValuesIn(formats()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esker
