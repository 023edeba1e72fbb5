#include "formats/zarr/foreign_dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/model/foreign.h"
#include "formats/zarr/chunk_files.h"
#include "formats/zarr/foreign_files.h"
#include "formats/zarr/foreign_header.h"
#include "formats/zarr/foreign_values.h"
#include "read/chunk_reader.h"

namespace esker::zarr {
namespace {

constexpr Index kCacheBytes = Index{64} << 20;
constexpr std::size_t kMostNamed = 8;  // groups in a message

std::string names_of_groups(const ForeignGroup& group) {
  std::vector<std::string> names;
  for (const std::string& name : group.groups) {
    if (names.size() < kMostNamed) names.push_back("'" + excerpt(name) + "'");
  }
  return fmt::format("{}{}", fmt::join(names, ", "), names.size() < group.groups.size() ? " ..." : "");
}

Status check_arrays(const ForeignGroup& group) {
  if (!group.arrays.empty()) return {};
  if (group.groups.empty())
    return error(Code::kDataLoss, "{}: the Zarr group has no arrays", group.directory);
  return error(Code::kDataLoss, "{}: the Zarr group has no arrays, only groups ({}): open one of them, {}/{}",
               group.directory, names_of_groups(group), group.directory, group.groups.front());
}

/// Of the arrays that are texts; one that cannot be read is left out.
std::vector<std::string> texts_of(const ForeignValues& values, ForeignGroup& group) {
  std::vector<std::string> texts;
  for (ForeignArray& array : group.arrays) {
    if (!array.is_text || !array.unsupported.empty()) continue;
    auto text = values.text_of(array);
    if (text.ok()) texts.push_back(*std::move(text));
    if (!text.ok()) array.unsupported = text.status().message();
  }
  return texts;
}

}  // namespace

Result<ForeignDataset> ForeignDataset::open(const std::shared_ptr<Store>& store, const std::string& path) {
  ForeignDataset dataset(store, path);
  ESKER_ASSIGN_OR_RETURN(dataset.group_, read_foreign_group(*store, path));
  ForeignGroup& group = dataset.group_;
  ESKER_RETURN_IF_ERROR(check_arrays(group));
  if (!group.groups.empty())
    dataset.warnings.push_back(
        fmt::format("the groups {} in the group are not read: open {}/{} for the first of them",
                    names_of_groups(group), path, group.groups.front()));
  ForeignValues values(*store, group);
  const std::vector<std::string> texts = texts_of(values, group);
  const netcdf::Header header = header_of(group, texts, dataset.warnings);
  const netcdf::ReadValues read = [&](int variable, Index step) {
    return values.read(header, variable, step);
  };
  auto found = netcdf::read_foreign(header, read, dataset.warnings);
  if (!found.ok()) return found.status().with_context(path);
  dataset.schema = std::move(found->schema);
  dataset.times = std::move(found->times);
  dataset.warnings.insert(dataset.warnings.end(), found->warnings.begin(), found->warnings.end());
  for (const int variable : found->file.variable_of_field) {
    dataset.array_of_field_.push_back(static_cast<std::size_t>(variable));
  }
  dataset.cache_ = std::make_unique<BlockCache>(kCacheBytes);
  ESKER_RETURN_IF_ERROR(dataset.list_parts());
  return dataset;
}

bool ForeignDataset::has(int field, Index step) const {
  return field_at(field).fixed || step < array_of(field).form.shape.front();
}

Status ForeignDataset::read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                                    ReadCounters& counters) const {
  const ForeignArray& array = array_of(field);
  const bool is_fixed = field_at(field).fixed;
  ChunkFiles files(*store_, group_.directory_of(array), array.form, num_axes_of(field), is_fixed ? -1 : step,
                   counters);
  if (!is_fixed && array.form.chunk.front() > 1)
    files.keep_in(*cache_, static_cast<int>(array_of_field_[static_cast<std::size_t>(field)]));
  const ChunkedArray grid{box(field).hi, files.chunk_extent(), files.sample_bytes()};
  const auto read = [&](const Point& chunk, const Lattice& part, std::byte* to) {
    return files.read(chunk, part, to);
  };
  return read_chunks(grid, samples, read, out);
}

ReadUnit ForeignDataset::read_unit(int field, int level) const {
  const StoredForm& form = array_of(field).form;
  const std::size_t first = field_at(field).fixed ? 0 : 1;
  const int rank = num_axes_of(field);
  Point chunk{1, 1, 1, 1, 1};
  for (int a = 0; a < rank; ++a) chunk[a] = form.chunk[first + static_cast<std::size_t>(rank - 1 - a)];
  return unit_of_chunks(field, level, chunk, form.chain.is_plain());
}

Result<StorageInfo> ForeignDataset::storage() const {
  StorageInfo info{group_.metadata_files, group_.metadata_bytes};
  for (const ForeignArray& array : group_.arrays) {
    if (!array.unsupported.empty()) continue;
    const std::string directory = group_.directory_of(array);
    ESKER_RETURN_IF_ERROR(for_each_file(*store_, directory, array.form, [&](const auto& file) -> Status {
      ESKER_ASSIGN_OR_RETURN(const auto opened,
                             store_->open(directory + key_of(array.form.keys, file), OpenMode::kRead));
      ESKER_ASSIGN_OR_RETURN(const Index bytes, opened->size_bytes());
      ++info.files;
      info.bytes += bytes;
      return {};
    }));
  }
  return info;
}

Status ForeignDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  Findings findings(report);
  report.files = group_.metadata_files;
  report.bytes = group_.metadata_bytes;
  ReadCounters counters;
  for (std::size_t n = 0; n < group_.arrays.size(); ++n) {
    const ForeignArray& array = group_.arrays[n];
    if (!array.unsupported.empty()) continue;
    const std::string directory = group_.directory_of(array);
    ChunkFiles files(*store_, directory, array.form, 0, -1, counters);
    ESKER_RETURN_IF_ERROR(for_each_file(*store_, directory, array.form, [&](const auto& file) -> Status {
      const auto bytes = array.is_text ? ForeignValues(*store_, group_).check_text(array) : files.check(file);
      if (!bytes.ok()) findings.error(path_, bytes.status());
      ++report.files;
      report.bytes += bytes.ok() ? *bytes : 0;
      return {};
    }));
    if (progress) progress(static_cast<double>(n + 1) / static_cast<double>(group_.arrays.size()));
  }
  return {};
}

}  // namespace esker::zarr
