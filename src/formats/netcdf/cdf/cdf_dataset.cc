#include "formats/netcdf/cdf/cdf_dataset.h"

#include <algorithm>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/cdf/existing.h"
#include "read/counted_file.h"
#include "read/row_major_reader.h"

namespace esker::cdf {
namespace {

Result<netcdf::Existing> read_whole(const File& file) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_existing(file));
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(text));
  return netcdf::Existing(std::move(existing));
}

}  // namespace

Result<CdfDataset> CdfDataset::open(const std::shared_ptr<Store>& store, const std::string& path) {
  CdfDataset dataset(store, path);
  ESKER_ASSIGN_OR_RETURN(dataset.file_, store->open(path, OpenMode::kRead));
  const auto header = read_header(*dataset.file_);
  if (!header.ok()) return header.status().with_context(path);
  dataset.declared_end_bytes_ = end_of_data(*header);
  dataset.is_ours_ = netcdf::is_of_esker(*header, dataset.warnings);
  auto existing =
      dataset.is_ours_ ? read_whole(*dataset.file_) : read_foreign(*dataset.file_, *header, dataset.warnings);
  if (!existing.ok()) return existing.status().with_context(path);
  dataset.schema = std::move(existing->schema);
  dataset.times = std::move(existing->times);
  dataset.warnings.insert(dataset.warnings.end(), existing->warnings.begin(), existing->warnings.end());
  dataset.cdf_ = std::move(existing->file);
  ESKER_RETURN_IF_ERROR(dataset.list_parts());
  return dataset;
}

Status CdfDataset::read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                                ReadCounters& counters) const {
  const Index offset = offset_of(cdf_.header, cdf_.variable_of_field[static_cast<std::size_t>(field)], step);
  const CountedFile file(*file_, counters);
  RowMajorReader reader(file, offset, box(field).hi, field_at(field).sample_bytes(), samples);
  const Index value_bytes = esker::size_bytes(field_at(field).type);
  return reader.read(out, [&](std::span<std::byte> bytes) { swap_bytes(bytes, value_bytes); });
}

ReadUnit CdfDataset::read_unit(int field, int /*level*/) const { return {box(field).hi}; }

Status CdfDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  constexpr Index kBytesPerRead = 4 << 20;
  Findings findings(report);
  report.files = 1;
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file_->size_bytes());
  const Index end = declared_end_bytes_;
  if (size_bytes < end) {
    findings.error(path_,
                   fmt::format("the file has {} bytes, but its values end at byte {}", size_bytes, end));
  }
  look_for_leftovers(findings, size_bytes, file_bytes(cdf_.header, cdf_.header.num_records));
  std::vector<std::byte> buffer;
  for (Index at = 0; at < std::min(end, size_bytes); at += kBytesPerRead) {
    buffer.resize(static_cast<std::size_t>(std::min(kBytesPerRead, std::min(end, size_bytes) - at)));
    const Status status = file_->read_at(buffer, at);
    if (!status.ok()) findings.error(path_, status);
    report.bytes += static_cast<Index>(buffer.size());
    if (progress) progress(static_cast<double>(at) / static_cast<double>(end));
  }
  look_for_writer(findings);
  return {};
}

}  // namespace esker::cdf
