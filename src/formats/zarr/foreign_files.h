// Finds the files that an array of another program has; chunks may be missing, so they are listed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/zarr/stored_form.h"
#include "store/store.h"

namespace esker::zarr {

/// The place of a file along the axes of its array, slowest first.
using VisitFile = std::function<Status(const std::vector<Index>& file)>;

/// Calls visit() for each file of the array that exists, in the order of their names; files with other names
/// are left alone. Ends with the first error. kUnsupported: the store cannot list files.
Status for_each_file(Store& store, const std::string& directory, const StoredForm& form,
                     const VisitFile& visit);

}  // namespace esker::zarr
