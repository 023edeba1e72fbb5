#include "store/store_answers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

namespace esker {
namespace {

std::string text_of(Store& store, const std::string& path) { return read_text(store, path, 100).value(); }

constexpr std::string_view kChanged = "gammas";

class Answers : public testing::Test {
 protected:
  void SetUp() override {
    disk_->create_exclusive("/run/a", "alpha").check();
    disk_->create_exclusive("/run/b", "beta").check();
  }

  /// The questions of a rank that opens a dataset.
  static void ask(Store& store) {
    EXPECT_EQ(text_of(store, "/run/a"), "alpha");
    EXPECT_TRUE(store.exists("/run/b").value());
    EXPECT_FALSE(store.exists("/run/c").value());
    EXPECT_TRUE(store.is_directory("/run").value());
    EXPECT_EQ(store.list("/run").value(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(store.open("/run/c", OpenMode::kRead).status().code(), Code::kNotFound);
  }

  std::shared_ptr<Store> disk_ = memory_store(), empty_ = memory_store();
};

TEST_F(Answers, AreReturnedWithoutCallingTheStore) {
  const auto noted = std::make_shared<StoreAnswers>();
  ask(*remembering_store(disk_, noted));
  ask(*remembering_store(empty_, std::make_shared<StoreAnswers>(noted->pack())));
}

TEST_F(Answers, ToOtherQuestionsComeFromTheStore) {
  const auto told = std::make_shared<StoreAnswers>(StoreAnswers().pack());
  ask(*remembering_store(disk_, told));
}

TEST_F(Answers, AreForgotten) {
  const auto noted = std::make_shared<StoreAnswers>();
  ask(*remembering_store(disk_, noted));
  const auto told = std::make_shared<StoreAnswers>(noted->pack());
  const auto store = remembering_store(disk_, told);
  const auto file = store->open("/run/a", OpenMode::kRead).value();
  disk_->open("/run/a", OpenMode::kWrite).value()->write_at(std::as_bytes(std::span(kChanged)), 0).check();
  EXPECT_EQ(file->size_bytes().value(), 5);
  told->forget();
  EXPECT_EQ(file->size_bytes().value(), 6);
  std::string text(6, '?');
  file->read_at(std::as_writable_bytes(std::span(text)), 0).check();
  EXPECT_EQ(text, kChanged);
}

TEST_F(Answers, AreTheLastOnes) {
  const auto noted = std::make_shared<StoreAnswers>();
  const auto store = remembering_store(disk_, noted);
  EXPECT_FALSE(store->exists("/run/c").value());
  disk_->create_exclusive("/run/c", "").check();
  EXPECT_TRUE(store->exists("/run/c").value());
  const auto told = remembering_store(empty_, std::make_shared<StoreAnswers>(noted->pack()));
  EXPECT_TRUE(told->exists("/run/c").value());
}

}  // namespace
}  // namespace esker
