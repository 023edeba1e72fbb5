// Header: dimensions, variables and attributes of a file of netCDF's data model, in any encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::netcdf {

enum class Version : std::uint8_t {
  kClassic = 1,   ///< CDF-1: 31-bit offsets
  kOffset64 = 2,  ///< CDF-2: 63-bit offsets
  kData64 = 5,    ///< CDF-5: also 63-bit sizes, and five more types
};

/// In CDF files names, values and variables begin at a multiple of it.
inline constexpr Index kCdfAlignment = 4;

/// The numbers are those used in files.
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

/// Size of one value.
Index size_bytes(Type type);

struct Dimension {
  std::string name;
  Index length = 0;  ///< 0: the record dimension
};

struct Attribute {
  std::string name;
  Type type = Type::kChar;
  std::vector<std::byte> values;        ///< as stored in CDF files: big-endian, without padding
  std::vector<std::string> texts = {};  ///< of a list of texts, which `values` joins by newlines; else empty
};

struct Variable {
  std::string name;
  std::vector<int> dims;  ///< positions in Header::dims, slowest first
  std::vector<Attribute> attributes;
  Type type = Type::kFloat;
  Index begin = 0;           ///< file offset of its values: of all, or of the first record
  std::string missing = {};  ///< why the values cannot be read from the file; empty if they can
  bool has_components =
      false;  ///< the last dimension is that of the components of vectors, and there are others
};

struct Header {
  Version version = Version::kClassic;
  Index num_records = 0;
  std::vector<Dimension> dims;
  std::vector<Attribute> attributes;
  std::vector<Variable> variables;

  /// The position of the record dimension, if there is one.
  [[nodiscard]] std::optional<int> record_dim() const;
  [[nodiscard]] bool is_record(const Variable& variable) const;
  /// Whether the variable has the name of its only dimension, and numbers: coordinates, or times.
  [[nodiscard]] bool is_coordinate(const Variable& variable) const;
  /// Whether it is a number without dimensions, or a text with at most one.
  [[nodiscard]] bool is_scalar(const Variable& variable) const;
  /// Bytes of its values, without padding: of all values, or of one record.
  [[nodiscard]] Index value_bytes(const Variable& variable) const;
  /// Distance between two records (section 4); 0 if no variable has records.
  [[nodiscard]] Index record_bytes() const;
};

/// Checks that names, types and dimensions fit together and that all sizes fit in 63 bits. The offsets of
/// variables are not checked. kInvalidArgument names the problem.
Status check_structure(const Header& header);

}  // namespace esker::netcdf
