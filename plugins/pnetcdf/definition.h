// The state of defining: how it ends, and what its functions check.
#pragma once

#include "open_file.h"

namespace esker::pnetcdf {

/// Collective: ends it, and fills new variables whose fill mode asks for it.
int end_definition(OpenFile& file, const cdf::FileRoom& room);

/// Changes the header by `change(header)` in either state; while data are moved, it is written at once.
/// Collective in that state.
template <class Change>
int change_header(OpenFile& file, const Change& change) {
  if (file.file->is_defining()) {
    change(file.file->definition());
    return NC_NOERR;
  }
  if (const Status status = file.file->redefine(); !status.ok()) return code_of(status);
  change(file.file->definition());
  const Status status = file.file->end_definition(file.room);
  return status.ok() ? static_cast<int>(NC_NOERR) : code_of(status, file.file->mismatch());
}

/// NC_EBADNAME, NC_EMAXNAME: of a thing that exists, and of a new one.
int check_known_name(const char* name);
int check_new_name(const char* name);

/// NC_EBADTYPE; NC_ESTRICTCDF2: the version of the file does not have it.
int check_type(cdf::Version version, int type);
/// The most bytes of a variable, and values of a dimension.
Index largest_size(cdf::Version version);

/// The name as an argument that is compared; a missing one is an error anyway.
inline std::string text_of(const char* name) { return name == nullptr ? "" : name; }

/// -1: none has the name.
int find_dim(const cdf::Header& header, const std::string& name);
int find_variable(const cdf::Header& header, const std::string& name);

}  // namespace esker::pnetcdf
