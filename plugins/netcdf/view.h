// View: a dataset at one level, as a file of netCDF's data model.
//
// Level and box are those of the field with the most samples. Fields on other grids have the same indices
// along dimensions that they share with it, and all indices along others, as with `esker convert`.
// Coordinates are those of the samples. Where two grids have different coordinates for one dimension, the
// second has a dimension with the name of its grid.
#pragma once

#include <cstddef>
#include <vector>

#include "esker/dataset.hpp"
#include "formats/netcdf/model/stored_schema.h"
#include "level_schema.h"
#include "slab.h"

namespace esker::netcdf_plugin {

class View {
 public:
  /// The errors of read_door(), of Dataset::open() and of select().
  static Result<View> open(const std::string& path);

  /// Dimensions, variables and attributes; its number of records is that of the steps.
  [[nodiscard]] const netcdf::Header& header() const { return file_.header; }
  /// The length of a dimension, also of the record dimension.
  [[nodiscard]] Index length(int dim) const;
  /// The first bytes of the file that was opened: kDoorMagic or kIdxMagic.
  [[nodiscard]] const char* magic() const { return magic_; }
  /// Samples of a variable in its type and the byte order of the host, densely into `out`. The slab is in the
  /// variable. Steps at which a field was not written have its fill value. Errors: those of Dataset::read().
  Status read(int variable, const Slab& slab, std::byte* out) const;

 private:
  View(Dataset dataset, const char* magic, std::vector<DimPart> parts)
      : dataset_(std::move(dataset)), magic_(magic), parts_(std::move(parts)) {}

  Status describe();
  Status read_field(const Field& field, int variable, const Slab& slab, std::byte* out) const;
  Status read_step(const Field& field, Index step, const Slab& slab, std::byte* out) const;

  Dataset dataset_;
  const char* magic_;
  std::vector<DimPart> parts_;  ///< [position in Schema::dims()]
  netcdf::StoredSchema file_;
  std::vector<const Field*> fields_;            ///< [variable]; null: its values are in `values_`
  std::vector<std::vector<std::byte>> values_;  ///< [variable] of coordinates, times and scalars
};

}  // namespace esker::netcdf_plugin
