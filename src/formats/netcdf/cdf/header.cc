#include "formats/netcdf/cdf/header.h"

#include <algorithm>
#include <limits>

#include "base/byte_order.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"

namespace esker::cdf {
namespace {

constexpr Index kMax31 = std::numeric_limits<std::int32_t>::max();
constexpr Index kMax32 = std::numeric_limits<std::uint32_t>::max();

class Printer {
 public:
  explicit Printer(Version version) : version_(version) {}

  void number(std::uint64_t value, int n_bytes) { append_be(value, n_bytes, bytes_); }
  void tag(std::uint32_t value) { number(value, 4); }
  void count(Index value) { number(static_cast<std::uint64_t>(value), version_ == Version::kData64 ? 8 : 4); }
  void offset(Index value) {
    number(static_cast<std::uint64_t>(value), version_ == Version::kClassic ? 4 : 8);
  }
  void padded(std::span<const std::byte> values) {
    bytes_.insert(bytes_.end(), values.begin(), values.end());
    bytes_.resize(
        static_cast<std::size_t>(round_up(static_cast<Index>(bytes_.size()), netcdf::kCdfAlignment)));
  }
  void name(const std::string& text) {
    count(static_cast<Index>(text.size()));
    padded(std::as_bytes(std::span(text)));
  }
  void attributes(const std::vector<Attribute>& list) {
    begin_list(kAttributes, list.size());
    for (const Attribute& attribute : list) {
      name(attribute.name);
      tag(static_cast<std::uint32_t>(attribute.type));
      count(static_cast<Index>(attribute.values.size()) / size_bytes(attribute.type));
      padded(attribute.values);
    }
  }
  void variable(const Header& header, const Variable& variable) {
    name(variable.name);
    count(static_cast<Index>(variable.dims.size()));
    for (const int dim : variable.dims) count(dim);
    attributes(variable.attributes);
    tag(static_cast<std::uint32_t>(variable.type));
    const Index vsize = round_up(header.value_bytes(variable), netcdf::kCdfAlignment);
    count(version_ == Version::kData64 ? vsize : std::min(vsize, kMax32));
    offset(variable.begin);
  }
  void begin_list(std::uint32_t list_tag, std::size_t n) {
    tag(n > 0 ? list_tag : 0);
    count(static_cast<Index>(n));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

  static constexpr std::uint32_t kDims = 0x0A, kVariables = 0x0B, kAttributes = 0x0C;

 private:
  Version version_;
  std::vector<std::byte> bytes_;
};

}  // namespace

Status check_fits(const Header& header) {
  if (header.version == Version::kData64) return {};
  const auto version = static_cast<int>(header.version);
  for (const Dimension& dim : header.dims) {
    if (dim.length <= kMax31) continue;
    return error(Code::kInvalidArgument, "dimension '{}' of length {} does not fit in CDF-{}", dim.name,
                 dim.length, version);
  }
  const Index largest = (header.version == Version::kClassic ? kMax31 : kMax32) - 3;
  const bool has_records = header.record_bytes() > 0;
  const Variable* last = nullptr;  // of those stored last
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable) == has_records) last = &variable;
  }
  for (const Variable& variable : header.variables) {
    if (header.version == Version::kClassic && variable.begin > kMax31) {
      return error(Code::kInvalidArgument,
                   "variable '{}' begins at byte {}, which does not fit in the 31 bits of CDF-1",
                   variable.name, variable.begin);
    }
    if (header.value_bytes(variable) <= largest || &variable == last) continue;
    return error(Code::kInvalidArgument,
                 "variable '{}' has {} bytes: in CDF-{} only the last one may have more than {}",
                 variable.name, header.value_bytes(variable), version, largest);
  }
  return {};
}

Status check_header(const Header& header) {
  ESKER_RETURN_IF_ERROR(check_structure(header));
  return check_fits(header);
}

std::vector<std::byte> print_num_records(Version version, Index num_records) {
  Printer printer(version);
  printer.count(num_records);
  return printer.take();
}

std::vector<std::byte> print_header(const Header& header) {
  Printer printer(header.version);
  printer.number(std::uint64_t{'C'} << 24 | std::uint64_t{'D'} << 16 | std::uint64_t{'F'} << 8 |
                     static_cast<std::uint64_t>(header.version),
                 4);
  printer.count(header.num_records);
  printer.begin_list(Printer::kDims, header.dims.size());
  for (const Dimension& dim : header.dims) {
    printer.name(dim.name);
    printer.count(dim.length);
  }
  printer.attributes(header.attributes);
  printer.begin_list(Printer::kVariables, header.variables.size());
  for (const Variable& variable : header.variables) printer.variable(header, variable);
  return printer.take();
}

}  // namespace esker::cdf
