#include "format/cdf/cdf_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "format/cdf/cdf_step_layouts.h"
#include "format/cdf/existing.h"
#include "format/cdf/fill.h"
#include "store/commit.h"

namespace esker::cdf {
namespace {

/// "run" of "dir/run.nc", and of "dir/run".
std::string stem_of(const std::string& path) {
  const std::filesystem::path whole(path);
  return whole.extension() == ".nc" ? (whole.parent_path() / whole.stem()).string() : path;
}

std::vector<std::byte> big_endian(std::span<const double> values) {
  std::vector<std::byte> bytes(values.size_bytes());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  swap_bytes(bytes, sizeof(double));
  return bytes;
}

/// Of the option `format`; nothing for "cdf": the smallest.
std::optional<Version> version_of(const std::string& format) {
  if (format == "cdf1") return Version::kClassic;
  if (format == "cdf2") return Version::kOffset64;
  if (format == "cdf5") return Version::kData64;
  return std::nullopt;
}

}  // namespace

CdfWriter::CdfWriter(std::shared_ptr<Store> store, const std::string& path, const Options& options)
    : store_(std::move(store)), stem_(stem_of(path)), path_(stem_ + ".nc"), options_(options) {}

Status CdfWriter::check_target() {
  const std::string parent = std::filesystem::path(stem_).parent_path().string();
  ESKER_RETURN_IF_ERROR(make_directories(*store_, parent, options_.fsync != Fsync::kNone));
  ESKER_ASSIGN_OR_RETURN(lock_, WriterLock::acquire(store_, stem_ + ".esker-lock"));
  ESKER_ASSIGN_OR_RETURN(replaces_existing_, store_->exists(path_));
  if (!replaces_existing_ || options_.overwrite) return {};
  return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite", path_);
}

Status CdfWriter::define(const Schema& schema) {
  schema_ = schema;
  FileParameters parameters;
  parameters.version = version_of(options_.format);
  parameters.alignment_bytes = options_.alignment_bytes;
  ESKER_ASSIGN_OR_RETURN(file_, make_file(schema_, parameters));
  return {};
}

// What it replaces is there until the new file is whole.
Status CdfWriter::create(bool durable) {
  const std::string temporary = temporary_of(path_);
  ESKER_RETURN_IF_ERROR(store_->remove(temporary));
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(temporary, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(file->write_at(print_header(file_.header), 0));
  for (const CdfFile::Coordinate& coordinate : file_.coordinates) {
    const Grid& grid = schema_.grids()[static_cast<std::size_t>(coordinate.grid)];
    ESKER_RETURN_IF_ERROR(
        file->write_at(big_endian(grid.coords.at(coordinate.dim)), file_.offset_of(coordinate.variable, 0)));
  }
  ESKER_RETURN_IF_ERROR(file->extend_to(file_.file_bytes(0)));
  if (durable) ESKER_RETURN_IF_ERROR(file->sync());
  ESKER_RETURN_IF_ERROR(file->close());
  ESKER_RETURN_IF_ERROR(store_->rename(temporary, path_));
  const std::string parent = std::filesystem::path(path_).parent_path().string();
  return durable ? store_->sync_directory(parent.empty() ? "." : parent) : Status();
}

Result<std::string> CdfWriter::read_existing() {
  ESKER_ASSIGN_OR_RETURN(lock_, WriterLock::acquire(store_, stem_ + ".esker-lock"));
  const auto file = store_->open(path_, OpenMode::kRead);
  if (!file.ok()) return file.status().with_context("no dataset to append to");
  auto existing = esker::cdf::read_existing(**file);
  if (!existing.ok()) return existing.status().with_context(path_);
  return existing;
}

Status CdfWriter::restore(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(text));
  schema_ = std::move(existing.schema);
  file_ = std::move(existing.file);
  times_ = std::move(existing.times);
  return {};
}

/// Behind the committed steps there is nothing.
Status CdfWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(file->shrink_to(file_.file_bytes(static_cast<Index>(times_.size()))));
  if (durable) ESKER_RETURN_IF_ERROR(file->sync());
  return file->close();
}

Status CdfWriter::check_ours() {
  if (!lock_) return error(Code::kWrongOrder, "{} is not locked by this writer", path_);
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  const std::vector<std::byte> expected = print_header(file_.header);
  std::vector<std::byte> found(expected.size());
  ESKER_RETURN_IF_ERROR(file->read_at(found, 0));
  if (found == expected) return {};
  return error(Code::kDataLoss, "{} is not what this writer left there: another program changed it", path_);
}

std::unique_ptr<StepLayouts> CdfWriter::lay_out(const std::vector<bool>& present) const {
  return std::make_unique<CdfStepLayouts>(file_, schema_, present, path_);
}

/// A field that is not due has a place in the record all the same.
Status CdfWriter::fill_absent(File& file, Index step, const std::vector<bool>& present) const {
  for (std::size_t f = 0; f < present.size(); ++f) {
    if (present[f] || schema_.fields()[f].fixed) continue;
    const int number = file_.variable_of_field[f];
    const Variable& variable = file_.header.variables[static_cast<std::size_t>(number)];
    ESKER_RETURN_IF_ERROR(
        write_fill(file, variable, file_.offset_of(number, step), file_.header.value_bytes(variable)));
  }
  return {};
}

Status CdfWriter::write_num_records(File& file, Index num_records, bool durable) {
  if (file_.time_variable < 0) return {};
  ESKER_RETURN_IF_ERROR(
      file.write_at(print_num_records(file_.header.version, num_records), kNumRecordsOffset));
  file_.header.num_records = num_records;
  return durable ? file.sync() : Status();
}

// The number of records is written when all else is on its way to the device: durably, when it is there.
Status CdfWriter::commit(Index step, double time, const std::vector<bool>& present, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(fill_absent(*file, step, present));
  if (file_.time_variable >= 0) {
    const Index offset = file_.offset_of(file_.time_variable, step);
    ESKER_RETURN_IF_ERROR(file->write_at(big_endian(std::span(&time, 1)), offset));
  }
  ESKER_RETURN_IF_ERROR(file->extend_to(file_.file_bytes(step + 1)));
  if (durable) ESKER_RETURN_IF_ERROR(file->sync());
  ESKER_RETURN_IF_ERROR(write_num_records(*file, step + 1, durable));
  ESKER_RETURN_IF_ERROR(file->close());
  times_.push_back(time);
  return {};
}

Status CdfWriter::rewind(Index num_steps, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  times_.resize(static_cast<std::size_t>(std::min(num_steps, static_cast<Index>(times_.size()))));
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(write_num_records(*file, static_cast<Index>(times_.size()), durable));
  return file->close();
}

Status CdfWriter::release() {
  if (!lock_) return {};
  return std::exchange(lock_, nullptr)->release();
}

}  // namespace esker::cdf
