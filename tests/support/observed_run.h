// Observes a run: a rank's calls of Comm and its allocations in a step. A second step of the same boxes does
// not plan, has no large allocations, and sends only samples, checksums and agreements. The report says the
// same. For programs that link test_new.cc.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/observed_comm.h"
#include "esker/esker.hpp"
#include "support/test_new.h"

namespace esker::testing_support {

using Json = nlohmann::json;

inline constexpr Index kWidth = 96;                  // 3.4 MB
inline constexpr std::size_t kMostBytes = 64 << 10;  // four ranks have slabs of 13 times that

/// One rank's run, with its calls and allocations in a step.
class ObservedRun {
 public:
  ObservedRun(const Communicator& comm, const std::string& path,
              const std::map<std::string, std::string>& way)
      : comm_(observed_comm(comm.get(), [this](CommCall call, std::size_t) {
          if (counts_) ++calls_[static_cast<std::size_t>(call)];
        })) {
    Options options;
    options.report = "none";
    options.overwrite = true;
    options.bits_per_block = 12;
    options.memory_budget_bytes = Index{1} << 20;
    options.aggregators = comm.size();
    for (const auto& [name, value] : way) options.set(name, value).check();
    is_async_ = options.async;
    writer_.emplace(Writer::create(path, comm_, options).value());
    const DimId x = writer_->def_dim("x", kWidth).value();
    const DimId y = writer_->def_dim("y", kWidth).value();
    const DimId z = writer_->def_dim("z", kWidth).value();
    field_ =
        writer_->def_field(writer_->def_grid("xyz", {x, y, z}).value(), "t", SampleType::kFloat32).value();
  }

  /// Slabs along the axis; another axis needs another plan.
  void step(double time, int axis) {
    Box mine{{0, 0, 0}, {kWidth, kWidth, kWidth}};
    mine.lo[axis] = kWidth * comm_.rank() / comm_.size();
    mine.hi[axis] = kWidth * (comm_.rank() + 1) / comm_.size();
    std::vector<float> samples(static_cast<std::size_t>(mine.num_samples()), static_cast<float>(time));
    writer_->begin_step(time).check();
    writer_->put(field_, Patch::dense(mine, samples.data())).check();
    calls_ = {};
    counts_ = true;
    largest_allocation = 0;
    writer_->end_step().check();
    if (is_async_) writer_->flush().check();
    counts_ = false;
    largest_bytes_ = largest_allocation;
  }

  [[nodiscard]] Writer& writer() { return *writer_; }
  /// Opening, closing, commit, and the most of any rank for the report; of an asynchronous step, also the
  /// opening of the call that commits it.
  [[nodiscard]] int agreements() const { return is_async_ ? 5 : 4; }
  [[nodiscard]] long calls(CommCall call) const { return calls_[static_cast<std::size_t>(call)]; }
  [[nodiscard]] std::size_t largest_bytes() const { return largest_bytes_; }
  [[nodiscard]] Json report() { return Json::parse(writer_->report_json().value()); }

 private:
  Communicator comm_;
  std::optional<Writer> writer_;
  FieldId field_;
  std::array<long, 8> calls_{};
  bool counts_ = false;
  bool is_async_ = false;
  std::size_t largest_bytes_ = 0;
};

inline void expect_planned(ObservedRun& run) {
  const StepReport& step = run.writer().last_step();
  EXPECT_TRUE(step.planned);
  EXPECT_GT(step.plan_s, 0);
  EXPECT_GT(step.metadata_messages, 0);
  EXPECT_GT(step.metadata_bytes, 0);
}

inline void expect_nothing_planned(ObservedRun& run, const std::string& transport) {
  const StepReport& step = run.writer().last_step();
  EXPECT_FALSE(step.planned);
  EXPECT_EQ(step.plan_s, 0);
  EXPECT_EQ(step.allocated_bytes, 0);
  EXPECT_EQ(step.metadata_messages, 0);
  EXPECT_EQ(step.metadata_bytes, 0);
  EXPECT_EQ(step.agreements, run.agreements());
  EXPECT_EQ(run.calls(CommCall::kReduce), step.agreements);
  for (const CommCall call :
       {CommCall::kBarrier, CommCall::kBroadcast, CommCall::kGather, CommCall::kSizes, CommCall::kControl}) {
    EXPECT_EQ(run.calls(call), 0) << static_cast<int>(call);
  }
  if (transport != "all_to_all") {
    EXPECT_EQ(run.calls(CommCall::kAllToAll), 0);
  }
  if (transport == "all_to_all" || transport.starts_with("put")) {
    EXPECT_LE(run.calls(CommCall::kSend), step.checksum_messages);
  }
}

/// Six steps of two plans; on one rank, of one. `comm_allocates`: the Comm allocates memory for messages.
inline void expect_nothing_new_in_second_steps(const Communicator& comm, const std::string& path,
                                               const std::map<std::string, std::string>& way,
                                               bool comm_allocates) {
  const std::string transport = way.contains("transport") ? way.at("transport") : "";
  const int other_axis = comm.size() > 1 ? 1 : 2;
  ObservedRun run(comm, path, way);
  for (const int step : {0, 1, 2, 3, 4, 5}) {
    run.step(step, step < 4 ? 2 : other_axis);
    if (step == 0 || (step == 4 && comm.size() > 1)) {
      expect_planned(run);
      continue;
    }
    expect_nothing_planned(run, transport);
    const bool has_messages = run.calls(CommCall::kSend) + run.calls(CommCall::kAllToAll) > 0;
    if (!comm_allocates || !has_messages) {
      EXPECT_LE(run.largest_bytes(), kMostBytes);
    }
  }
  const Json report = run.report();
  EXPECT_EQ(report["steps_that_planned"]["steps"], comm.size() > 1 ? 2 : 1);
  EXPECT_EQ(report["steps_that_did_not"]["steps"], comm.size() > 1 ? 4 : 5);
  for (const char* key : {"plan_s", "allocated_bytes", "metadata_messages", "metadata_bytes"}) {
    EXPECT_GT(report["steps_that_planned"][key], 0) << key;
    EXPECT_EQ(report["steps_that_did_not"][key], 0) << key;
  }
  const std::string text = run.writer().report_text().value();
  const char* line = comm.size() > 1 ? "steps 1-3, 5: planned 0, allocated 0 B, metadata messages 0, "
                                     : "steps 1-5: planned 0, allocated 0 B, metadata messages 0, ";
  EXPECT_NE(text.find(line), std::string::npos) << text;
  run.writer().close().check();
}

}  // namespace esker::testing_support
