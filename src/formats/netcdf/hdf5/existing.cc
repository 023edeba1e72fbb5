#include "formats/netcdf/hdf5/existing.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/macros.h"
#include "base/pack_values.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/hdf5/contents.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/filters.h"
#include "formats/netcdf/hdf5/journal.h"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/variable_values.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/outline.h"
#include "model/field_facts.h"

namespace esker::hdf5 {
namespace {

/// Shape of the chunks of a field, x first; empty for a contiguous field.
Result<std::vector<Index>> read_chunk(hid_t file, const std::string& path, const Field& field, int rank) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), field.name.c_str());
  const Handle list(H5Dget_create_plist(dataset), field.name.c_str());
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int n = H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, extents.size(), extents.data()) : 0;
  if (n == 0 && field.fixed) return std::vector<Index>();
  const int before = field.fixed ? 0 : 1;  // axes
  const int expected = before + rank + (field.components > 1 ? 1 : 0);
  const bool is_as_written = n == expected && (field.fixed || extents[0] == 1) &&
                             (field.components == 1 || extents[static_cast<std::size_t>(n - 1)] ==
                                                           static_cast<hsize_t>(field.components));
  if (!is_as_written)
    return error(Code::kDataLoss, "'{}' does not have chunks as Esker writes them", field.name);
  std::vector<Index> chunk;
  for (int a = before + rank; a-- > before;) {
    chunk.push_back(static_cast<Index>(extents[static_cast<std::size_t>(a)]));
  }
  return chunk;
}

/// kDataLoss: another program has changed the storage of a field.
Status check_filters(hid_t file, const Existing& existing) {
  for (std::size_t f = 0; f < existing.schema.fields().size(); ++f) {
    const std::string& name = existing.schema.fields()[f].name;
    const std::string path = path_of(existing.file.model.header, existing.file.variable_of(f));
    const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), name.c_str());
    const Handle list(H5Dget_create_plist(dataset), name.c_str());
    const CodecSpec& codec = existing.file.storage.codecs[f];
    if (has_filters(list, filters_of(codec, chunk_of(existing.schema, existing.file.storage, f)))) continue;
    return error(Code::kDataLoss, "'{}' does not have the filters of compression {}", name,
                 option_text(codec));
  }
  return {};
}

/// kDataLoss: differs from the outline.
Result<netcdf::Existing> find(hid_t file, Index file_bytes) {
  const Contents contents = read_contents(file, file_bytes);
  VariableValues values(file, file_bytes, contents);
  const netcdf::ReadValues read_values = [&](int variable, Index step) { return values(variable, step); };
  std::vector<std::string> warnings;
  ESKER_ASSIGN_OR_RETURN(netcdf::Existing found, netcdf::read_ours(contents.header, read_values, warnings));
  if (found.file.time_variable >= 0) {
    const auto& times = contents.variables[static_cast<std::size_t>(found.file.time_variable)];
    const Index n = found.file.header.num_records;
    if (times.extents.at(0) != n) {
      return error(Code::kDataLoss, "'{}' has {} values, expected {}", times.path, times.extents[0], n);
    }
  }
  return found;
}

Result<std::vector<int>> read_storage(hid_t file) {
  std::vector<int> storage = read_ints(file, kStorageAttribute);
  if (storage.size() < 2 || storage[0] < 1 || storage[1] < 1) {
    return error(Code::kDataLoss, "the attribute '{}' is missing or damaged", kStorageAttribute);
  }
  return storage;
}

Result<std::string> read(hid_t file, Index file_bytes) {
  ESKER_ASSIGN_OR_RETURN(const netcdf::Existing found, find(file, file_bytes));
  std::vector<Index> chunks;  // one after the other
  for (std::size_t f = 0; f < found.schema.fields().size(); ++f) {
    const Field& field = found.schema.fields()[f];
    const auto variable = static_cast<std::size_t>(found.file.variable_of_field[f]);
    const std::string path = path_of(found.file.header, found.file.header.variables[variable]);
    const int rank = num_axes(found.schema, field);
    ESKER_ASSIGN_OR_RETURN(const auto chunk, read_chunk(file, path, field, rank));
    chunks.insert(chunks.end(), chunk.begin(), chunk.end());
  }
  ESKER_ASSIGN_OR_RETURN(const std::vector<int> storage, read_storage(file));
  std::string text = pack_texts(
      {print_schema(found.schema), pack_values(found.times), pack_values(chunks), pack_values(storage)});
  ESKER_ASSIGN_OR_RETURN(const Existing existing, parse_existing(text));
  ESKER_RETURN_IF_ERROR(check_filters(file, existing));
  return text;
}

}  // namespace

