// Faults of reading together: memory that runs out on any rank, files that are damaged once they are open.
#include <gtest/gtest.h>

#include <memory>

#include "esker/esker.hpp"
#include "support/memory_fault_fixture.h"
#include "support/reading.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

class ReadFaults : public MemoryFaultTest {
 protected:
  void SetUp() override {
    MemoryFaultTest::SetUp();
    if (IsSkipped()) return;
    const RunPlan run = plan(GetParam());
    ASSERT_TRUE(write_on_rank(comm_, store_, run).ok());
    path_ = run.path;
  }

  static Options options_of_way(bool aggregate, const std::string& transport) {
    Options options;
    options.set("aggregate_reads", aggregate ? "true" : "false").check();
    options.set("transport", transport).check();
    return options;
  }

  /// Requests a part of each field that depends on the rank, to memory whose layout depends on `shape`.
  void ask_for_all(Wanted& wanted, const Reader& reader, unsigned shape) const {
    const Schema& schema = reader.dataset().schema();
    for (const Field& field : schema.fields()) {
      Box box = schema.box_of(schema.grids()[field.grid]);
      const Index part = box.extent(0) / comm_.size();
      box.lo[0] += part * comm_.rank();
      if (comm_.rank() + 1 < comm_.size()) box.hi[0] = box.lo[0] + part + 1;
      wanted.ask(field.name, 0, box, shape + static_cast<unsigned>(comm_.rank()));
    }
  }

  std::string path_;
};

TEST_P(ReadFaults, OfMemoryAreAgreedAndTheNextReadSucceeds) {
  for (const bool aggregate : {false, true}) {
    for (const char* transport : {"auto", "messages", "get"}) {
      if (!aggregate && transport != std::string_view("auto")) continue;
      const std::string way = std::string(aggregate ? "two phases, " : "one phase, ") + transport;
      Reader reader = Reader::open(path_, comm_, options_of_way(aggregate, transport)).value();
      for (const bool plans : {false, true}) {
        unsigned shape = 0;
        for_each_fault([&](const NewFault& fault, int victim) {
          if (plans) {  // other boxes were read before
            Wanted other(reader);
            reader.read().check();
          }
          Wanted wanted(reader);
          ask_for_all(wanted, reader, shape);
          const bool met =
              fail((plans ? "planned read, " : "read, ") + way, fault, victim, [&] { return reader.read(); });
          Wanted again(reader);
          ask_for_all(again, reader, shape++ % 6);
          const Status status = reader.read();
          EXPECT_TRUE(status.ok()) << status.message();
          again.compare();
          return met;
        });
        if (!all_well()) return;
      }
    }
  }
}

TEST_P(ReadFaults, OfMemoryWhenOpeningAreAgreedAndTheNextOpeningSucceeds) {
  for_each_fault([&](const NewFault& fault, int victim) {
    const bool met =
        fail("open", fault, victim, [&] { return Reader::open(path_, comm_, Options()).status(); });
    const Status again = Reader::open(path_, comm_, Options()).status();
    EXPECT_TRUE(again.ok()) << again.message();
    return met;
  });
}

INSTANTIATE_TEST_SUITE_P(All, ReadFaults, testing::ValuesIn(kSubjects), name_of_subject);

}  // namespace
}  // namespace esker
