// Schema: what a dataset is made of - dimensions, grids, fields, attributes - before any sample.
//
// It is what NetCDF and xarray call a dataset. Writers build it call by call; readers return it.
#pragma once

#include <cstdint>
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

/// The same for scalars.
struct ScalarId {
  int index = -1;
};

/// A text that a file holds as other bytes: with NULs, or in Latin-1. Writers store `bytes` again.
struct StoredText {
  std::string text;   ///< UTF-8 without NULs
  std::string bytes;  ///< as in the file
  bool operator==(const StoredText&) const = default;
};

/// Numbers of one type, in the order of SampleType.
using Numbers = std::variant<std::vector<std::int8_t>, std::vector<std::uint8_t>, std::vector<std::int16_t>,
                             std::vector<std::uint16_t>, std::vector<std::int32_t>,
                             std::vector<std::uint32_t>, std::vector<std::int64_t>,
                             std::vector<std::uint64_t>, std::vector<float>, std::vector<double>>;

/// A text, or one or more numbers, which keep their type in every format that has it.
using AttributeValue =
    std::variant<std::string, std::vector<Index>, std::vector<double>, std::vector<std::int8_t>,
                 std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::uint16_t>,
                 std::vector<std::int32_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>,
                 std::vector<float>, StoredText>;
/// In the order of their names.
using Attributes = std::map<std::string, AttributeValue>;

/// Whether every format and binding can carry the attribute: name and text are UTF-8 without NULs, the name
/// has 1 ... 256 bytes, a list holds a number at least. kInvalidArgument says what is wrong. Whoever fills
/// Attributes calls it.
ESKER_API Status check_attribute(const std::string& name, const AttributeValue& value);

/// The text of an attribute; nullptr if it holds numbers.
ESKER_API const std::string* text_of(const AttributeValue& value);
/// The numbers of an attribute; none, of type float64, if it is a text.
ESKER_API Numbers numbers_of(const AttributeValue& value);
/// Numbers as an attribute.
ESKER_API AttributeValue to_value(const Numbers& numbers);
/// Their type.
ESKER_API SampleType type_of(const Numbers& numbers);
/// The nearest float64 of each.
ESKER_API std::vector<double> to_reals(const Numbers& numbers);
/// The same numbers as values of `type`. kOutOfRange: `type` cannot hold one of them exactly; a float32
/// takes the nearest value of a float64.
ESKER_API Result<Numbers> to_type(const Numbers& numbers, SampleType type);

/// A named axis, which grids may share.
struct Dimension {
  std::string name;
  Index size = 0;
  Attributes attributes = {};  ///< of its coordinates: units, standard_name ...
  bool implicit = false;       ///< of size 1, for grids without axes; netCDF files have no such dimension
};

/// One or more dimensions, on which fields live.
struct Grid {
  std::string name;
  std::vector<int> dims;                              ///< positions in Schema::dims, fastest (x) first
  std::map<std::string, std::vector<double>> coords;  ///< dimension name -> one value per index
  Attributes attributes;
  std::map<std::string, Numbers> typed_coords = {};  ///< those of `coords` that are not float64, exactly
};

/// A value without axes that the definitions give: a grid mapping, a constant of the model.
struct Scalar {
  std::string name;
  AttributeValue value;  ///< one number, or a text
  Attributes attributes = {};
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
  /// The dimension of grids without axes, of size 1: there is one at most. add_grid() makes it.
  Result<DimId> add_implicit_dim(const std::string& name = "scalar");
  /// `dims` fastest first, at most kMaxRank of them, none twice; the number of samples fits 64 bits. With none,
  /// the grid has one sample, on a dimension that is implicit: its fields are time series.
  Result<GridId> add_grid(const std::string& name, const std::vector<DimId>& dims);
  /// Field::grid must be the position of a grid of this schema; components and every are >= 1; the field's
  /// bytes fit 64 bits.
  Result<FieldId> add_field(Field field);
  /// `values` has one value per index of dimension `dim` of the grid.
  Status set_coords(GridId grid, const std::string& dim, std::vector<double> values);
  /// The same of any type.
  Status set_coords(GridId grid, const std::string& dim, Numbers values);
  /// No field may have its name.
  Result<ScalarId> add_scalar(Scalar scalar);
  /// How netCDF files name the dimension of the steps and its variable, and the type of the times. An empty
  /// name: the dataset has fixed fields only, one step, at time 0, and no such dimension.
  Status set_time(const std::string& name, SampleType type);

  /// All of them, in the order of adding.
  [[nodiscard]] const std::vector<Dimension>& dims() const { return dims_; }
  [[nodiscard]] const std::vector<Grid>& grids() const { return grids_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// O(log n); nullptr if there is none.
  [[nodiscard]] const Dimension* find_dim(const std::string& name) const;
  [[nodiscard]] const Grid* find_grid(const std::string& name) const;
  [[nodiscard]] const Field* find_field(const std::string& name) const;
  [[nodiscard]] const Scalar* find_scalar(const std::string& name) const;
  /// Values without axes, in the order of adding.
  [[nodiscard]] const std::vector<Scalar>& scalars() const { return scalars_; }
  /// "time" and float64 unless set_time() was called.
  [[nodiscard]] const std::string& time_name() const { return time_name_; }
  [[nodiscard]] SampleType time_type() const { return time_type_; }

  /// Of the dataset.
  Attributes& attributes() { return attributes_; }
  [[nodiscard]] const Attributes& attributes() const { return attributes_; }
  /// Of the steps' times: units, calendar ...
  Attributes& time_attributes() { return time_attributes_; }
  [[nodiscard]] const Attributes& time_attributes() const { return time_attributes_; }
  /// Of a dimension, grid, field or scalar. kInvalidArgument for a handle that is not of this schema.
  Result<Attributes*> attributes_of(DimId dim);
  Result<Attributes*> attributes_of(GridId grid);
  Result<Attributes*> attributes_of(FieldId field);
  Result<Attributes*> attributes_of(ScalarId scalar);

  /// Number of the grid's axes.
  [[nodiscard]] int rank_of(const Grid& grid) const { return static_cast<int>(grid.dims.size()); }
  /// [0, size) per axis of the grid.
  [[nodiscard]] Box box_of(const Grid& grid) const;
  /// Whether the grid has no axes but the implicit one.
  [[nodiscard]] bool has_no_axes(const Grid& grid) const;

 private:

  std::vector<Dimension> dims_;
  std::vector<Grid> grids_;
  std::vector<Field> fields_;
  std::vector<Scalar> scalars_;
  std::map<std::string, int> dim_places_, grid_places_, field_places_, scalar_places_;  ///< name -> position
  Attributes attributes_, time_attributes_;
  std::string time_name_ = "time";
  SampleType time_type_ = SampleType::kFloat64;
};

}  // namespace esker
