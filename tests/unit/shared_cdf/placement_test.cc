#include "shared_cdf/placement.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace esker::cdf {
namespace {

/// A file with a fixed variable and two of records; placed with `room`.
Header stored_with(const FileRoom& room, Index num_records) {
  Header header;
  header.version = Version::kData64;
  header.dims = {{"t", 0}, {"x", 1000}};
  header.variables = {
      {"x", {1}, {}, Type::kDouble}, {"a", {0, 1}, {}, Type::kDouble}, {"time", {0}, {}, Type::kDouble}};
  place_variables(header, room);
  header.num_records = num_records;
  return header;
}

void add(Header& header, const char* name, std::vector<int> dims, Type type = Type::kDouble) {
  header.variables.push_back({name, std::move(dims), {}, type});
}

/// Nothing overlaps, neither header nor values.
void expect_sound(const Header& header) {
  EXPECT_TRUE(check_header(header).ok());
  const auto parsed = parse_header(print_header(header));
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
}

/// Whether the variables of `stored` that have values stay; nothing overlaps.
bool stays(const Header& stored, Header& header, const FileRoom& room = {}) {
  const bool has_room = place_next_to(stored, room, header);
  expect_sound(header);
  for (std::size_t v = 0; has_room && v < stored.variables.size(); ++v) {
    const Variable& variable = stored.variables[v];
    if (stored.is_record(variable) && stored.num_records == 0) continue;
    EXPECT_EQ(header.variables[v].begin, variable.begin) << variable.name;
  }
  return has_room;
}

const FileRoom kNoRoom{0, 4, 0, 4};
const FileRoom kRoom{4096, 4, 1 << 20, 4096};

TEST(Placement, AnUnchangedDefinitionStays) {
  for (const FileRoom& room : {kNoRoom, kRoom}) {
    for (const Index records : {0, 3}) {
      const Header stored = stored_with(room, records);
      Header header = stored;
      EXPECT_TRUE(stays(stored, header));
    }
  }
}

TEST(Placement, ALongerHeaderNeedsRoom) {
  for (const Index records : {0, 3}) {
    for (const auto& [room, has_room] : {std::pair(kNoRoom, false), std::pair(kRoom, true)}) {
      const Header stored = stored_with(room, records);
      Header header = stored;
      header.attributes.push_back({"title", Type::kChar, std::vector<std::byte>(1000, std::byte{'a'})});
      EXPECT_EQ(stays(stored, header), has_room);
    }
  }
}

TEST(Placement, AFixedVariableNeedsRoomBeforeTheRecords) {
  FileRoom spare = kRoom;
  for (const auto& [bytes, records, has_room] :
       {std::tuple(Index{1} << 20, Index{3}, true), std::tuple(Index{0}, Index{3}, false),
        std::tuple(Index{0}, Index{0}, true)}) {
    spare.spare_variable_bytes = bytes;
    spare.record_alignment_bytes = 4;
    const Header stored = stored_with(spare, records);
    Header header = stored;
    add(header, "y", {1});
    const bool has_values = records > 0;
    const bool kept = place_next_to(stored, spare, header);
    expect_sound(header);
    EXPECT_EQ(kept, has_room);
    EXPECT_EQ(header.variables[0].begin == stored.variables[0].begin, kept || !has_values);
    if (kept && has_values) {
      EXPECT_EQ(header.variables[1].begin, stored.variables[1].begin);
    }
  }
}

TEST(Placement, ARecordVariableMovesRecordsThatExist) {
  for (const Index records : {0, 1}) {
    const Header stored = stored_with(kRoom, records);
    Header header = stored;
    add(header, "b", {0, 1});
    EXPECT_EQ(place_next_to(stored, kRoom, header), records == 0);
    expect_sound(header);
  }
}

TEST(Placement, AFileWithoutVariablesHasRoomForAll) {
  Header stored;
  stored.version = Version::kData64;
  stored.dims = {{"t", 0}, {"x", 1000}};
  Header header = stored;
  add(header, "a", {0, 1});
  add(header, "x", {1});
  EXPECT_TRUE(place_next_to(stored, kRoom, header));
  expect_sound(header);
}

// The values of other programs may be in any order.
TEST(Placement, FixedVariablesBehindTheRecordsAreNotWrittenOver) {
  Header stored = stored_with(kRoom, 2);
  stored.variables[0].begin = end_of_data(stored) + 8;
  Header header = stored;
  add(header, "y", {1});
  EXPECT_FALSE(place_next_to(stored, kRoom, header));
  expect_sound(header);
}

TEST(Placement, ManyDefinitionsNeverOverlap) {
  for (unsigned n = 0; n < 300; ++n) {
    const FileRoom room{Index{n % 7} * 300, 4 << (n % 3), Index{n % 11} * 1000, 4 << (n % 5)};
    Header header;
    header.version = Version::kData64;
    header.dims = {{"t", 0}, {"x", 1 + n % 13}, {"y", 100}};
    const Type types[] = {Type::kByte, Type::kShort, Type::kDouble};
    for (unsigned step = 0; step < 4; ++step) {
      const Header stored = header;
      for (unsigned v = 0; v < (n >> step) % 4; ++v) {
        const bool is_record = (n + v + step) % 3 == 0;
        add(header, ("v" + std::to_string(header.variables.size())).c_str(),
            is_record ? std::vector<int>{0, 1} : std::vector<int>{2, 1}, types[(n + v) % 3]);
      }
      if (step == 0) {
        place_variables(header, room);
      } else {
        place_next_to(stored, room, header);
      }
      expect_sound(header);
      if (testing::Test::HasFailure()) return;
      header.num_records = (n + step) % 4;
    }
  }
}

}  // namespace
}  // namespace esker::cdf
