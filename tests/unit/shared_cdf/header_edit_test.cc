// A header that is being replaced is the old one or the new one after a kill at any call to the file system.
#include "shared_cdf/header_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "store/commit.h"
#include "store/faulty_store.h"

namespace esker::cdf {
namespace {

const std::string kPath = "dir/run.nc";
const std::string kBefore = "CDF old header, and the values that follow it";
const std::string kAfter = "CDF a new header!";
const std::string kChanged = kAfter + kBefore.substr(kAfter.size());

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::shared_ptr<Store> store_with(const std::string& content) {
  auto store = memory_store();
  replace_file(*store, kPath, content, false).check();
  return store;
}

std::string content_of(Store& store) { return read_text(store, kPath, 1000).value(); }

/// No journal, and no temporary file.
void expect_only_the_file(const Store& store) {
  EXPECT_EQ(store.list("dir").value(), std::vector<std::string>{"run.nc"});
}

/// Calls that change nothing do not count; from call `first` on to `last` they fail, a write half-way.
struct Faults {
  int first = 0, last = 1 << 20;
  int calls = 0;

  [[nodiscard]] std::shared_ptr<Store> in(const std::shared_ptr<Store>& store) {
    return faulty_store(store, [this](StoreCall, const std::string&) {
      ++calls;
      return calls >= first && calls <= last ? EIO : 0;
    });
  }
};

class HeaderEdit : public testing::TestWithParam<bool> {};

TEST_P(HeaderEdit, ReplacesTheFirstBytes) {
  const auto store = store_with(kBefore);
  edit_header(*store, kPath, bytes_of(kAfter), GetParam()).check();
  EXPECT_EQ(content_of(*store), kChanged);
  expect_only_the_file(*store);
  const std::string longer = kBefore + " and more";
  edit_header(*store, kPath, bytes_of(longer), GetParam()).check();
  EXPECT_EQ(content_of(*store), longer);
  expect_only_the_file(*store);
}

// Killed: nothing happens after the last call. The recovery is killed, too.
TEST_P(HeaderEdit, KilledAtAnyCallLeavesTheOldOrTheNewHeader) {
  bool was_old = false, was_new = false;
  for (int call = 1;; ++call) {
    const auto store = store_with(kBefore);
    Faults faults{call};
    if (edit_header(*faults.in(store), kPath, bytes_of(kAfter), GetParam()).ok()) {
      EXPECT_GT(call, 6);
      break;
    }
    for (int again = 1;; ++again) {
      Faults more{again};
      if (recover_header(*more.in(store), kPath, GetParam()).ok()) break;
    }
    recover_header(*store, kPath, GetParam()).check();
    const std::string found = content_of(*store);
    EXPECT_TRUE(found == kBefore || found == kChanged) << call << ": " << found;
    (found == kBefore ? was_old : was_new) = true;
    expect_only_the_file(*store);
  }
  EXPECT_TRUE(was_old && was_new);
}

// One call fails: the old header is there at once, unless the change was complete. The next change works.
TEST_P(HeaderEdit, ThatFailsIsUndone) {
  for (int call = 1;; ++call) {
    const auto store = store_with(kBefore);
    Faults faults{call, call};
    const auto faulty = faults.in(store);
    if (edit_header(*faulty, kPath, bytes_of(kAfter), GetParam()).ok()) {
      if (call > faults.calls) break;
      continue;  // what failed does not matter
    }
    const std::string found = content_of(*store);
    EXPECT_TRUE(found == kBefore || found == kChanged) << call << ": " << found;
    edit_header(*faulty, kPath, bytes_of("another"), GetParam()).check();
    EXPECT_EQ(content_of(*store), "another" + found.substr(7));
    expect_only_the_file(*store);
  }
}

TEST_P(HeaderEdit, AnUnfinishedChangeIsCompletedBeforeAnother) {
  const std::string other = "CDF third, and a longer header";
  for (int call = 1;; ++call) {
    const auto store = store_with(kBefore);
    Faults first{call};
    if (edit_header(*first.in(store), kPath, bytes_of(kAfter), GetParam()).ok()) break;
    for (int again = 1;; ++again) {
      Faults second{again};
      if (edit_header(*second.in(store), kPath, bytes_of(other), GetParam()).ok()) break;
      recover_header(*store, kPath, GetParam()).check();
      const std::string found = content_of(*store);
      const std::string third = other + kBefore.substr(other.size());
      EXPECT_TRUE(found == kBefore || found == kChanged || found == third) << found;
    }
  }
}

TEST_P(HeaderEdit, AJournalThatIsTornOrOfAnotherFileIsRemoved) {
  const auto made = store_with(kBefore);
  const auto rule = [](StoreCall call, const std::string& path) {
    return call == StoreCall::kRemove && path.ends_with(".header") ? EIO : 0;
  };
  EXPECT_FALSE(edit_header(*faulty_store(made, rule), kPath, bytes_of(kAfter), GetParam()).ok());
  const std::string journal = read_text(*made, header_journal_of(kPath), 1000).value();
  std::vector<std::string> bad;
  for (std::size_t n = 0; n < journal.size(); ++n) {
    bad.push_back(journal.substr(0, n));
    bad.push_back(journal);
    bad.back()[n] = static_cast<char>(bad.back()[n] ^ 1);
  }
  for (const std::string& text : bad) {
    const auto store = store_with(kBefore);
    replace_file(*store, header_journal_of(kPath), text, false).check();
    recover_header(*store, kPath, GetParam()).check();
    EXPECT_EQ(content_of(*store), kBefore);
    expect_only_the_file(*store);
  }
  for (const std::string& content : {std::string("another file with another content"), std::string("CDF")}) {
    const auto store = store_with(content);
    replace_file(*store, header_journal_of(kPath), journal, false).check();
    recover_header(*store, kPath, GetParam()).check();
    EXPECT_EQ(content_of(*store), content);
    expect_only_the_file(*store);
  }
  const auto store = memory_store();  // without a file
  replace_file(*store, header_journal_of(kPath), journal, false).check();
  recover_header(*store, kPath, GetParam()).check();
  EXPECT_EQ(store->list("dir").value(), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Durable, HeaderEdit, testing::Bool());

}  // namespace
}  // namespace esker::cdf
