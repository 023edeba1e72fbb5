// Complete journals are applied, torn and hostile journals are ignored, and journals of other files are
// errors.
#include "formats/netcdf/hdf5/journal.h"

#include <gtest/gtest.h>

#include <random>

#include "store/checksum.h"

namespace esker::hdf5 {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Journal example() {
  Journal journal{std::string(kSuperblockBytes, 'b'), std::string(kSuperblockBytes, 'a'), {{}, 300}};
  journal.change.ranges[0] = bytes_of(std::string(kSuperblockBytes, 'a'));
  journal.change.ranges[100] = bytes_of("metadata");
  journal.change.ranges[200] = bytes_of(std::string(100, 'm'));
  return journal;
}

std::shared_ptr<Store> store_with(const std::string& file, const std::string& journal) {
  auto store = memory_store();
  store->create_exclusive("run.nc", file).check();
  store->create_exclusive(journal_of("run.nc"), journal).check();
  return store;
}

std::string content_of(Store& store) { return read_text(store, "run.nc", 1000).value(); }

TEST(Journal, IsReadAsItWasPrinted) {
  const auto read = parse_journal(bytes_of(print_journal(example()))).value();
  EXPECT_EQ(read.superblock_before, example().superblock_before);
  EXPECT_EQ(read.superblock_after, example().superblock_after);
  EXPECT_EQ(read.change.ranges, example().change.ranges);
  EXPECT_EQ(read.change.file_bytes, 300);
}

TEST(Journal, IgnoresTornJournals) {
  const auto whole = bytes_of(print_journal(example()));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(parse_journal(std::span(whole).first(n))) << n;
  }
  for (std::size_t n = 0; n < whole.size(); ++n) {
    auto torn = whole;
    torn[n] ^= std::byte{1};
    EXPECT_FALSE(parse_journal(torn)) << n;
  }
}

// With a valid checksum, so that the content is parsed.
TEST(Journal, IgnoresHostileJournals) {
  std::mt19937 random(7);
  const auto whole = bytes_of(print_journal(example()));
  int n_taken = 0;
  for (int i = 0; i < 20000; ++i) {
    auto hostile = whole;
    hostile.resize(8 + random() % (whole.size() - 15));
    for (unsigned n = random() % 4; n > 0; --n) hostile[random() % hostile.size()] = std::byte(random());
    const std::uint64_t sum = checksum(hostile, 0);
    const auto* sum_bytes = reinterpret_cast<const std::byte*>(&sum);
    hostile.insert(hostile.end(), sum_bytes, sum_bytes + sizeof sum);
    const auto read = parse_journal(hostile);
    if (!read) continue;
    ++n_taken;
    for (const auto& [offset, bytes] : read->change.ranges) {
      ASSERT_GE(offset, 0);
      ASSERT_LE(offset + static_cast<Index>(bytes.size()), read->change.file_bytes);
    }
  }
  EXPECT_LT(n_taken, 2000);
}

TEST(Journal, RecoveryAppliesACompleteJournalFromAnyState) {
  const std::string before = std::string(kSuperblockBytes, 'b') + std::string(102, '.');
  std::string between = before;
  between.replace(0, kSuperblockBytes, std::string(kSuperblockBytes, 'a'));
  for (const std::string& file : {before, between}) {
    const auto store = store_with(file, print_journal(example()));
    recover(*store, "run.nc", true).check();
    EXPECT_FALSE(store->exists(journal_of("run.nc")).value());
    std::string expected = between + std::string(150, '\0');
    expected.replace(100, 8, "metadata");
    expected.replace(200, 100, std::string(100, 'm'));
    EXPECT_EQ(content_of(*store), expected);
  }
}

TEST(Journal, RecoveryDropsATornJournalAndRefusesThatOfAnotherFile) {
  const std::string file(200, 'b');
  const std::string whole = print_journal(example());
  const auto torn = store_with(file, whole.substr(0, whole.size() / 2));
  recover(*torn, "run.nc", false).check();
  EXPECT_FALSE(torn->exists(journal_of("run.nc")).value());
  EXPECT_EQ(content_of(*torn), file);
  torn->create_exclusive(journal_of("run.nc"), whole).check();
  torn->remove("run.nc").check();
  recover(*torn, "run.nc", false).check();
  EXPECT_FALSE(torn->exists(journal_of("run.nc")).value()) << "whose file is gone";
  const auto others = store_with(std::string(200, 'c'), whole);
  const Status status = recover(*others, "run.nc", false);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("is not a journal of the current state of run.nc"), std::string::npos)
      << status.message();
  EXPECT_EQ(content_of(*others), std::string(200, 'c'));
}

}  // namespace
}  // namespace esker::hdf5
