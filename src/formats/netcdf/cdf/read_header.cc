// The bounded reader of CDF headers: no value is used before it is checked against the size of the file.
#include <algorithm>
#include <functional>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/cdf/header.h"

namespace esker::cdf {
namespace {

constexpr Index kMaxHeaderBytes = Index{64} << 20;
constexpr Index kMaxIndex = std::numeric_limits<Index>::max();
constexpr Index kFirstBytes = Index{64} << 10;

using ReadAt = std::function<Status(std::span<std::byte>, Index)>;

/// The bytes of a file from its beginning, read on demand.
class HeaderBytes {
 public:
  HeaderBytes(ReadAt read_at, Index file_bytes) : read_at_(std::move(read_at)), file_bytes_(file_bytes) {}

  [[nodiscard]] Index position() const { return at_; }
  [[nodiscard]] Index rest() const { return file_bytes_ - at_; }

  /// The next `n` bytes, until the next call.
  Result<std::span<const std::byte>> take(Index n) {
    if (n > rest()) {
      return error(Code::kDataLoss, "the file ends in its header: expected {} bytes at byte {}, found {}", n,
                   at_, rest());
    }
    const Index end = at_ + n;
    if (end > static_cast<Index>(bytes_.size())) ESKER_RETURN_IF_ERROR(read_up_to(end));
    const std::span<const std::byte> taken(bytes_.data() + at_, static_cast<std::size_t>(n));
    at_ = end;
    return taken;
  }

 private:
  Status read_up_to(Index end) {
    if (end > kMaxHeaderBytes) {
      return error(Code::kUnsupported, "expected a header of at most {} bytes, found more", kMaxHeaderBytes);
    }
    const Index had = static_cast<Index>(bytes_.size());
    const Index wanted = std::min({std::max({end, 2 * had, kFirstBytes}), file_bytes_, kMaxHeaderBytes});
    bytes_.resize(static_cast<std::size_t>(wanted));
    return read_at_(std::span(bytes_).subspan(static_cast<std::size_t>(had)), had);
  }

  ReadAt read_at_;
  Index file_bytes_;
  Index at_ = 0;
  std::vector<std::byte> bytes_;
};

class Parser {
 public:
  Parser(ReadAt read_at, Index file_bytes) : bytes_(std::move(read_at), file_bytes) {}

  Result<Header> parse() {
    ESKER_RETURN_IF_ERROR(magic());
    ESKER_RETURN_IF_ERROR(num_records());
    ESKER_RETURN_IF_ERROR(dims());
    ESKER_ASSIGN_OR_RETURN(header_.attributes, attributes());
    ESKER_RETURN_IF_ERROR(variables());
    return std::move(header_);
  }
  /// Where the header ended.
  [[nodiscard]] Index position() const { return bytes_.position(); }
  [[nodiscard]] bool is_streaming() const { return is_streaming_; }

 private:
  static constexpr std::uint32_t kDims = 0x0A, kVariables = 0x0B, kAttributes = 0x0C;
  // The minimum size of each in a file: its COUNTs, tags and offset.
  [[nodiscard]] Index least_dim() const { return 2 * count_bytes(); }
  [[nodiscard]] Index least_attribute() const { return 2 * count_bytes() + 4; }
  [[nodiscard]] Index least_variable() const { return 4 * count_bytes() + 12; }

  [[nodiscard]] Index count_bytes() const { return header_.version == Version::kData64 ? 8 : 4; }

  Status magic() {
    const auto first = bytes_.take(4);
    if (first.status().code() == Code::kIoError) return first.status();
    const bool is_cdf = first.ok() && (*first)[0] == std::byte{'C'} && (*first)[1] == std::byte{'D'} &&
                        (*first)[2] == std::byte{'F'};
    if (!is_cdf) return error(Code::kInvalidArgument, "not a CDF file: expected 'CDF' at its beginning");
    const auto version = static_cast<int>((*first)[3]);
    if (version != 1 && version != 2 && version != 5) {
      return error(Code::kUnsupported, "CDF version {} is not supported, expected 1, 2 or 5", version);
    }
    header_.version = static_cast<Version>(version);
    return {};
  }

