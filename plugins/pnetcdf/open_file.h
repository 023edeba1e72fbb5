// OpenFile: what the library knows of an open file, and the table of open files by number.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "buffer.h"
#include "codes.h"
#include "comm/comm.h"
#include "companion/companion.h"
#include "requests.h"
#include "shared_cdf/shared_file.h"

namespace esker::pnetcdf {

/// An argument of a call that all ranks make, as bytes, and the error if it differs.
struct Compared {
  std::string bytes;
  int code;
};
template <class T>
Compared compared(T value, int code) {
  return {std::string(reinterpret_cast<const char*>(&value), sizeof value), code};
}

struct OpenFile {
  std::shared_ptr<Comm> comm;
  std::unique_ptr<cdf::SharedFile> file;
  std::unique_ptr<Companion> companion;  ///< the dataset next to it; null: none
  std::string path;
  std::vector<std::pair<std::string, std::string>> hints;  ///< as the program gave them
  cdf::FileRoom room;                                      ///< as the hints ask for
  bool is_independent = false;                             ///< between begin_indep_data and end_indep_data
  bool is_safe = false;            ///< PNETCDF_SAFE_MODE: errors of arguments become those of all ranks
  bool has_strict_bounds = false;  ///< PNETCDF_RELAX_COORD_BOUND=0: no start at the end of an axis
  bool fills = false;              ///< fill mode of the file, for variables to come
  std::vector<char> variable_fills;
  std::size_t n_old_variables = 0;  ///< those that existed before the definition
  Requests requests;
  AttachedBuffer buffer;
  Index put_bytes = 0, get_bytes = 0;  ///< bytes of values, by this rank

  [[nodiscard]] const cdf::Header& header() const { return file->header(); }
  [[nodiscard]] bool has_variable(int id) const {
    return id >= 0 && static_cast<std::size_t>(id) < header().variables.size();
  }
  /// NC_EGLOBAL, NC_ENOTVAR.
  [[nodiscard]] int check_variable(int id) const {
    if (id == NC_GLOBAL) return NC_EGLOBAL;
    return has_variable(id) ? NC_NOERR : NC_ENOTVAR;
  }
  [[nodiscard]] const cdf::Variable& variable(int id) const {
    return header().variables[static_cast<std::size_t>(id)];
  }
  /// NC_EINDEFINE; NC_EINDEP, NC_ENOTINDEP: values are moved in the other way, together or alone.
  [[nodiscard]] int check_moving(bool all) const;
  /// Moves values to the file (`in`) or from it. Collective if `all`; `local` is an error of this rank's
  /// arguments, with which it takes part without values. An error of the dataset next to the file does not
  /// concern the values in the file.
  struct Moved {
    Status file, dataset;
    [[nodiscard]] const Status& first_error() const { return file.ok() ? dataset : file; }
  };
  Moved move(bool in, bool all, const Status& local, std::span<cdf::Access> accesses);
  /// Collective: the records are in the file, those before the last one or `all_records` also in the dataset.
  Status sync(bool all_records);
  /// Collective: closes the dataset and the file. `keeps`: else without records that are not in the file.
  Status close(bool keeps);
  /// What a function of the companion returned, after printing its messages, and on rank 0 its error. Local.
  Status told(Status status) const;

  /// Collective, only if is_safe: the lowest code of all ranks. Else this rank's.
  [[nodiscard]] int agreed(int code) const;
  /// The same, and arguments that have to be those of rank 0: the code of the first that differs on some
  /// rank.
  [[nodiscard]] int agreed(int code, const std::vector<Compared>& arguments) const;
};

/// NC_ENFILE: too many.
int add_open_file(std::unique_ptr<OpenFile> file, int* ncid);
/// Null: no such file is open.
OpenFile* find_open_file(int ncid);
std::unique_ptr<OpenFile> remove_open_file(int ncid);
std::vector<int> open_file_numbers();

/// Calls `use(file)`; NC_EBADID if there is no such file.
template <class Use>
int with_file(int ncid, const Use& use) noexcept {
  return guarded([&] {
    OpenFile* file = find_open_file(ncid);
    return file == nullptr ? static_cast<int>(NC_EBADID) : use(*file);
  });
}

/// Stores a result unless the caller does not want it.
template <class T, class V>
void give(T* result, V value) {
  if (result != nullptr) *result = static_cast<T>(value);
}

}  // namespace esker::pnetcdf
