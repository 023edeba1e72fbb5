// The states of a step, without MPI: what a reader sees in each of them, and what remains of a step that is
// left without a commit.
#include "write/step_transaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <string>
#include <string_view>

#include "formats/registry/open_dataset.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"
#include "write/open_target.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

using State = StepTransaction::State;

/// A new dataset, without the face of WritePipeline.
struct Parts {
  Parts(const Communicator& comm, const std::shared_ptr<Store>& store, const RunPlan& run)
      : target(open_target(*comm.get(), store, "create", run.path, options_of(run)).value()),
        record(nullptr),
        dataset(*comm.get(), target.store, std::move(target.format), target.options.fsync),
        plans(*comm.get(), dataset, record, target.options, target.pattern, nullptr) {
    dataset.create().check();
    dataset.define({}, schema_of(run), "none").check();
  }

  WriteTarget target;
  RunRecord record;
  OpenDataset dataset;
  StepPlans plans;
};

class Step {
 public:
  Step(Parts& parts, const Communicator& comm, const RunPlan& run, Index step)
      : data_(comm, run, step),
        transaction(*comm.get(), parts.dataset, parts.plans, parts.record, std::move(data_.input), nullptr) {
    parts.record.begin_step(parts.plans.buffers());
  }
  /// The first transitions up to a state.
  Status advance_to(State state) {
    if (transaction.state() == State::kNew && state != State::kNew) {
      if (const Status opened = transaction.open(); !opened.ok()) return opened;
    }
    if (transaction.state() == State::kOpen && state != State::kOpen) {
      if (const Status planned = transaction.plan(); !planned.ok()) return planned;
    }
    if (transaction.state() == State::kPlanned && state != State::kPlanned) {
      transaction.move();
    }
    if (transaction.state() == State::kMoved && state != State::kMoved) {
      if (const Status completed = transaction.complete(); !completed.ok()) return completed;
    }
    return transaction.state() == State::kComplete && state == State::kCommitted ? transaction.commit()
                                                                                 : Status();
  }

 private:
  StepData data_;

 public:
  StepTransaction transaction;
};

/// The number of steps that a reader sees; -1: it cannot open the dataset.
Index visible_steps(const std::shared_ptr<Store>& store, const RunPlan& run) {
  const auto opened = open_dataset(store, run.path);
  return opened.ok() ? std::ssize((*opened)->times) : -1;
}

std::map<std::string, std::string> block_files(Store& store) {
  auto files = all_files(store, ".");
  std::erase_if(files, [](const auto& file) { return !file.first.ends_with(".bin"); });
  return files;
}

bool has_blocks(Store& store) { return !block_files(store).empty(); }

RunPlan run_of(int n_ranks, const char* path = "run.idx") {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = path;
  if (std::string_view(path).ends_with(".nc")) run.options["format"] = "cdf5";
  return run;
}

TEST(StepTransaction, AReaderSeesTheStepFromTheCommitOn) {
  for (const int n_ranks : {1, 3}) {
    for (const char* path : {"run.idx", "run.nc"}) {
      const RunPlan run = run_of(n_ranks, path);
      const auto store = memory_store();
      run_ranks(n_ranks, [&](const Communicator& comm) {
        Parts parts(comm, store, run);
        for (Index number = 0; number < run.end_step; ++number) {
          Step step(parts, comm, run, number);
          for (const State state : {State::kOpen, State::kPlanned, State::kMoved, State::kComplete}) {
            step.advance_to(state).check();
            EXPECT_EQ(step.transaction.state(), state);
            comm.get()->barrier();
            if (comm.rank() == 0) {
              EXPECT_EQ(std::max<Index>(0, visible_steps(store, run)), number);
              EXPECT_TRUE(number == 0 || visible_steps(store, run) == number);
            }
            comm.get()->barrier();
          }
          step.advance_to(State::kCommitted).check();
          EXPECT_EQ(step.transaction.state(), State::kCommitted);
          EXPECT_EQ(std::ssize(parts.dataset.times()), number + 1);
          if (comm.rank() == 0) {
            EXPECT_EQ(visible_steps(store, run), number + 1);
          }
        }
        parts.dataset.release().check();
      });
      expect_complete(store, run, run.end_step);
    }
  }
}

