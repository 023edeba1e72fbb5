#include "esker/types/status.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/test_new.h"

namespace esker {
namespace {

using testing_support::FailingNew;

TEST(Status, IsCopiedWithoutMemory) {
  const Status lost(Code::kDataLoss, std::string(100, 'x'));
  const FailingNew no_memory({.and_all_after = true});
  const Status copy = lost;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.code(), Code::kDataLoss);
  EXPECT_EQ(copy.message().data(), lost.message().data());
}

TEST(Status, WithoutMemoryForItsTextHasAnother) {
  std::string text(100, 'x');
  const FailingNew no_memory({.and_all_after = true});
  const Status lost(Code::kDataLoss, std::move(text));
  EXPECT_EQ(lost.code(), Code::kDataLoss);
  EXPECT_EQ(lost.message(), "out of memory");
}

TEST(Status, OfSuccessHasNoText) {
  EXPECT_EQ(Status().message(), "");
  EXPECT_TRUE(Status().with_context("read").ok());
  EXPECT_EQ(Status(Code::kNotFound, "").message(), "");
  EXPECT_EQ(Status(Code::kNotFound, "none").with_context("read").message(), "read: none");
}

}  // namespace
}  // namespace esker
