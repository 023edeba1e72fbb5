#include "formats/zarr/foreign_files.h"

#include <optional>
#include <string_view>

#include "base/checked.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker::zarr {
namespace {

class FileWalk {
 public:
  FileWalk(Store& store, const std::string& directory, const StoredForm& form, const VisitFile& visit)
      : store_(store), directory_(directory), form_(form), visit_(visit) {}

  Status run() {
    const std::size_t rank = form_.file.size();
    if (rank == 0) return visit_if_file({});
    if (form_.keys.separator == '.') return visit_names();
    return visit_below(directory_ + (form_.keys.has_prefix ? "/c" : ""), {});
  }

 private:
  /// A number on an axis that has so many files.
  [[nodiscard]] std::optional<Index> number_in(std::string_view text, std::size_t axis) const {
    const auto number = parse_integer(text);
    const Index count = div_up(form_.shape[axis], form_.file[axis]);
    if (!number || *number < 0 || *number >= count || std::to_string(*number) != text) return std::nullopt;
    return number;
  }

  Status visit_if_file(const std::vector<Index>& file) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(directory_ + key_of(form_.keys, file)));
    return exists ? visit_(file) : Status();
  }

  /// One directory per axis but the last.
  Status visit_below(const std::string& directory, const std::vector<Index>& before) {
    ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> names, store_.list(directory));
    for (const std::string& name : names) {
      const auto number = number_in(name, before.size());
      if (!number) continue;
      std::vector<Index> file = before;
      file.push_back(*number);
      const bool is_whole = file.size() == form_.file.size();
      ESKER_RETURN_IF_ERROR(is_whole ? visit_if_file(file) : visit_below(directory + "/" + name, file));
    }
    return {};
  }

  /// All files are in one directory: "c.3.0.1" or "3.0.1".
  Status visit_names() {
    ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> names, store_.list(directory_));
    for (const std::string& name : names) {
      const auto file = parse(name);
      if (file) ESKER_RETURN_IF_ERROR(visit_if_file(*file));
    }
    return {};
  }

  [[nodiscard]] std::optional<std::vector<Index>> parse(std::string_view name) const {
    if (form_.keys.has_prefix && !name.starts_with("c.")) return std::nullopt;
    if (form_.keys.has_prefix) name.remove_prefix(2);
    std::vector<Index> file;
    while (file.size() < form_.file.size()) {
      const std::size_t end = name.find('.');
      const auto number = number_in(name.substr(0, end), file.size());
      if (!number) return std::nullopt;
      file.push_back(*number);
      name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
      if (end == std::string_view::npos) break;
    }
    const bool is_whole = name.empty() && file.size() == form_.file.size();
    return is_whole ? std::optional(file) : std::nullopt;
  }

  Store& store_;
  const std::string& directory_;
  const StoredForm& form_;
  const VisitFile& visit_;
};

}  // namespace

Status for_each_file(Store& store, const std::string& directory, const StoredForm& form,
                     const VisitFile& visit) {
  return FileWalk(store, directory, form, visit).run();
}

}  // namespace esker::zarr
