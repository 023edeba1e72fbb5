#include "base/macros.h"

#include <gtest/gtest.h>

#include <string>

namespace esker {
namespace {

Result<int> pass_on(Result<std::string> result) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, std::move(result));
  return static_cast<int>(text.size());
}

TEST(Macros, AssignTheValueOrReturnTheError) {
  EXPECT_EQ(pass_on(std::string("four")).value(), 4);
  EXPECT_EQ(pass_on(Status(Code::kDataLoss, "lost")).status().code(), Code::kDataLoss);
}

TEST(Macros, PassOnTheTextOfAnErrorWithoutACopy) {
  Result<std::string> failed = Status(Code::kOutOfMemory, std::string(100, 'x'));
  const char* text = failed.status().message().data();
  const Result<int> passed = pass_on(std::move(failed));
  EXPECT_EQ(passed.status().message().data(), text);
}

}  // namespace
}  // namespace esker
