#include "formats/zarr/creation.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/macros.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/small_values.h"
#include "store/commit.h"

namespace esker::zarr {
namespace {

/// The same files, below Paths::staged().
Paths staging(const Paths& paths) { return {paths.staged()}; }

Status write_file(Store& store, const std::string& path, std::span<const std::byte> bytes, bool durable) {
  return edit_file(
      store, path, [&](File& file) { return file.write_at(bytes, 0); }, durable);
}

Status stage_values(Store& store, const Paths& to, const Model& model, const Level& level, bool durable) {
  const Schema& schema = level.schema;
  const auto write = [&](int variable, std::span<const std::byte> bytes) {
    return write_file(store, to.file_of(model.array(level, variable), 0), bytes, durable);
  };
  for (const auto& coordinate : level.stored.coordinates) {
    const Array& array = model.array(level, coordinate.variable);
    const Numbers values =
        netcdf::coordinates_of(schema.grids()[static_cast<std::size_t>(coordinate.grid)], coordinate.dim);
    ESKER_RETURN_IF_ERROR(write(coordinate.variable, print_values(values, array.shape[0], array.fill)));
  }
  for (std::size_t s = 0; s < schema.scalars().size(); ++s) {
    const AttributeValue& value = schema.scalars()[s].value;
    const int number = level.stored.variable_of_scalar[s];
    const Array& array = model.array(level, number);
    const std::string* text = text_of(value);
    ESKER_RETURN_IF_ERROR(
        write(number, text ? print_text(*text) : print_values(numbers_of(value), 1, array.fill)));
  }
  return {};
}

/// The group, and those of its levels.
std::vector<Paths> groups_of(const Paths& paths, const Group& group) {
  std::vector<Paths> all{paths};
  for (const std::string& level : group.level_names()) all.push_back(paths.of_level(level));
  return all;
}

/// Removes what is not of the new group: all but the arrays that have their place already.
Status remove_replaced(Store& store, const Paths& paths, const Group& group) {
  std::set<std::string> kept;
  for (const Paths& one : groups_of(paths, group)) {
    kept.insert({one.directory, one.group(), temporary_of(one.group()), one.staged()});
  }
  for (const Array& array : group.arrays) {
    ESKER_ASSIGN_OR_RETURN(const bool is_staged, store.exists(staging(paths).metadata_of(array)));
    if (!is_staged) kept.insert(paths.of_array(array));
  }
  for (const Paths& one : groups_of(paths, group)) {
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(one.directory));
    if (is_link && one.directory != paths.directory) {  // what it leads to is not of the dataset
      ESKER_RETURN_IF_ERROR(store.remove(one.directory));
      continue;
    }
    ESKER_ASSIGN_OR_RETURN(const auto names, store.list(one.directory));
    for (const std::string& name : names) {
      const std::string path = one.directory + "/" + name;
      if (!kept.contains(path)) ESKER_RETURN_IF_ERROR(store.remove_all(path));
    }
  }
  return {};
}

/// The names of arrays and of their files.
Status sync_arrays(Store& store, const Paths& paths, const Group& group) {
  for (const Array& array : group.arrays) {
    for (const std::string& directory : {paths.files_of(array), paths.of_array(array)}) {
      ESKER_ASSIGN_OR_RETURN(const bool exists, store.is_directory(directory));
      if (exists) ESKER_RETURN_IF_ERROR(store.sync_directory(directory));
    }
  }
  for (const std::string& level : group.level_names()) {
    ESKER_RETURN_IF_ERROR(store.sync_directory(paths.of_level(level).directory));
  }
  return store.sync_directory(paths.directory);
}

Status move_if_there(Store& store, const std::string& from, const std::string& to) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(from));
  if (!exists) return {};
  ESKER_RETURN_IF_ERROR(make_directories(store, directory_of(to), false));
  return store.rename(from, to);
}

/// Moves the staged arrays to their places, as far as they still are staged: metadata first.
Status place_arrays(Store& store, const Paths& paths, const Group& group, bool durable) {
  for (const Array& array : group.arrays) {
    ESKER_RETURN_IF_ERROR(move_if_there(store, staging(paths).metadata_of(array), paths.metadata_of(array)));
    ESKER_RETURN_IF_ERROR(move_if_there(store, staging(paths).file_of(array, 0), paths.file_of(array, 0)));
  }
  for (const std::string& level : group.level_names()) {
    ESKER_RETURN_IF_ERROR(
        move_if_there(store, staging(paths).of_level(level).group(), paths.of_level(level).group()));
  }
  return durable ? sync_arrays(store, paths, group) : Status();
}

}  // namespace

Result<bool> is_begun(const Store& store, const Paths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool is_staging, store.is_directory(paths.staged()));
  if (is_staging) return true;
  return store.exists(temporary_of(paths.group()));
}

Status stage_group(Store& store, const Paths& paths, const Model& model, bool durable) {
  ESKER_RETURN_IF_ERROR(store.remove_all(paths.staged()));
  const Paths to = staging(paths);
  ESKER_RETURN_IF_ERROR(make_directories(store, to.directory, durable));
  for (const Array& array : model.group.arrays) {
    const std::string text = print_array(array);
    ESKER_RETURN_IF_ERROR(write_file(store, to.metadata_of(array), std::as_bytes(std::span(text)), durable));
  }
  for (const std::string& level : model.group.level_names()) {
    const std::string text = print_level(model.group, level);
    ESKER_RETURN_IF_ERROR(
        write_file(store, to.of_level(level).group(), std::as_bytes(std::span(text)), durable));
  }
  for (const Level& level : model.levels) {
    ESKER_RETURN_IF_ERROR(stage_values(store, to, model, level, durable));
  }
  if (durable) ESKER_RETURN_IF_ERROR(sync_arrays(store, to, model.group));
  ESKER_RETURN_IF_ERROR(stage_file(store, paths.group(), print_group(model.group), durable));
  ESKER_RETURN_IF_ERROR(write_file(store, paths.staged_mark(), {}, durable));
  if (!durable) return {};
  ESKER_RETURN_IF_ERROR(store.sync_directory(paths.staged()));
  return store.sync_directory(paths.directory);
}

Status publish_group(Store& store, const Paths& paths, const Group& group, bool replaces, bool durable) {
  if (replaces) {
    ESKER_RETURN_IF_ERROR(publish_file(store, paths.group(), durable));
    return finish_creation(store, paths, group, durable);
  }
  ESKER_RETURN_IF_ERROR(remove_replaced(store, paths, group));
  ESKER_RETURN_IF_ERROR(place_arrays(store, paths, group, durable));
  ESKER_RETURN_IF_ERROR(publish_file(store, paths.group(), durable));
  return store.remove_all(paths.staged());
}

Status finish_creation(Store& store, const Paths& paths, const Group& group, bool durable) {
  ESKER_ASSIGN_OR_RETURN(const bool is_staged, store.exists(paths.staged_mark()));
  ESKER_ASSIGN_OR_RETURN(const bool is_of_another, store.exists(temporary_of(paths.group())));
  if (!is_staged || is_of_another) {
    ESKER_RETURN_IF_ERROR(store.remove_all(paths.staged()));
    return store.remove(temporary_of(paths.group()));
  }
  ESKER_RETURN_IF_ERROR(remove_replaced(store, paths, group));
  ESKER_RETURN_IF_ERROR(place_arrays(store, paths, group, durable));
  return store.remove_all(paths.staged());
}

}  // namespace esker::zarr
