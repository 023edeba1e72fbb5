// Runs on a real directory under faults, hundreds of cases in one program: a store that fails on chosen
// ranks, a watchdog that names a hanging case, and the checks after every failure.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "formats/idx/idx_dataset.h"
#include "formats/registry/make_writer.h"
#include "store/faulty_store.h"
#include "support/mpi_fixture.h"
#include "support/runs.h"

namespace esker::testing_support {

/// Ends the program with the name of the case when it takes more than 30 s.
class Watchdog {
 public:
  explicit Watchdog(const std::string& name) {
    name_.fill('\0');
    name.copy(name_.data(), name_.size() - 2);
    name_[std::strlen(name_.data())] = '\n';
    ::signal(SIGALRM, [](int) {
      constexpr std::string_view kText = "hangs for 30 s: ";
      (void)!::write(STDERR_FILENO, kText.data(), kText.size());
      (void)!::write(STDERR_FILENO, name_.data(), std::strlen(name_.data()));
      ::abort();
    });
    ::alarm(30);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { ::alarm(0); }

 private:
  static inline std::array<char, 512> name_{};
};

/// The calls that fail, and the error.
struct StoreFault {
  StoreCall call = StoreCall::kOpen;
  std::string part;  ///< of the path; "$" at its end: the path ends so
  int nth = 1;       ///< only from the nth such call on the same path on
  Fsync fsync = Fsync::kNone;
  bool removing_fails = false;  ///< after that, files of that kind cannot be removed either
  bool only_once = false;       ///< on each rank; otherwise the cleanup of the file fails, too
};

/// The dataset that is written, and the name of its tests.
struct Subject {
  const char* name;
  const char* format;
  bool single;
  const char* compression = "none";
  bool has_bits = false;     ///< stored_bits_schema()
  bool is_sparse = false;    ///< steps keep some of the blocks
  bool has_mesh = false;     ///< mesh_schema()
  bool has_reals = false;    ///< and nothing else: volume_plane_and_line()
  const char* levels = "0";  ///< of lower resolution
  const char* level_values = "sample";

  [[nodiscard]] bool has_block_sets() const { return has_idx() && (is_sparse || has_mesh); }

  [[nodiscard]] bool has_idx() const { return std::string_view(format).ends_with("idx"); }
  [[nodiscard]] bool has_levels() const { return std::string_view(format).starts_with("vtkhdf"); }
  [[nodiscard]] bool has_zarr() const {
    return std::string_view(format).find("zarr") != std::string_view::npos;
  }
  [[nodiscard]] bool has_netcdf() const {
    return !has_levels() && std::string_view(format).substr(0, 4) != "zarr" &&
           std::string_view(format) != "idx";
  }
  /// An IDX dataset of a single grid, with every sample stored as it is put.
  [[nodiscard]] bool is_simple() const {
    const bool is_raw = std::string_view(compression) == "none" && !has_bits;
    return std::string_view(format) == "idx" && single && is_raw && !has_block_sets();
  }
  /// All ranks write a step to one file.
  [[nodiscard]] bool has_common_file() const { return has_levels() || has_netcdf(); }
  [[nodiscard]] bool has_journal() const { return std::string_view(format).starts_with("netcdf4"); }
  [[nodiscard]] std::string file() const {
    if (has_idx()) return "run.idx";
    if (has_zarr()) return "run.zarr";
    return has_levels() ? "run.vtkhdf.series" : "run.nc";
  }
};

inline constexpr Subject kSubjects[] = {
    {"OneGrid", "idx", true},
    {"SeveralGrids", "idx", false},
    {"Compressed", "idx", false, "zip"},
    {"StoredBits", "idx", true, "none", true},
    {"Sparse", "idx", true, "none", false, true},
    {"Mesh", "idx", true, "none", false, false, true},
    {"Levels", "vtkhdf", true, "none", false, false, true},
    {"LevelsAndIdx", "vtkhdf+idx", true, "none", false, false, true},
    {"Cdf5", "cdf5", false},
    {"Netcdf4", "netcdf4", false},
    {"CompressedNetcdf4", "netcdf4", false, "zip"},
    {"Cdf5AndIdx", "cdf5+idx", false},
    {"Zarr", "zarr", false},
    {"CompressedZarr", "zarr", false, "zstd", false, false, false, false, "1"},
    {"ZarrMeans", "zarr", false, "none", false, false, false, false, "2", "mean"},
    {"RoundedZarr", "zarr", false, "bitround=23", false, false, false, true},
    {"ZarrAndIdx", "zarr+idx", false},
    {"Cdf5AndZarr", "cdf5+zarr", false}};
inline std::string name_of_subject(const testing::TestParamInfo<Subject>& test) { return test.param.name; }

class FaultTest : public MpiTest {
 protected:
  static constexpr int kAllRanks = -1;

