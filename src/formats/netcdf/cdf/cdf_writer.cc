#include "formats/netcdf/cdf/cdf_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "format/asks_for_compression.h"
#include "format/no_stored_bits.h"
#include "formats/netcdf/cdf/cdf_step_layouts.h"
#include "formats/netcdf/cdf/existing.h"
#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"
#include "store/commit.h"

namespace esker::cdf {
CdfWriter::CdfWriter(std::shared_ptr<Store> store, std::string stem, const Kind& kind, const Options& options,
                     std::shared_ptr<WriterLock> lock)
    : NetcdfWriter(std::move(store), std::move(stem), ".nc", options, std::move(lock)), kind_(kind) {}

namespace {

Status check_not_compressed(const Schema& schema) {
  for (const Field& field : schema.fields()) {
    if (!asks_for_compression(field)) continue;
    return error(Code::kInvalidArgument,
                 "field '{}': compression {}: CDF files cannot be compressed; set compression=none, or write "
                 "format=netcdf4, or format=cdf5+idx, where the IDX dataset is compressed",
                 field.name, field.compression);
  }
  return {};
}

}  // namespace

std::string CdfWriter::storage_note() const {
  const auto& fields = schema_.fields();
  if (std::none_of(fields.begin(), fields.end(), asks_for_compression)) return {};
  return "compression: of the other half only; the CDF file is not compressed";
}

Status CdfWriter::define(const Schema& schema) {
  if (!kind_.is_one_of_two) ESKER_RETURN_IF_ERROR(check_not_compressed(schema));
  ESKER_RETURN_IF_ERROR(check_no_stored_bits(schema, "netCDF files"));
  schema_ = schema;
  if (kind_.version && *kind_.version != Version::kData64) {
    ESKER_ASSIGN_OR_RETURN(schema_, in_classic_types(schema));
  }
  FileParameters parameters;
  parameters.version = kind_.version;
  parameters.room.variable_alignment_bytes = parameters.room.record_alignment_bytes =
      options_.alignment_bytes;
  ESKER_ASSIGN_OR_RETURN(file_, make_file(schema_, parameters));
  header_bytes_ = print_header(file_.header);
  return {};
}

Status CdfWriter::stage(bool durable) {
  return stage_file(
      *store_, path_, [&](File& file) { return write_staged(file); }, durable);
}

/// Everything that precedes the first step.
Status CdfWriter::write_staged(File& file) {
  file_.header.num_records = 0;
  ESKER_RETURN_IF_ERROR(file.write_at(header_bytes_, 0));
  for (const StoredSchema::Coordinate& coordinate : file_.coordinates) {
    const Grid& grid = schema_.grids()[static_cast<std::size_t>(coordinate.grid)];
    ESKER_RETURN_IF_ERROR(file.write_at(netcdf::to_bytes(netcdf::coordinates_of(grid, coordinate.dim)),
                                        offset_of(file_.header, coordinate.variable, 0)));
  }
  for (std::size_t s = 0; s < file_.variable_of_scalar.size(); ++s) {
    auto value = netcdf::to_attribute("", schema_.scalars()[s].value).values;
    if (value.empty()) value.push_back(std::byte{0});  // of an empty text
    ESKER_RETURN_IF_ERROR(file.write_at(value, offset_of(file_.header, file_.variable_of_scalar[s], 0)));
  }
  return file.extend_to(file_bytes(file_.header, 0));
}

// The last byte of the file is written when all bytes before it have been written.
Result<std::string> CdfWriter::read_staged() {
  const auto file = store_->open(temporary_of(path_), OpenMode::kRead);
  if (!file.ok()) return std::string();
  auto existing = esker::cdf::read_existing(**file);
  return existing.ok() ? std::move(existing) : Result<std::string>(std::string());
}

Result<std::string> CdfWriter::read_existing() {
  ESKER_ASSIGN_OR_RETURN(const auto file, open_existing());
  auto existing = esker::cdf::read_existing(*file);
  if (!existing.ok()) return existing.status().with_context(path_);
  return existing;
}

Status CdfWriter::restore(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(text));
  schema_ = std::move(existing.schema);
  file_ = std::move(existing.file);
  header_bytes_ = std::move(existing.header_bytes);
  times_ = std::move(existing.times);
  return {};
}