// Whatever the state: the next step with this number is written as if there had been none.
TEST(StepTransaction, LeftInAnyStateItLeavesNothing) {
  for (const int n_ranks : {1, 3}) {
    for (const State state : {State::kNew, State::kOpen, State::kPlanned, State::kMoved, State::kComplete}) {
      const RunPlan run = run_of(n_ranks);
      const auto store = memory_store();
      run_ranks(n_ranks, [&](const Communicator& comm) {
        Parts parts(comm, store, run);
        {
          Step step(parts, comm, run, 0);
          step.advance_to(state).check();
          comm.get()->barrier();
          if (comm.rank() == 0) {
            EXPECT_EQ(has_blocks(*store), state == State::kMoved || state == State::kComplete);
          }
          comm.get()->barrier();
        }
        if (comm.rank() == 0) {
          EXPECT_FALSE(has_blocks(*store)) << static_cast<int>(state);
          EXPECT_LE(visible_steps(store, run), 0);
        }
        comm.get()->barrier();
        for (Index number = 0; number < run.end_step; ++number) {
          Step(parts, comm, run, number).advance_to(State::kCommitted).check();
        }
        parts.dataset.release().check();
      });
      expect_complete(store, run, run.end_step);
    }
  }
}

TEST(StepTransaction, AnErrorOfOneRankKeepsAllRanksFromBeginning) {
  const RunPlan run = run_of(3);
  const auto store = memory_store();
  run_ranks(3, [&](const Communicator& comm) {
    Parts parts(comm, store, run);
    StepData data(comm, run, 0);
    if (comm.rank() == 2) data.input.status = {Code::kInvalidArgument, "a patch without memory"};
    parts.record.begin_step(parts.plans.buffers());
    StepTransaction step(*comm.get(), parts.dataset, parts.plans, parts.record, std::move(data.input),
                         nullptr);
    const Status opened = step.open();
    EXPECT_EQ(opened.code(), Code::kInvalidArgument);
    EXPECT_NE(opened.message().find("a patch without memory"), std::string::npos) << opened.message();
    EXPECT_EQ(step.state(), State::kNew);
    EXPECT_FALSE(parts.dataset.is_created());
  });
}

TEST(StepTransaction, ARankThatCannotWriteDiscardsTheStepOfAll) {
  const RunPlan run = run_of(3);
  const auto files = memory_store();
  std::atomic<int> failures = 1;  // on the rank that writes first
  run_ranks(3, [&](const Communicator& comm) {
    const auto store = faulty_store(files, [&](StoreCall call, const std::string& path) {
      return call == StoreCall::kWrite && path.ends_with(".bin") && failures-- > 0 ? ENOSPC : 0;
    });
    Parts parts(comm, store, run);
    {
      Step step(parts, comm, run, 0);
      step.advance_to(State::kPlanned).check();
      EXPECT_EQ(step.advance_to(State::kComplete).code(), Code::kIoError);
      EXPECT_EQ(step.transaction.state(), State::kFailed);
    }
    comm.get()->barrier();
    if (comm.rank() == 0) {
      EXPECT_FALSE(has_blocks(*files));
    }
    comm.get()->barrier();
    for (Index number = 0; number < run.end_step; ++number) {
      Step(parts, comm, run, number).advance_to(State::kCommitted).check();
    }
    parts.dataset.release().check();
  });
  expect_complete(files, run, run.end_step);
}

/// A store in which the .idx cannot be replaced: `times` times from now on.
struct Stubborn {
  std::shared_ptr<Store> files = memory_store();
  std::atomic<int> times = 0;