  /// First, middle, last and all ranks, as far as they differ.
  [[nodiscard]] std::vector<int> victims() const {
    const std::set<int> some{0, comm_.size() / 2, comm_.size() - 1};
    std::vector<int> all(some.begin(), some.end());
    if (comm_.size() > 1) all.push_back(kAllRanks);
    return all;
  }
  [[nodiscard]] bool is_victim(int victim) const { return victim == kAllRanks || victim == comm_.rank(); }

  void arm(const StoreFault& fault, int victim, int reason) {
    fault_ = fault;
    reason_ = is_victim(victim) ? reason : 0;
    hits_ = 0;
    calls_.clear();
  }
  void disarm() { reason_ = 0; }

  /// The lowest rank with `mine`; -1: none. Collective.
  int lowest_rank_with(bool mine) const {
    std::array<std::uint64_t, 1> lowness{mine ? static_cast<std::uint64_t>(comm_.size() - comm_.rank()) : 0};
    comm_.get()->all_reduce_max(lowness);
    return lowness[0] == 0 ? -1 : comm_.size() - static_cast<int>(lowness[0]);
  }
  int lowest_rank_hit() const { return lowest_rank_with(hits_ > 0); }
  /// The rank that an error names, if it had the fault; otherwise the lowest rank with the fault. Others may
  /// have it later, when they clean up a file that all share.
  int rank_hit(const Status& status) const {
    const std::string mine = "rank " + std::to_string(comm_.rank()) + ":";
    const int named = lowest_rank_with(hits_ > 0 && status.message().find(mine) != std::string::npos);
    return named < 0 ? lowest_rank_hit() : named;
  }

  /// The same error everywhere, which names a rank, if there are several, a file and the system's reason.
  void expect_error(const Status& status, int rank, const std::string& part, int reason) {
    expect_everywhere(status, Code::kIoError);
    const std::string who = comm_.size() == 1 ? "" : "rank " + std::to_string(rank);
    EXPECT_FALSE(comm_.size() == 1 && status.message().find("rank 0: ") != std::string::npos);
    for (const std::string& piece :
         {who, part.substr(0, part.find('$')), std::string(std::strerror(reason))}) {
      EXPECT_NE(status.message().find(piece), std::string::npos) << piece << " in: " << status.message();
    }
  }

  /// Expects a number of steps and no leftovers. Collective; rank 0 checks.
  void expect_clean(const RunPlan& run, Index n_steps) {
    comm_.get()->barrier();
    const std::string format = options_of(run).format;
    if (comm_.rank() == 0 && format != "idx") {
      RunPlan until_then = run;
      until_then.end_step = n_steps;
      expect_same_files(*posix_store(), *reference_of(until_then), directory_of_run(run), kLock);
    }
    if (comm_.rank() == 0 && format.ends_with("idx")) {
      const auto dataset = idx::IdxDataset::open(posix_store(), run.path);
      EXPECT_TRUE(dataset.ok()) << dataset.status().message();
      EXPECT_EQ(dataset.ok() ? static_cast<Index>(dataset->times.size()) : -1, n_steps);
      EXPECT_EQ(findings_of(posix_store(), run.path), std::vector<std::string>());
    }
    comm_.get()->barrier();
  }

  /// Expects the files of an undisturbed run of one rank, except one that ends like `except`. Collective;
  /// rank 0 looks.
  void expect_undisturbed(const RunPlan& run, const std::string& directory, const std::string& except = "") {
    comm_.get()->barrier();
    if (comm_.rank() == 0) expect_same_files(*posix_store(), *reference_of(run), directory, except);
    comm_.get()->barrier();
  }
  static constexpr const char* kLock = ".esker-lock";  // of an active writer

