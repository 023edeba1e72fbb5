#include "formats/idx/creation.h"

#include <algorithm>
#include <filesystem>

#include "base/macros.h"
#include "formats/idx/catalog.h"
#include "formats/idx/existing.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// Removes everything that the replaced dataset has left, except new files. A link in place of the directory
/// is kept, because the blocks are stored in its target.
Status remove_replaced(Store& store, const DatasetPaths& paths, bool single) {
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(paths.directory()));
  if (single) ESKER_RETURN_IF_ERROR(store.remove(paths.catalog()));  // it would take precedence over the .idx
  const std::string staged = temporary_of(paths.schema());
  for (const std::string& name : names) {
    const std::string path = paths.directory() + "/" + name;
    const bool is_new = path == paths.catalog() || (!single && path == staged);
    if (!is_new) ESKER_RETURN_IF_ERROR(store.remove_all(path));
  }
  if (single) {
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(paths.directory()));
    return names.empty() || is_link ? Status() : store.remove_all(paths.directory());
  }
  ESKER_RETURN_IF_ERROR(store.remove(temporary_of(paths.single_schema())));
  ESKER_RETURN_IF_ERROR(store.remove(paths.single_schema()));
  return store.remove(paths.single_idx());
}

bool same_parts(const Catalog& catalog, const std::vector<Part>& parts) {
  const auto same = [](const CatalogPart& listed, const Part& part) { return listed.name == part.name; };
  return std::equal(catalog.parts.begin(), catalog.parts.end(), parts.begin(), parts.end(), same);
}

/// Whether the stored catalog or .idx is of that schema, and lists no step.
bool is_new_dataset(Store& store, const DatasetPaths& paths, bool single, const std::string& schema) {
  const auto text = read_text(store, single ? paths.single_idx() : paths.catalog(),
                              single ? kMaxHeaderBytes : kMaxSidecarBytes);
  if (!text.ok()) return false;
  std::vector<std::string> texts{single ? "" : *text, schema};
  if (single) texts.insert(texts.end(), {name_of(paths.stem), *text});
  const auto existing = parse_existing(paths, texts, {});
  if (!existing.ok() || !existing->times.empty()) return false;
  if (single) return true;
  const auto catalog = parse_catalog(*text);
  return catalog.ok() && same_parts(*catalog, existing->parts);
}

}  // namespace

Status stage_schema(Store& store, const DatasetPaths& paths, bool single, const std::string& text,
                    bool durable) {
  return stage_file(store, paths.schema_of(single), text, durable);
}

Status finish_creation(Store& store, const DatasetPaths& paths, bool single, bool durable) {
  ESKER_RETURN_IF_ERROR(remove_replaced(store, paths, single));
  ESKER_RETURN_IF_ERROR(store.remove(paths.merge_journal()));
  return publish_file(store, paths.schema_of(single), durable);
}

// If the old dataset had no steps, either, it is still replaced, as requested.
Result<bool> is_unfinished(Store& store, const DatasetPaths& paths, bool single) {
  const std::string staged = temporary_of(paths.schema_of(single));
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(staged));
  if (!exists) return false;
  const auto text = read_text(store, staged, kMaxSidecarBytes);
  if (!text.ok()) return false;
  const auto schema = parse_schema(*text);
  if (!schema.ok() || (single && !is_single(*schema))) return false;
  return is_new_dataset(store, paths, single, *text);
}

Result<bool> is_barely_begun(Store& store, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(paths.directory()));
  if (!is_directory) return false;
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(paths.directory()));
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == name_of(temporary_of(paths.catalog())) || name == name_of(temporary_of(paths.schema()));
  });
}

}  // namespace esker::idx
