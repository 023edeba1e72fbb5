#include "format/hdf5/existing.h"

#include <cstring>
#include <span>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/cdf/existing.h"
#include "format/hdf5/attributes.h"
#include "format/hdf5/contents.h"
#include "format/hdf5/session.h"
#include "format/schema_json.h"

namespace esker::hdf5 {
namespace {

std::string text_of(const void* values, std::size_t n_bytes) {
  return {static_cast<const char*>(values), n_bytes};
}

template <class T>
std::vector<T> values_of(const std::string& text) {
  std::vector<T> values(text.size() / sizeof(T));
  if (values.empty()) return values;  // its data() may be null
  std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
  return values;
}

/// All of a variable of one dimension; kDataLoss unless it has so many.
Result<std::vector<double>> read_reals(hid_t file, const std::string& name, Index n) {
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name.c_str());
  const Handle space(H5Dget_space(dataset), name.c_str());
  const hssize_t found = H5Sget_simple_extent_npoints(space);
  if (found != n) return error(Code::kDataLoss, "'{}' has {} values, {} expected", name, found, n);
  std::vector<double> values(static_cast<std::size_t>(n));
  checked(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name.c_str());
  return values;
}

/// Of a field that is not fixed, x first.
Result<std::vector<Index>> read_chunk(hid_t file, const Field& field, int rank) {
  const Handle dataset(H5Dopen2(file, field.name.c_str(), H5P_DEFAULT), field.name.c_str());
  const Handle list(H5Dget_create_plist(dataset), field.name.c_str());
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int n = H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, extents.size(), extents.data()) : 0;
  const int expected = 1 + rank + (field.components > 1 ? 1 : 0);
  const bool is_as_written = n == expected && extents[0] == 1 &&
                             (field.components == 1 || extents[static_cast<std::size_t>(n - 1)] ==
                                                           static_cast<hsize_t>(field.components));
  if (!is_as_written) return error(Code::kDataLoss, "'{}' is not in chunks as Esker writes them", field.name);
  std::vector<Index> chunk;
  for (int a = rank; a > 0; --a) chunk.push_back(static_cast<Index>(extents[static_cast<std::size_t>(a)]));
  return chunk;
}

struct Found {
  Schema schema;
  cdf::CdfFile model;
};

/// kDataLoss: not what the outline says.
Result<Found> find(hid_t file, Index file_bytes) {
  const cdf::Header header = read_contents(file, file_bytes).header;
  Found found;
  ESKER_ASSIGN_OR_RETURN(found.schema, cdf::outline_of(header));
  ESKER_ASSIGN_OR_RETURN(found.model, cdf::find_file(found.schema, header));
  ESKER_RETURN_IF_ERROR(cdf::take_attributes(found.model, found.schema));
  for (const auto& coordinate : found.model.coordinates) {
    const Index n = found.schema.find_dim(coordinate.dim)->size;
    ESKER_ASSIGN_OR_RETURN(auto values, read_reals(file, coordinate.dim, n));
    ESKER_RETURN_IF_ERROR(found.schema.set_coords({coordinate.grid}, coordinate.dim, std::move(values)));
  }
  return found;
}

Result<std::string> read(hid_t file, Index file_bytes) {
  ESKER_ASSIGN_OR_RETURN(const Found found, find(file, file_bytes));
  ESKER_ASSIGN_OR_RETURN(const auto times, read_reals(file, "time", found.model.header.num_records));
  std::vector<Index> chunks;  // one after the other
  for (const Field& field : found.schema.fields()) {
    if (field.fixed) continue;
    const int rank = found.schema.rank_of(found.schema.grids()[static_cast<std::size_t>(field.grid)]);
    ESKER_ASSIGN_OR_RETURN(const auto chunk, read_chunk(file, field, rank));
    chunks.insert(chunks.end(), chunk.begin(), chunk.end());
  }
  const std::vector<int> storage = read_ints(file, kStorageAttribute);
  if (storage.size() != 2 || storage[0] < 1 || storage[1] < 1) {
    return error(Code::kDataLoss, "the attribute '{}' is missing or damaged", kStorageAttribute);
  }
  return pack_texts({print_schema(found.schema), text_of(times.data(), times.size() * sizeof(double)),
                     text_of(chunks.data(), chunks.size() * sizeof(Index)),
                     text_of(storage.data(), storage.size() * sizeof(int))});
}

}  // namespace

Result<bool> is_ours(Overlay& overlay) {
  const auto look = [&](VirtualFile& file) {
    return cdf::outline_of(read_contents(file.id, overlay.end_bytes()).header).status();
  };
  Status status = run_session(overlay, Access::kRead, look);
  if (status.code() == Code::kIoError) return status;
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
  existing.times = values_of<double>(texts.at(1));
  const auto chunks = values_of<Index>(texts.at(2));
  const auto storage = values_of<int>(texts.at(3));
  ESKER_ASSIGN_OR_RETURN(existing.file, describe_file(existing.schema, {storage[0], storage[1], {}}));
  existing.file.model.header.num_records = static_cast<Index>(existing.times.size());
  auto extent = chunks.begin();
  for (std::size_t f = 0; f < existing.schema.fields().size(); ++f) {
    const Field& field = existing.schema.fields()[f];
    if (field.fixed) continue;
    const int rank = existing.schema.rank_of(existing.schema.grids()[static_cast<std::size_t>(field.grid)]);
    for (int a = 0; a < rank; ++a) existing.file.storage.chunks[f].chunk[a] = *extent++;
  }
  return existing;
}

}  // namespace esker::hdf5