  Result<std::uint64_t> number(Index n_bytes) {
    ESKER_ASSIGN_OR_RETURN(const auto bytes, bytes_.take(n_bytes));
    std::uint64_t value = 0;
    for (const std::byte byte : bytes) value = value << 8 | static_cast<std::uint64_t>(byte);
    return value;
  }

  /// `most`: the maximum value.
  Result<Index> count(const char* what, Index most) {
    const Index at = bytes_.position();
    ESKER_ASSIGN_OR_RETURN(const std::uint64_t value, number(count_bytes()));
    if (value <= static_cast<std::uint64_t>(most)) return static_cast<Index>(value);
    return error(Code::kDataLoss, "byte {}: {} {}, expected at most {}", at, value, what, most);
  }

  Status num_records() {
    ESKER_ASSIGN_OR_RETURN(const std::uint64_t value, number(count_bytes()));
    is_streaming_ = value == (count_bytes() == 8 ? ~std::uint64_t{0} : 0xffffffffu);
    if (!is_streaming_ && value > static_cast<std::uint64_t>(kMaxIndex)) {
      return error(Code::kDataLoss, "byte {}: {} records, expected at most {}", kNumRecordsOffset, value,
                   kMaxIndex);
    }
    header_.num_records = is_streaming_ ? 0 : static_cast<Index>(value);
    return {};
  }

  /// The number of elements that follow. Each takes at least `least` bytes.
  Result<Index> begin_list(const char* what, std::uint32_t tag, Index least) {
    const Index at = bytes_.position();
    ESKER_ASSIGN_OR_RETURN(const std::uint64_t found, number(4));
    ESKER_ASSIGN_OR_RETURN(const Index n, count(what, kMaxIndex));
    if (found != tag && (found != 0 || n != 0)) {
      return error(Code::kDataLoss, "byte {}: tag {:#x}, expected {:#x} (a list of {}) or nothing", at, found,
                   tag, what);
    }
    if (n > bytes_.rest() / least) {
      return error(Code::kDataLoss, "byte {}: {} {}, but the file has room for {}", at, n, what,
                   bytes_.rest() / least);
    }
    return n;
  }

  /// Skips its padding, too.
  Result<std::span<const std::byte>> padded(Index n) {
    ESKER_ASSIGN_OR_RETURN(const auto bytes,
                           bytes_.take(std::min(n, bytes_.rest()) == n ? round_up(n, 4) : n));
    return bytes.first(static_cast<std::size_t>(n));
  }

  Result<std::string> name() {
    ESKER_ASSIGN_OR_RETURN(const Index n, count("bytes of a name", bytes_.rest()));
    ESKER_ASSIGN_OR_RETURN(const auto bytes, padded(n));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(text.substr(0, text.find_last_not_of('\0') + 1));  // old writers counted the padding
  }

  Status dims() {
    ESKER_ASSIGN_OR_RETURN(const Index n, begin_list("dimensions", kDims, least_dim()));
    for (Index i = 0; i < n; ++i) {
      Dimension& dim = header_.dims.emplace_back();
      ESKER_ASSIGN_OR_RETURN(dim.name, name());
      ESKER_ASSIGN_OR_RETURN(dim.length, count("indices", kMaxIndex));
    }
    return {};
  }

  Result<Type> type() {
    const Index at = bytes_.position();
    ESKER_ASSIGN_OR_RETURN(const std::uint64_t value, number(4));
    const auto last = header_.version == Version::kData64 ? Type::kUInt64 : Type::kDouble;
    if (value >= 1 && value <= static_cast<std::uint64_t>(last)) return static_cast<Type>(value);
    return error(Code::kDataLoss, "byte {}: type {}, expected 1 to {}", at, value, static_cast<int>(last));
  }