  /// A run of two steps below a directory ("disk/") of the test's.
  [[nodiscard]] RunPlan plan(const Subject& subject, const std::string& below = "") const {
    RunPlan run;
    run.n_ranks = comm_.size();
    run.aggregators = comm_.size();
    run.end_step = 2;
    run.single = subject.single;
    if (subject.has_bits) run.schema = stored_bits_schema();
    if (subject.has_mesh) run.schema = mesh_schema();
    if (subject.has_reals) run.schema = volume_plane_and_line({15, 11, 7});
    if (subject.is_sparse) run.keep = keep_some_blocks;
    run.path = path(below + subject.file());
    run.options["format"] = subject.format;
    run.options["compression"] = subject.compression;
    run.options["levels"] = subject.levels;
    run.options["level_values"] = subject.level_values;
    return run;
  }
  static void take_way(RunPlan& run, const std::map<std::string, std::string>& way) {
    for (const auto& [name, value] : way) run.options[name] = value;
  }

  /// Whether no rank has failed so far; otherwise the case ends on all ranks. Collective.
  bool all_well() { return lowest_rank_with(HasFailure()) < 0; }

  std::shared_ptr<Store> store_ = faulty_store(
      posix_store(), [this](StoreCall call, const std::string& path) { return this->ask(call, path); });

 private:
  int ask(StoreCall call, const std::string& path) {
    if (reason_ == 0) return 0;
    const bool at_end = fault_.part.ends_with('$');
    const std::string part = fault_.part.substr(0, fault_.part.find('$'));
    if (at_end ? !path.ends_with(part) : path.find(part) == std::string::npos) return 0;
    if (fault_.removing_fails && hits_ > 0 && call == StoreCall::kRemove) return reason_;
    if (call != fault_.call || ++calls_[path] < fault_.nth) return 0;
    if (fault_.only_once && hits_ > 0) return 0;
    ++hits_;
    return reason_;
  }

  static std::string directory_of_run(const RunPlan& run) {
    return std::filesystem::path(run.path).parent_path().string();
  }

  const std::shared_ptr<Store>& reference_of(const RunPlan& run) {
    auto& store = references_[{run.path, run.end_step}];
    if (!store) {
      store = memory_store();
      RunPlan alone = run;
      alone.n_ranks = alone.aggregators = 1;
      alone.first_step = 0;
      alone.fsync = Fsync::kNone;
      write_on_rank(Communicator::serial(), store, alone).check();
    }
    return store;
  }

  StoreFault fault_;
  int reason_ = 0;
  int hits_ = 0;
  std::map<std::string, int> calls_;
  std::map<std::pair<std::string, Index>, std::shared_ptr<Store>> references_;
};

/// A test for every subject.
class SubjectTest : public FaultTest, public testing::WithParamInterface<Subject> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    Options options;
    options.set("format", GetParam().format).check();
    const Status made = make_format_writer(memory_store(), "a", options).status();
    if (!made.ok()) GTEST_SKIP() << made.message();
  }

  /// All for a simple IDX dataset; for others, which differ in what is put and how they store and commit, the
  /// first and relays, or all where ESKER_TEST_ALL_WAYS is set. VTKHDF files also without an exchange.
  [[nodiscard]] std::vector<std::map<std::string, std::string>> ways(bool with_relays = true) const {
    auto all = ways_to_move(comm_.size());
    const bool writes_directly = !GetParam().has_idx() && GetParam().has_levels();
    if (writes_directly)
      all.insert(all.begin() + 1, std::map<std::string, std::string>{{"aggregate", "false"}});
    if (GetParam().is_simple() || std::getenv("ESKER_TEST_ALL_WAYS") != nullptr) return all;
    std::vector<std::map<std::string, std::string>> some(all.begin(), all.begin() + 1);
    if (writes_directly) some.push_back(all[1]);
    if (with_relays) some.push_back(all.back());
    return some;
  }
};

}  // namespace esker::testing_support
