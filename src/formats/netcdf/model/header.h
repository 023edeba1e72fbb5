// Header: dimensions, variables and attributes of a file of netCDF's data model, whatever its encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/status.hpp"

namespace esker::netcdf {

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

}  // namespace esker::netcdf
