#include "door.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/cdf/header.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf_plugin {
namespace {

constexpr std::size_t kMaxDoorBytes = 1 << 16;
constexpr std::size_t kMagicBytes = ESKER_MAGIC_BYTES;

/// At most kMaxDoorBytes + 1 bytes; nothing if there is no such file, which opening the dataset reports.
std::vector<std::byte> first_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(kMaxDoorBytes + 1);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

bool is_door(const std::vector<std::byte>& bytes) {
  return bytes.size() >= kMagicBytes && std::memcmp(bytes.data(), kDoorMagic, kMagicBytes) == 0;
}

Result<std::optional<int>> level_of_environment() {
  const char* text = std::getenv("ESKER_NC_LEVEL");
  if (!text || !*text) return std::optional<int>{};
  int level = 0;
  const char* end = text + std::strlen(text);
  if (const auto read = std::from_chars(text, end, level); read.ec != std::errc{} || read.ptr != end) {
    return error(Code::kInvalidArgument, "ESKER_NC_LEVEL: expected a number, found '{}'", text);
  }
  return std::optional<int>(level);
}

/// Whether a relative path stays below its directory.
bool stays_below(const std::filesystem::path& path) {
  return path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

Result<std::vector<Index>> integers(const AttributeValue& value) {
  std::vector<Index> list;
  for (const double number : to_reals(numbers_of(value))) {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (!(std::abs(number) <= kExact) || std::trunc(number) != number) {
      return error(Code::kDataLoss, "{} is no index", number);
    }
    list.push_back(static_cast<Index>(number));
  }
  return list;
}

Result<Door> parse(const Attributes& attributes, const std::filesystem::path& directory) {
  const auto path = attributes.find("esker_door");
  const std::string* dataset = path == attributes.end() ? nullptr : text_of(path->second);
  if (!dataset || dataset->empty()) return Status(Code::kDataLoss, "the attribute 'esker_door' is missing");
  if (!stays_below(*dataset)) {
    return error(Code::kDataLoss, "'{}' is not below the directory of the door", *dataset);
  }
  Door door{(directory / *dataset).string()};
  door.is_file = true;
  if (const auto level = attributes.find("level"); level != attributes.end()) {
    ESKER_ASSIGN_OR_RETURN(const std::vector<Index> numbers, integers(level->second));
    if (numbers.size() != 1 || numbers[0] < 0 || numbers[0] > 1000) {
      return Status(Code::kDataLoss, "the attribute 'level' is no level");
    }
    door.level = static_cast<int>(numbers[0]);
  }
  if (const auto box = attributes.find("box"); box != attributes.end()) {
    ESKER_ASSIGN_OR_RETURN(door.box, integers(box->second));
    if (door.box.empty() || door.box.size() % 2 != 0 || door.box.size() > 2 * kMaxRank) {
      return Status(Code::kDataLoss, "the attribute 'box' has no two corners");
    }
    const std::size_t rank = door.box.size() / 2;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (door.box[axis] >= door.box[rank + axis]) return Status(Code::kDataLoss, "the box is empty");
    }
  }
  return door;
}

}  // namespace

Result<Door> read_door(const std::string& path) {
  std::vector<std::byte> bytes = first_bytes(path);
  if (!is_door(bytes)) {
    ESKER_ASSIGN_OR_RETURN(const std::optional<int> level, level_of_environment());
    return Door{path, level};
  }
  const auto context = [&](const Status& status) { return status.with_context("door '" + path + "'"); };
  if (bytes.size() > kMaxDoorBytes) return context({Code::kDataLoss, "it is larger than 64 KiB"});
  std::fill_n(bytes.begin() + cdf::kNumRecordsOffset, 4, std::byte{0});
  const auto header = cdf::parse_header(bytes);
  if (!header.ok()) return context(header.status());
  auto door = parse(netcdf::to_attributes(header->attributes), std::filesystem::path(path).parent_path());
  if (!door.ok()) return context(door.status());
  if (is_door(first_bytes(door->dataset))) {
    return context(error(Code::kDataLoss, "'{}' is a door, too; a door leads to a dataset", door->dataset));
  }
  return door;
}

}  // namespace esker::netcdf_plugin
