// Schema: what a dataset is made of - dimensions, grids, fields, attributes - before any sample.
//
// It is what NetCDF and xarray call a dataset. Writers build it call by call; readers return it.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/sample_type.hpp"
#include "esker/status.hpp"

namespace esker {

/// Handles are positions in the Schema's lists; a default-made handle is invalid.
struct DimId {
  int index = -1;
};
/// The same for grids.
struct GridId {
  int index = -1;
};
/// The same for fields.
struct FieldId {
  int index = -1;
};

/// A text, or one or more integers, or one or more reals.
using AttributeValue = std::variant<std::string, std::vector<Index>, std::vector<double>>;
/// In the order of their names.
using Attributes = std::map<std::string, AttributeValue>;

/// Whether every format and binding can carry the attribute: name and text are UTF-8 without NULs, the name
/// has 1 ... 256 bytes, a list holds a number at least. kInvalidArgument says what is wrong. Whoever fills
/// Attributes calls it.
ESKER_API Status check_attribute(const std::string& name, const AttributeValue& value);

/// A named axis, which grids may share.
struct Dimension {
  std::string name;
  Index size = 0;
  Attributes attributes = {};  ///< of its coordinates: units, standard_name ...
};

/// One or more dimensions, on which fields live.
struct Grid {
  std::string name;
  std::vector<int> dims;                              ///< positions in Schema::dims, fastest (x) first
  std::map<std::string, std::vector<double>> coords;  ///< dimension name -> one value per index
  Attributes attributes;
};

/// A variable on a grid.
struct Field {
  std::string name;
  int grid = 0;  ///< position in Schema::grids
  SampleType type = SampleType::kFloat32;
  int components = 1;  ///< values per sample, interleaved
  bool fixed = false;  ///< written once, not per step
  int every = 1;       ///< due at steps 0, every, 2*every ...
  Attributes attributes;

  /// Of all components.
  [[nodiscard]] Index sample_bytes() const { return Index{components} * size_bytes(type); }
};

/// Names are letters, digits, '_', '.' and '-', 1 ... 128 of them, not with a '.' in front, unique among
/// their kind. Errors are kInvalidArgument (kAlreadyExists for a name that is taken) and leave the schema as
/// it was.
class ESKER_API Schema {
 public:
  /// `size` >= 1.
  Result<DimId> add_dim(const std::string& name, Index size);
  /// `dims` fastest first, 1 ... kMaxRank of them, none twice; the number of samples fits 64 bits.
  Result<GridId> add_grid(const std::string& name, const std::vector<DimId>& dims);
  /// Field::grid must be the position of a grid of this schema; components and every are >= 1; the field's
  /// bytes fit 64 bits.
  Result<FieldId> add_field(Field field);
  /// `values` has one value per index of dimension `dim` of the grid.
  Status set_coords(GridId grid, const std::string& dim, std::vector<double> values);

  /// All of them, in the order of adding.
  [[nodiscard]] const std::vector<Dimension>& dims() const { return dims_; }
  [[nodiscard]] const std::vector<Grid>& grids() const { return grids_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// O(log n); nullptr if there is none.
  [[nodiscard]] const Dimension* find_dim(const std::string& name) const;
  [[nodiscard]] const Grid* find_grid(const std::string& name) const;
  [[nodiscard]] const Field* find_field(const std::string& name) const;

  /// Of the dataset.
  Attributes& attributes() { return attributes_; }
  [[nodiscard]] const Attributes& attributes() const { return attributes_; }
  /// Of the steps' times: units, calendar ...
  Attributes& time_attributes() { return time_attributes_; }
  [[nodiscard]] const Attributes& time_attributes() const { return time_attributes_; }
  /// Of a dimension, grid or field. kInvalidArgument for a handle that is not of this schema.
  Result<Attributes*> attributes_of(DimId dim);
  Result<Attributes*> attributes_of(GridId grid);
  Result<Attributes*> attributes_of(FieldId field);

  /// Number of the grid's axes.
  [[nodiscard]] int rank_of(const Grid& grid) const { return static_cast<int>(grid.dims.size()); }
  /// [0, size) per axis of the grid.
  [[nodiscard]] Box box_of(const Grid& grid) const;

 private:
  std::vector<Dimension> dims_;
  std::vector<Grid> grids_;
  std::vector<Field> fields_;
  std::map<std::string, int> dim_places_, grid_places_, field_places_;  ///< name -> position
  Attributes attributes_, time_attributes_;
};

}  // namespace esker
