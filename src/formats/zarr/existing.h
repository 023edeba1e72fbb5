// Reads what a group that Esker wrote contains, apart from the samples of fields.
#pragma once

#include <string>
#include <vector>

#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "store/store.h"

namespace esker::zarr {

struct Existing {
  Schema schema;
  Model model;
  std::vector<double> times;
  std::string text = {};  ///< of the group's zarr.json
  std::vector<std::string> warnings = {};
};

/// The content of the dataset. kNotFound, kDataLoss, kUnsupported, kIoError. `is_damaged`, if given, becomes
/// true after kDataLoss of a file with values: the group is Esker's, but not complete.
Result<Existing> read_existing(Store& store, const Paths& paths, bool* is_damaged = nullptr);
/// That of a new dataset whose group does not have its name yet (creation.h), without steps.
Result<Existing> read_staged(Store& store, const Paths& paths);

/// The same as a text, and back, on any rank. Pure.
std::string print_existing(const Existing& existing);
Result<Existing> parse_existing(const std::string& text);

/// The suffix of the first half of the dataset whose second half is the group; empty: none, or no group.
Result<std::string> find_other_suffix(Store& store, const Paths& paths);

}  // namespace esker::zarr
