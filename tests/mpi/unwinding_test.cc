// An exception that leaves a writer's scope on one rank is an error of the other ranks' calls; no rank waits
// forever.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "esker/esker.hpp"
#include "support/mpi_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture

constexpr Index kWidth = 16;

struct Leaving : std::runtime_error {
  Leaving() : std::runtime_error("the model has diverged") {}
};

/// The point at which the last rank throws.
enum class When { kBeforeTheStep, kInTheStep, kAfterTheStep, kWhileDefining };

class UnwindingTest : public MpiTest, public testing::WithParamInterface<When> {
 protected:
  /// A program that does not expect the exception.
  void run(When when, bool throws, std::optional<Status>& first_error) {
    Options options;
    options.report = "none";
    options.overwrite = true;
    Writer writer = Writer::create(path("run.idx"), comm_, options).value();
    if (throws && when == When::kWhileDefining) throw Leaving();
    const DimId x = writer.def_dim("x", kWidth * comm_.size()).value();
    const GridId grid = writer.def_grid("g", {x}).value();
    const FieldId field = writer.def_field(grid, "f", SampleType::kFloat32).value();
    const std::vector<float> samples(kWidth, 1.0F);
    for (int step = 0; step < 3; ++step) {
      const bool now = throws && step == 1;
      if (now && when == When::kBeforeTheStep) throw Leaving();
      writer.begin_step(step).check();
      const Index lo = kWidth * comm_.rank();
      writer.put(field, Patch::dense({{lo}, {lo + kWidth}}, samples.data())).check();
      if (now && when == When::kInTheStep) throw Leaving();
      const Status ended = writer.end_step();
      if (!ended.ok() && !first_error) first_error = ended;
      ended.check();
      if (now && when == When::kAfterTheStep) throw Leaving();
    }
    writer.close().check();
  }
};

TEST_P(UnwindingTest, EndsTheOtherRanksCalls) {
  const bool throws = is_last_rank();
  std::optional<Status> first_error;
  if (throws) {
    EXPECT_THROW(run(GetParam(), true, first_error), Leaving);
  } else {
    EXPECT_THROW(run(GetParam(), false, first_error), Error);
    ASSERT_TRUE(first_error);
    EXPECT_NE(first_error->message().find("an exception left the writer's scope"), std::string::npos)
        << first_error->message();
  }
  comm_.get()->barrier();
  if (GetParam() != When::kWhileDefining) {
    const Index n_steps = GetParam() == When::kAfterTheStep ? 2 : 1;
    EXPECT_EQ(static_cast<Index>(Dataset::open(path("run.idx")).value().steps().size()), n_steps);
  }
  // The lock is released: another writer can continue.
  comm_.get()->barrier();
  Options options;
  options.report = "none";
  options.overwrite = true;
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  EXPECT_TRUE(writer.close().ok());
}

TEST_P(UnwindingTest, OfAllRanksEndsThemAll) {
  std::optional<Status> first_error;
  EXPECT_THROW(run(GetParam(), true, first_error), Leaving);
  EXPECT_FALSE(first_error);
}

using UnwindingInnerTest = MpiTest;

TEST_F(UnwindingInnerTest, AWriterThatIsMadeWhileAnotherUnwindsIsNotAbandoned) {
  // Its scope ends normally, although an exception is being handled.
  struct Closing {
    std::function<void()> close;
    ~Closing() { close(); }
  };
  bool closed = false;
  const auto throw_above_a_writer = [&] {
    const Closing closing{[&] {
      Options options;
      options.report = "none";
      Writer writer = Writer::create(path("inner.idx"), comm_, options).value();
      closed = writer.close().ok();
    }};
    throw Leaving();
  };
  EXPECT_THROW(throw_above_a_writer(), Leaving);
  EXPECT_TRUE(closed);
}

// Two writers of the same ranks on separate communicators: the last rank's exception unwinds the writer of
// the restart files first, while the other ranks wait in a call of the other writer. They leave, or catch the
// error and continue.
class TwoWritersTest : public MpiTest {
 protected:
  Writer create(const std::string& name, const Communicator& comm, FieldId& field) {
    Options options;
    options.overwrite = true;
    Writer writer = Writer::create(path(name), comm, options).value();
    const DimId x = writer.def_dim("x", kWidth * comm.size()).value();
    field = writer.def_field(writer.def_grid("g", {x}).value(), "f", SampleType::kFloat32).value();
    return writer;
  }

  static Status write(Writer& writer, FieldId field, const Communicator& comm, double time) {
    const std::vector<float> samples(kWidth, 1.0F);
    const Index lo = kWidth * comm.rank();
    writer.begin_step(time).check();
    writer.put(field, Patch::dense({{lo}, {lo + kWidth}}, samples.data())).check();
    return writer.end_step();
  }

  void run(int thrower, bool catches) {
    const Communicator history_comm = mpi_communicator(MPI_COMM_WORLD);
    const Communicator restart_comm = mpi_communicator(MPI_COMM_WORLD);
    FieldId history_field, restart_field;
    Writer history = create("history.idx", history_comm, history_field);
    Writer restart = create("restart.idx", restart_comm, restart_field);
    write(history, history_field, history_comm, 0).check();
    write(restart, restart_field, restart_comm, 0).check();
    if (comm_.rank() == thrower) throw Leaving();
    const Status first = write(history, history_field, history_comm, 1);
    EXPECT_NE(first.message().find("an exception left the writer's scope"), std::string::npos)
        << first.message();
    if (!catches) first.check();
    const Status second = write(restart, restart_field, restart_comm, 1);
    const std::string left = "rank " + std::to_string(thrower) + " has left";
    EXPECT_NE(second.message().find(left), std::string::npos) << second.message();
    EXPECT_EQ(second.code(), Code::kCancelled);
    throw Leaving();
  }
};

TEST_F(TwoWritersTest, NoRankWaitsForever) {
  if (comm_.size() != 3) GTEST_SKIP() << "it takes 10 s: on 3 ranks";
  for (const bool catches : {false, true}) {
    EXPECT_ANY_THROW(run(catches ? 0 : comm_.size() - 1, catches));
    comm_.get()->barrier();
    for (const char* name : {"history.idx", "restart.idx"}) {
      EXPECT_EQ(Dataset::open(path(name)).value().steps().size(), 1U);
      Writer writer = Writer::append(path(name), comm_).value();  // its lock is released
      EXPECT_TRUE(writer.close().ok());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(When, UnwindingTest,
                         testing::Values(When::kBeforeTheStep, When::kInTheStep, When::kAfterTheStep,
                                         When::kWhileDefining));

}  // namespace
}  // namespace esker