  Result<std::vector<Attribute>> attributes() {
    std::vector<Attribute> list;
    ESKER_ASSIGN_OR_RETURN(const Index n, begin_list("attributes", kAttributes, least_attribute()));
    for (Index i = 0; i < n; ++i) {
      Attribute& attribute = list.emplace_back();
      ESKER_ASSIGN_OR_RETURN(attribute.name, name());
      ESKER_ASSIGN_OR_RETURN(attribute.type, type());
      const Index size = size_bytes(attribute.type);
      ESKER_ASSIGN_OR_RETURN(const Index values, count("values of an attribute", bytes_.rest() / size));
      ESKER_ASSIGN_OR_RETURN(const auto bytes, padded(values * size));
      attribute.values.assign(bytes.begin(), bytes.end());
    }
    return list;
  }

  Status variables() {
    ESKER_ASSIGN_OR_RETURN(const Index n, begin_list("variables", kVariables, least_variable()));
    for (Index i = 0; i < n; ++i) {
      Variable& variable = header_.variables.emplace_back();
      ESKER_ASSIGN_OR_RETURN(variable.name, name());
      ESKER_ASSIGN_OR_RETURN(const Index n_dims,
                             count("dimensions of a variable", bytes_.rest() / count_bytes()));
      const Index n_all = static_cast<Index>(header_.dims.size());
      for (Index d = 0; d < n_dims; ++d) {
        ESKER_ASSIGN_OR_RETURN(const Index dim, count("as the number of a dimension", n_all - 1));
        variable.dims.push_back(static_cast<int>(dim));
      }
      ESKER_ASSIGN_OR_RETURN(variable.attributes, attributes());
      ESKER_ASSIGN_OR_RETURN(variable.type, type());
      ESKER_RETURN_IF_ERROR(number(count_bytes()).status());  // vsize
      const Index at = bytes_.position();
      ESKER_ASSIGN_OR_RETURN(const std::uint64_t begin, number(header_.version == Version::kClassic ? 4 : 8));
      if (begin > static_cast<std::uint64_t>(kMaxIndex)) {
        return error(Code::kDataLoss, "byte {}: variable '{}' begins at {}, expected at most {}", at,
                     variable.name, begin, kMaxIndex);
      }
      variable.begin = static_cast<Index>(begin);
    }
    return {};
  }

  HeaderBytes bytes_;
  Header header_;
  bool is_streaming_ = false;
};

/// Records that fit in the file.
Index records_that_fit(const Header& header, Index file_bytes) {
  Index first = file_bytes;
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable)) first = std::min(first, variable.begin);
  }
  const Index record = header.record_bytes();
  return record > 0 ? (file_bytes - first) / record : 0;
}

Result<Header> parse(ReadAt read_at, Index file_bytes) {
  Parser parser(std::move(read_at), file_bytes);
  ESKER_ASSIGN_OR_RETURN(Header header, parser.parse());
  const Status sound = check_structure(header);
  if (!sound.ok()) return Status(Code::kDataLoss, sound.message());
  if (parser.is_streaming()) header.num_records = records_that_fit(header, file_bytes);
  // At least two: check_overlap() looks at the record after the first.
  const auto of_records = checked_mul(std::max<Index>(2, header.num_records), header.record_bytes());
  for (const Variable& variable : header.variables) {
    if (variable.begin < parser.position()) {
      return error(Code::kDataLoss, "variable '{}' begins at byte {}, in the header, which ends at {}",
                   variable.name, variable.begin, parser.position());
    }
    const auto bytes = header.is_record(variable) ? of_records : header.value_bytes(variable);
    if (!bytes || !checked_add(variable.begin, *bytes)) {
      return error(Code::kDataLoss, "variable '{}' ends at a byte that exceeds 63 bits", variable.name);
    }
  }
  ESKER_RETURN_IF_ERROR(check_overlap(header));
  return header;
}

}  // namespace

Result<Header> read_header(const File& file) {
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  return parse([&](std::span<std::byte> bytes, Index offset) { return file.read_at(bytes, offset); },
               file_bytes);
}

Result<Header> parse_header(std::span<const std::byte> bytes) {
  const auto read_at = [&](std::span<std::byte> to, Index offset) {
    std::copy_n(bytes.begin() + offset, to.size(), to.begin());
    return Status();
  };
  return parse(read_at, static_cast<Index>(bytes.size()));
}

}  // namespace esker::cdf