/// Removes everything after the committed steps; no truncated step is visible.
Status CdfWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(static_cast<Index>(times_.size()), durable));
  return cut_off(file_bytes(file_.header, static_cast<Index>(times_.size())), durable);
}

Result<bool> CdfWriter::is_as_left(const File& file) const {
  std::vector<std::byte> found(header_bytes_.size());
  ESKER_RETURN_IF_ERROR(file.read_at(found, 0));
  std::vector<std::byte> expected = header_bytes_;
  put_num_records(expected, file_.header.num_records);
  if (found == expected) return true;
  if (!or_num_records_) return false;
  put_num_records(expected, *or_num_records_);
  return found == expected;
}

void CdfWriter::put_num_records(std::vector<std::byte>& header_bytes, Index num_records) const {
  const auto bytes = print_num_records(file_.header.version, num_records);
  std::copy(bytes.begin(), bytes.end(), header_bytes.begin() + kNumRecordsOffset);
}

std::unique_ptr<StepLayouts> CdfWriter::lay_out(const std::vector<bool>& present,
                                                const StepHints& hints) const {
  return std::make_unique<CdfStepLayouts>(file_, schema_, present, hints, path_);
}

/// A field that is not due still has space in the record.
Status CdfWriter::fill_absent(File& file, Index step, const std::vector<bool>& present) const {
  for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
    if (present[f] || schema_.fields()[f].fixed) continue;
    const int number = file_.variable_of_field[f];
    const Variable& variable = file_.header.variables[static_cast<std::size_t>(number)];
    ESKER_RETURN_IF_ERROR(write_fill(file, variable, offset_of(file_.header, number, step),
                                     file_.header.value_bytes(variable)));
  }
  return {};
}

/// After an error it may still have happened.
Status CdfWriter::write_num_records(File& file, Index num_records, bool durable) {
  or_num_records_ = num_records;
  ESKER_RETURN_IF_ERROR(
      file.write_at(print_num_records(file_.header.version, num_records), kNumRecordsOffset));
  if (durable) ESKER_RETURN_IF_ERROR(file.sync());
  file_.header.num_records = num_records;
  or_num_records_.reset();
  return {};
}

// The number of records is written after everything else has been written, or, with durable, has been synced.
Status CdfWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  const Index step = stored.step;
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(fill_absent(*file, step, stored.present));
  if (file_.time_variable >= 0) {
    ESKER_ASSIGN_OR_RETURN(const Numbers value, to_type(std::vector{stored.time}, schema_.time_type()));
    ESKER_RETURN_IF_ERROR(
        file->write_at(netcdf::to_bytes(value), offset_of(file_.header, file_.time_variable, step)));
  }
  ESKER_RETURN_IF_ERROR(file->extend_to(file_bytes(file_.header, step + 1)));
  if (durable) ESKER_RETURN_IF_ERROR(file->sync());
  ESKER_RETURN_IF_ERROR(write_num_records(*file, step + 1, durable));
  times_.resize(static_cast<std::size_t>(step));
  times_.push_back(stored.time);
  return file->close();
}

// The target is recorded first, so that reclaim() continues where this has failed.
Status CdfWriter::rewind(Index num_steps, bool durable) {
  times_.resize(static_cast<std::size_t>(num_steps));
  ESKER_RETURN_IF_ERROR(check_ours());
  if (file_.header.num_records == num_steps && !or_num_records_) return {};
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(write_num_records(*file, num_steps, durable));
  return file->close();
}

}  // namespace esker::cdf
