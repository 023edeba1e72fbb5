// Byte ranges of variables: whether they overlap, and which values a short file lacks.
#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/cdf/header.h"

namespace esker::cdf {
namespace {

/// Byte range of a variable in the file.
struct Extent {
  Index begin = 0, end = 0;
  std::string_view name;
};

std::vector<Extent> extents_of(const Header& header, bool are_records) {
  std::vector<Extent> extents;
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable) != are_records) continue;
    extents.push_back({variable.begin, variable.begin + header.value_bytes(variable), variable.name});
  }
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  return extents;
}

/// `a` begins first.
Status check_disjoint(const Extent& a, const Extent& b) {
  if (a.end <= b.begin) return {};
  return error(Code::kDataLoss, "variables '{}' and '{}' overlap: bytes {} to {} and {} to {}",
               excerpt(a.name), excerpt(b.name), a.begin, a.end, b.begin, b.end);
}

Status check_neighbors(const std::vector<Extent>& extents) {
  for (std::size_t n = 1; n < extents.size(); ++n) {
    ESKER_RETURN_IF_ERROR(check_disjoint(extents[n - 1], extents[n]));
  }
  return {};
}

/// Complete records in a file.
Index complete_records(const Header& header, Index file_bytes) {
  const Index record_bytes = header.record_bytes();
  if (record_bytes == 0) return 0;
  Index records = header.num_records;
  for (const Variable& variable : header.variables) {
    if (!header.is_record(variable)) continue;
    const Index behind = file_bytes - variable.begin - header.value_bytes(variable);
    records = std::min(records, behind < 0 ? 0 : behind / record_bytes + 1);
  }
  return records;
}

}  // namespace

Status check_overlap(const Header& header) {
  const std::vector<Extent> fixed = extents_of(header, false), of_record = extents_of(header, true);
  ESKER_RETURN_IF_ERROR(check_neighbors(fixed));
  ESKER_RETURN_IF_ERROR(check_neighbors(of_record));
  if (of_record.empty()) return {};
  const Index first = of_record.front().begin, record_bytes = header.record_bytes();
  ESKER_RETURN_IF_ERROR(check_disjoint(
      of_record.back(), {first + record_bytes, first + 2 * record_bytes, of_record.front().name}));
  const Extent records{first, first + header.num_records * record_bytes, of_record.front().name};
  for (const Extent& of : fixed) {
    if (of.end <= records.begin || records.end <= of.begin) continue;
    ESKER_RETURN_IF_ERROR(of.begin < records.begin ? check_disjoint(of, records)
                                                   : check_disjoint(records, of));
  }
  return {};
}

Header present_part(Header header, Index file_bytes, std::vector<std::string>& warnings) {
  const Index records = complete_records(header, file_bytes);
  if (records < header.num_records && header.record_bytes() > 0) {
    warnings.push_back(fmt::format("the header lists {} records, of which {} are in the file of {} bytes",
                                   header.num_records, records, file_bytes));
  }
  header.num_records = records;
  for (Variable& variable : header.variables) {
    if (header.is_record(variable)) continue;
    const Index end = variable.begin + header.value_bytes(variable);
    if (end <= file_bytes) continue;
    variable.missing =
        fmt::format("its values end at byte {}, but the file ends at byte {}", end, file_bytes);
  }
  return header;
}

}  // namespace esker::cdf