Result<bool> is_ours(Store& store, const std::string& path, const File& stored) {
  ESKER_ASSIGN_OR_RETURN(const auto journal, read_journal(store, path));
  ESKER_ASSIGN_OR_RETURN(Overlay overlay, overlay_of(stored, journal));
  const auto look = [&](VirtualFile& file) {
    const netcdf::Header header = read_contents(file.id, overlay.end_bytes()).header;
    return netcdf::outline_of(header, netcdf::no_values(header)).status();
  };
  Status status = run_session(overlay, Access::kRead, look);
  if (status.code() == Code::kIoError || status.code() == Code::kOutOfMemory) return status;
  return status.ok();
}

Result<std::string> read_existing(Overlay& overlay) {
  std::string text;
  ESKER_RETURN_IF_ERROR(run_session(overlay, Access::kRead, [&](VirtualFile& file) -> Status {
    ESKER_ASSIGN_OR_RETURN(text, read(file.id, overlay.end_bytes()));
    return {};
  }));
  return text;
}

Result<Existing> parse_existing(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  Existing existing;
  ESKER_ASSIGN_OR_RETURN(existing.schema, parse_schema(texts.at(0)));
  existing.times = unpack_values<double>(texts.at(1));
  const auto chunks = unpack_values<Index>(texts.at(2));
  const auto storage = unpack_values<int>(texts.at(3));
  ESKER_ASSIGN_OR_RETURN(existing.file, describe_file(existing.schema, {storage[0], storage[1], {}}));
  existing.file.model.header.num_records = static_cast<Index>(existing.times.size());
  auto extent = chunks.begin();
  for (std::size_t f = 0; f < existing.schema.fields().size(); ++f) {
    const Field& field = existing.schema.fields()[f];
    if (is_contiguous(existing.schema, existing.file.storage, f)) continue;
    const int rank = num_axes(existing.schema, field);
    if (chunks.end() - extent < rank)
      return error(Code::kDataLoss, "'{}' does not have chunks as Esker writes them", field.name);
    for (int a = 0; a < rank; ++a) existing.file.storage.chunks[f].chunk[a] = *extent++;
  }
  return existing;
}

Result<bool> has_parts(Overlay& overlay) {
  bool found = false;
  ESKER_RETURN_IF_ERROR(run_session(overlay, Access::kRead, [&](VirtualFile& file) {
    const Contents contents = read_contents(file.id, overlay.end_bytes());
    found = std::any_of(contents.variables.begin(), contents.variables.end(),
                        [](const StoredVariable& variable) { return variable.is_virtual; });
    return Status();
  }));
  return found;
}

Result<std::string> read_existing_virtual(Overlay& overlay) {
  std::string text;
  ESKER_RETURN_IF_ERROR(run_session(overlay, Access::kRead, [&](VirtualFile& file) -> Status {
    ESKER_ASSIGN_OR_RETURN(const netcdf::Existing found, find(file.id, overlay.end_bytes()));
    ESKER_ASSIGN_OR_RETURN(const std::vector<int> storage, read_storage(file.id));
    const Handle root(H5Gopen2(file.id, "/", H5P_DEFAULT), "group");
    text = pack_texts({print_schema(found.schema), pack_values(found.times), pack_values(storage),
                       text_attribute(root, kPartsAttribute)});
    return {};
  }));
  return text;
}

Result<ExistingVirtual> parse_existing_virtual(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  ESKER_ASSIGN_OR_RETURN(Schema schema, parse_schema(texts.at(0)));
  const auto storage = unpack_values<int>(texts.at(2));
  ESKER_ASSIGN_OR_RETURN(Netcdf4File file, describe_file(schema, {storage.at(0), storage.at(1), {}}));
  auto times = unpack_values<double>(texts.at(1));
  file.model.header.num_records = static_cast<Index>(times.size());
  return ExistingVirtual{std::move(schema), std::move(file), std::move(times), texts.at(3)};
}

}  // namespace esker::hdf5
