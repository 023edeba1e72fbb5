// The header of a CDF file (netCDF's classic formats CDF-1, CDF-2 and CDF-5), read and written.
//
// Grammar and arithmetic: docs/formats/cdf.md, whose sections the code cites. What a file says is checked
// before it is believed or memory is taken for it. Pure but for read_header(); no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/status.hpp"
#include "store/store.h"

namespace esker::cdf {

enum class Version : std::uint8_t {
  kClassic = 1,   ///< CDF-1: offsets of 31 bits
  kOffset64 = 2,  ///< CDF-2: offsets of 63 bits
  kData64 = 5,    ///< CDF-5: sizes of 63 bits, too, and five more types
};

/// As they are numbered in files.
enum class Type : std::uint8_t {
  kByte = 1,
  kChar,
  kShort,
  kInt,
  kFloat,
  kDouble,
  kUByte,  ///< from here on CDF-5 only
  kUShort,
  kUInt,
  kInt64,
  kUInt64,
};

/// Of one value.
Index size_bytes(Type type);

struct Dimension {
  std::string name;
  Index length = 0;  ///< 0: that of the records
};

struct Attribute {
  std::string name;
  Type type = Type::kChar;
  std::vector<std::byte> values;  ///< as in the file: big-endian, without padding
};

struct Variable {
  std::string name;
  std::vector<int> dims;  ///< positions in Header::dims, the slowest first
  std::vector<Attribute> attributes;
  Type type = Type::kFloat;
  Index begin = 0;  ///< where its values begin in the file: all, or those of the first record
  std::string missing = {};  ///< why the values cannot be read from the file; empty: they can be
};

struct Header {
  Version version = Version::kClassic;
  Index num_records = 0;
  std::vector<Dimension> dims;
  std::vector<Attribute> attributes;
  std::vector<Variable> variables;

  /// The position of the dimension of the records, if there is one.
  [[nodiscard]] std::optional<int> record_dim() const;
  [[nodiscard]] bool is_record(const Variable& variable) const;
  /// Bytes of its values: all, or those of one record. Without padding.
  [[nodiscard]] Index value_bytes(const Variable& variable) const;
  /// From one record to the next (section 4); 0 without variables that have records.
  [[nodiscard]] Index record_bytes() const;
};

/// Whether names, types and dimensions fit together, and all sizes 63 bits; where variables stand is not
/// looked at. kInvalidArgument names what does not.
Status check_structure(const Header& header);

/// The same, and whether sizes and places fit the version (section 3).
Status check_header(const Header& header);

/// The header as bytes: what check_header() lets pass.
std::vector<std::byte> print_header(const Header& header);

/// Where the number of records stands in a file, and as which bytes.
inline constexpr Index kNumRecordsOffset = 4;
std::vector<std::byte> print_num_records(Version version, Index num_records);

/// Reads and checks a header. A file that was left while it was streamed to has as many records as it has
/// room for. kInvalidArgument: it is no CDF file; kDataLoss: it is damaged, with the place, or variables
/// overlap; kUnsupported.
/// Memory: what the header takes in the file, at most 64 MiB of it, times about ten.
Result<Header> read_header(const File& file);
/// The same of a header alone, as print_header() makes it.
Result<Header> parse_header(std::span<const std::byte> bytes);

/// The part of a header whose values are in a file of `file_bytes`: as many records as the file holds whole,
/// and Variable::missing set where values of a variable lie behind the end. `warnings` names both.
Header present_part(Header header, Index file_bytes, std::vector<std::string>& warnings);

/// kDataLoss: values of two variables share bytes of the file.
Status check_overlap(const Header& header);

}  // namespace esker::cdf
