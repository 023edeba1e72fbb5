#include "formats/netcdf/model/header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker::netcdf {
namespace {

constexpr Index kMaxNameBytes = 256;
constexpr Index kMaxAllBytes = Index{1} << 62;  // of all variables; leaves room for header and alignment

constexpr std::array<int, 12> kSizes{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};  // by Type

/// A name that every reader accepts.
Status check_name(const char* what, const std::string& name) {
  const bool is_good = !name.empty() && static_cast<Index>(name.size()) <= kMaxNameBytes &&
                       name.find('\0') == std::string::npos && name.find('/') == std::string::npos;
  if (is_good) return {};
  return error(Code::kInvalidArgument, "{} '{}': expected a name of 1 to {} bytes without slash and NUL",
               what, excerpt(name), kMaxNameBytes);
}

/// Names of one kind, without duplicates.
template <class Named>
Status check_names(const char* what, const std::vector<Named>& list) {
  std::set<std::string_view> names;
  for (const Named& named : list) {
    ESKER_RETURN_IF_ERROR(check_name(what, named.name));
    if (!names.insert(named.name).second) {
      return error(Code::kInvalidArgument, "{} '{}' occurs twice", what, excerpt(named.name));
    }
  }
  return {};
}

Status check_type(Version version, Type type, const std::string& of) {
  if (version == Version::kData64 || type <= Type::kDouble) return {};
  return error(Code::kInvalidArgument, "'{}': CDF-{} does not have type {}", of, static_cast<int>(version),
               static_cast<int>(type));
}

Status check_attributes(Version version, const std::vector<Attribute>& attributes) {
  ESKER_RETURN_IF_ERROR(check_names("attribute", attributes));
  for (const Attribute& attribute : attributes) {
    ESKER_RETURN_IF_ERROR(check_type(version, attribute.type, attribute.name));
    const Index bytes = static_cast<Index>(attribute.values.size());
    if (bytes % size_bytes(attribute.type) != 0) {
      return error(Code::kInvalidArgument, "attribute '{}': {} bytes are not a whole number of values",
                   attribute.name, bytes);
    }
  }
  return {};
}

/// Checks that its dimensions exist, that the record dimension is only in front, and that its bytes fit in 63
/// bits.
Status check_variable(const Header& header, const Variable& variable) {
  std::optional<Index> bytes = size_bytes(variable.type);
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    const int dim = variable.dims[d];
    if (dim < 0 || dim >= static_cast<int>(header.dims.size())) {
      return error(Code::kInvalidArgument,
                   "variable '{}': dimension {} does not exist; the file has {} dimensions", variable.name,
                   dim, header.dims.size());
    }
    const Dimension& dimension = header.dims[static_cast<std::size_t>(dim)];
    if (dimension.length == 0 && d > 0) {
      return error(Code::kInvalidArgument, "variable '{}': the record dimension '{}' is not its first",
                   variable.name, dimension.name);
    }
    if (dimension.length > 0 && bytes) bytes = checked_mul(*bytes, dimension.length);
  }
  if (bytes && *bytes <= std::numeric_limits<Index>::max() - kCdfAlignment) return {};
  return error(Code::kInvalidArgument, "variable '{}': its size exceeds 63 bits", variable.name);
}

}  // namespace

Index size_bytes(Type type) { return kSizes[static_cast<std::size_t>(type)]; }

std::optional<int> Header::record_dim() const {
  const auto found =
      std::find_if(dims.begin(), dims.end(), [](const Dimension& dim) { return dim.length == 0; });
  return found == dims.end() ? std::nullopt : std::optional(static_cast<int>(found - dims.begin()));
}

bool Header::is_record(const Variable& variable) const {
  return !variable.dims.empty() && dims[static_cast<std::size_t>(variable.dims.front())].length == 0;
}

bool Header::is_coordinate(const Variable& variable) const {
  return variable.dims.size() == 1 && variable.type != Type::kChar &&
         dims[static_cast<std::size_t>(variable.dims[0])].name == variable.name;
}

bool Header::is_scalar(const Variable& variable) const {
  const bool is_text = variable.type == Type::kChar && variable.dims.size() == 1;
  return variable.dims.empty() || (is_text && !is_record(variable));
}

Index Header::value_bytes(const Variable& variable) const {
  Index bytes = size_bytes(variable.type);
  for (const int dim : variable.dims) bytes *= std::max<Index>(1, dims[static_cast<std::size_t>(dim)].length);
  return bytes;
}

Index Header::record_bytes() const {
  Index padded = 0, exact = 0;
  int n = 0;
  for (const Variable& variable : variables) {
    if (!is_record(variable)) continue;
    exact = value_bytes(variable);
    padded += round_up(exact, kCdfAlignment);
    ++n;
  }
  return n == 1 ? exact : padded;
}

Status check_structure(const Header& header) {
  ESKER_RETURN_IF_ERROR(check_names("dimension", header.dims));
  const auto n_record_dims = std::count_if(header.dims.begin(), header.dims.end(),
                                           [](const Dimension& dim) { return dim.length == 0; });
  if (n_record_dims > 1) {
    return error(Code::kInvalidArgument,
                 "{} dimensions have length 0; at most one record dimension is supported", n_record_dims);
  }
  ESKER_RETURN_IF_ERROR(check_attributes(header.version, header.attributes));
  ESKER_RETURN_IF_ERROR(check_names("variable", header.variables));
  Index all_bytes = 0;
  for (const Variable& variable : header.variables) {
    ESKER_RETURN_IF_ERROR(check_type(header.version, variable.type, variable.name));
    ESKER_RETURN_IF_ERROR(check_attributes(header.version, variable.attributes));
    ESKER_RETURN_IF_ERROR(check_variable(header, variable));
    const auto sum = checked_add(all_bytes, round_up(header.value_bytes(variable), kCdfAlignment));
    if (!sum || *sum > kMaxAllBytes) {
      return error(Code::kInvalidArgument, "all variables together have more than 2^62 bytes");
    }
    all_bytes = *sum;
  }
  return {};
}

}  // namespace esker::netcdf