  std::shared_ptr<Store> store() {
    return faulty_store(files, [this](StoreCall call, const std::string& path) {
      return call == StoreCall::kRename && path.find(".idx") != std::string::npos && times-- > 0 ? EIO : 0;
    });
  }
};

TEST(StepTransaction, ACommitThatIsUndoneIsDiscarded) {
  for (const int n_ranks : {1, 3}) {
    const RunPlan run = run_of(n_ranks);
    Stubborn stubborn;
    run_ranks(n_ranks, [&](const Communicator& comm) {
      Parts parts(comm, stubborn.store(), run);
      Step(parts, comm, run, 0).advance_to(State::kCommitted).check();
      comm.get()->barrier();
      if (comm.rank() == 0) stubborn.times = 1;
      {
        Step step(parts, comm, run, 1);
        EXPECT_EQ(step.advance_to(State::kCommitted).code(), Code::kIoError);
        EXPECT_EQ(step.transaction.state(), State::kFailed) << "left, it will be discarded";
      }
      EXPECT_EQ(std::ssize(parts.dataset.times()), 1);
      if (comm.rank() == 0) {
        EXPECT_EQ(visible_steps(stubborn.files, run), 1);
      }
      comm.get()->barrier();
      for (Index number = 1; number < run.end_step; ++number) {
        Step(parts, comm, run, number).advance_to(State::kCommitted).check();
      }
      parts.dataset.release().check();
    });
    expect_complete(stubborn.files, run, run.end_step);
  }
}

// One .idx of the mixed schema may already list the step, and cannot be rewound: its samples must stay.
TEST(StepTransaction, ACommitThatCannotBeUndoneKeepsItsFilesUntilTheNextStep) {
  const RunPlan run = run_of(2);
  const auto files = memory_store();
  std::atomic<int> renamed = -1;
  run_ranks(2, [&](const Communicator& comm) {
    const auto store = faulty_store(files, [&](StoreCall call, const std::string& path) {
      if (renamed < 0 || call != StoreCall::kRename || path.find(".idx") == std::string::npos) return 0;
      return renamed++ > 0 ? EIO : 0;  // the first succeeds, then none
    });
    Parts parts(comm, store, run);
    Step(parts, comm, run, 0).advance_to(State::kCommitted).check();
    comm.get()->barrier();
    if (comm.rank() == 0) renamed = 0;
    comm.get()->barrier();
    State last = State::kNew;
    std::map<std::string, std::string> moved;
    {
      Step step(parts, comm, run, 1);
      step.advance_to(State::kComplete).check();
      comm.get()->barrier();
      moved = block_files(*files);
      comm.get()->barrier();
      const Status failed = step.advance_to(State::kCommitted);
      EXPECT_FALSE(failed.ok());
      EXPECT_NE(failed.message().find("may be visible"), std::string::npos) << failed.message();
      last = step.transaction.state();
    }
    EXPECT_EQ(last, State::kDoubtful);
    comm.get()->barrier();
    EXPECT_EQ(block_files(*files) == moved, true) << "a reader may see the step";
    comm.get()->barrier();
    if (comm.rank() == 0) renamed = -1;
    comm.get()->barrier();
    for (Index number = 1; number < run.end_step; ++number) {
      Step(parts, comm, run, number).advance_to(State::kCommitted).check();
    }
    parts.dataset.release().check();
  });
  expect_complete(files, run, run.end_step);
}

TEST(StepTransaction, LeavesTheStepThatTheRunHasAfterACommit) {
  const RunPlan run = run_of(1);
  const auto store = memory_store();
  const Communicator comm = Communicator::serial();
  Parts parts(comm, store, run);
  { Step(parts, comm, run, 0).advance_to(State::kCommitted).check(); }
  EXPECT_EQ(visible_steps(store, run), 1);
  EXPECT_TRUE(has_blocks(*store));
  parts.dataset.release().check();
}

}  // namespace
}  // namespace esker
