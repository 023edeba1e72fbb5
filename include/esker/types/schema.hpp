// Schema: the dimensions, grids, fields and attributes of a dataset, without its samples.
// NetCDF and xarray call this a dataset's metadata. Writers build it call by call; readers return it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/mesh.hpp"
#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Handles are positions in the Schema's lists. A default-constructed handle is invalid.
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

/// A text whose bytes in the file are not valid text: with NULs, or in Latin-1. Writers store `bytes`
/// unchanged.
struct StoredText {
  std::string text;   ///< UTF-8 without NULs
  std::string bytes;  ///< as stored in the file
  bool operator==(const StoredText&) const = default;
};

/// Two or more texts. Formats and bindings without lists (CDF, C, Fortran) have one text, joined by newlines.
struct TextList {
  TextList() = default;
  ESKER_API explicit TextList(std::vector<std::string> list);
  std::vector<std::string> texts;  ///< UTF-8 without NULs
  std::string joined;              ///< by newlines
  bool operator==(const TextList&) const = default;
};

/// Numbers of one type, in the order of SampleType.
using Numbers = std::variant<std::vector<std::int8_t>, std::vector<std::uint8_t>, std::vector<std::int16_t>,
                             std::vector<std::uint16_t>, std::vector<std::int32_t>,
                             std::vector<std::uint32_t>, std::vector<std::int64_t>,
                             std::vector<std::uint64_t>, std::vector<float>, std::vector<double>>;

/// A text, a list of texts, or one or more numbers. Numbers keep their type in every format that supports it.
using AttributeValue =
    std::variant<std::string, std::vector<Index>, std::vector<double>, std::vector<std::int8_t>,
                 std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::uint16_t>,
                 std::vector<std::int32_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>,
                 std::vector<float>, StoredText, TextList>;
/// Attributes, ordered by name.
using Attributes = std::map<std::string, AttributeValue>;

/// Checks that every format and binding can represent the attribute: name and text are UTF-8 without NULs,
/// the name has 1 ... 256 bytes, a list is not empty. Error: kInvalidArgument. Call it before adding to
/// Attributes.
ESKER_API Status check_attribute(const std::string& name, const AttributeValue& value);

/// The text of an attribute, of a list the joined one; nullptr if it holds numbers.
ESKER_API const std::string* text_of(const AttributeValue& value);
/// The numbers of an attribute; an empty float64 list if it has texts.
ESKER_API Numbers numbers_of(const AttributeValue& value);
/// Converts numbers to an attribute value.
ESKER_API AttributeValue to_value(const Numbers& numbers);
/// Converts texts to an attribute value: a list of one text is that text, as in netCDF, and one of none is
/// "".
ESKER_API AttributeValue to_value(std::vector<std::string> texts);
/// The type of the numbers.
ESKER_API SampleType type_of(const Numbers& numbers);
/// Each number rounded to float64.
ESKER_API std::vector<double> to_reals(const Numbers& numbers);
/// The same numbers as values of `type`. Error kOutOfRange: `type` cannot represent one of them exactly.
/// (float64 to float32 rounds to the nearest value.)
ESKER_API Result<Numbers> to_type(const Numbers& numbers, SampleType type);

/// A named axis. Grids may share dimensions.
struct Dimension {
  std::string name;
  Index size = 0;
  Attributes attributes = {};  ///< of its coordinate variable: units, standard_name ...
  bool implicit = false;       ///< of size 1, for grids without axes; netCDF files have no such dimension
};

/// One or more dimensions on which fields are defined.
struct Grid {
  std::string name;
  std::vector<int> dims;                              ///< positions in Schema::dims, fastest (x) first
  std::map<std::string, std::vector<double>> coords;  ///< dimension name -> one value per index
  Attributes attributes;
  std::map<std::string, Numbers> typed_coords = {};  ///< exact values of those `coords` that are not float64
  std::optional<Mesh> mesh = {};  ///< whose finest level this grid is, with samples of coarser ones
};

/// A value without axes, given with the definitions: for example a grid mapping or a model constant.
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
  std::string compression = {};  ///< as the option of that name; empty: not set, the option holds
  /// Bits per sample that are stored, a power of two; 0: samples are stored as they are. See FieldOptions.
  int stored_bits = 0;

  /// Bytes of all components.
  [[nodiscard]] Index sample_bytes() const { return Index{components} * size_bytes(type); }
};

/// Names have 1 ... 128 characters (letters, digits, '_', '.' and '-'), do not start with '.', and are unique
/// among dimensions, grids or fields. Errors are kInvalidArgument (kAlreadyExists for a name that is taken)
/// and leave the schema unchanged.
class ESKER_API Schema {
 public:
  /// `size` >= 1.
  Result<DimId> add_dim(const std::string& name, Index size);
  /// The dimension of size 1 for grids without axes. A schema has at most one; add_grid() creates it.
  Result<DimId> add_implicit_dim(const std::string& name = "scalar");
  /// `dims`: fastest first, at most kMaxRank, no duplicates; the number of samples fits 64 bits. Without
  /// dimensions the grid has one sample, on an implicit dimension, and its fields are time series.
  Result<GridId> add_grid(const std::string& name, const std::vector<DimId>& dims);
  /// The grid of a mesh, and its dimensions: its axes, with the extents of the finest level. Errors: those of
  /// add_dim(), add_grid() and Mesh::check().
  Result<GridId> add_mesh(const std::string& name, const Mesh& mesh);
  /// The same on existing dimensions. Error kInvalidArgument, too, if they do not have the extents of the
  /// finest level. The samples of the finest level need not fit 64 bits.
  Result<GridId> add_mesh(const std::string& name, const std::vector<DimId>& dims, const Mesh& mesh);
  /// Sets Mesh::nested. Error kInvalidArgument: an invalid handle, or the grid is not that of a mesh.
  Status set_nested(GridId grid);
  /// Field::grid must be the position of a grid of this schema; components and every are >= 1; the field's
  /// bytes fit 64 bits, unless it is on a mesh. Field::compression is empty, or what the option `compression`
  /// takes. Field::stored_bits is 0, or 1, 2, 4 ... up to the bits of float32, float64, int32 or int64, on 2
  /// or 3 axes.
  Result<FieldId> add_field(Field field);
  /// `values` has one value per index of dimension `dim` of the grid.
  Status set_coords(GridId grid, const std::string& dim, std::vector<double> values);
  /// The same of any type.
  Status set_coords(GridId grid, const std::string& dim, Numbers values);
  /// The name must differ from all field names.
  Result<ScalarId> add_scalar(Scalar scalar);
  /// Sets Field::compression. Error kInvalidArgument: an invalid handle, or as for add_field().
  Status set_compression(FieldId field, const std::string& compression);
  /// Sets or removes (0) the stored bits of a field. Error kInvalidArgument: as for add_field().
  Status set_stored_bits(FieldId field, int bits);
  /// Sets the compression of the fields that have none. Error kInvalidArgument: as for add_field().
  Status set_default_compression(const std::string& compression);
  /// Name of the time dimension and variable in netCDF files, and the type of the times. With an empty name
  /// the dataset has only fixed fields, one step at time 0, and no time dimension.
  Status set_time(const std::string& name, SampleType type);

  /// All dimensions, grids and fields, in the order in which they were added.
  [[nodiscard]] const std::vector<Dimension>& dims() const { return dims_; }
  [[nodiscard]] const std::vector<Grid>& grids() const { return grids_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// Finds by name; nullptr if there is none. O(log n).
  [[nodiscard]] const Dimension* find_dim(const std::string& name) const;
  [[nodiscard]] const Grid* find_grid(const std::string& name) const;
  [[nodiscard]] const Field* find_field(const std::string& name) const;
  [[nodiscard]] const Scalar* find_scalar(const std::string& name) const;
  /// Values without axes, in the order in which they were added.
  [[nodiscard]] const std::vector<Scalar>& scalars() const { return scalars_; }
  /// "time" and float64 unless set_time() was called.
  [[nodiscard]] const std::string& time_name() const { return time_name_; }
  [[nodiscard]] SampleType time_type() const { return time_type_; }

  /// Attributes of the dataset.
  Attributes& attributes() { return attributes_; }
  [[nodiscard]] const Attributes& attributes() const { return attributes_; }
  /// Attributes of the time variable: units, calendar ...
  Attributes& time_attributes() { return time_attributes_; }
  [[nodiscard]] const Attributes& time_attributes() const { return time_attributes_; }
  /// Attributes of a dimension, grid, field or scalar. Error kInvalidArgument: an invalid handle.
  Result<Attributes*> attributes_of(DimId dim);
  Result<Attributes*> attributes_of(GridId grid);
  Result<Attributes*> attributes_of(FieldId field);
  Result<Attributes*> attributes_of(ScalarId scalar);

  /// The grid of a field of this schema.
  [[nodiscard]] const Grid& grid_of(const Field& field) const {
    return grids_[static_cast<std::size_t>(field.grid)];
  }
  /// Number of the grid's axes.
  [[nodiscard]] int rank_of(const Grid& grid) const { return static_cast<int>(grid.dims.size()); }
  /// [0, size) per axis of the grid.
  [[nodiscard]] Box box_of(const Grid& grid) const;
  /// Whether the grid has only the implicit axis.
  [[nodiscard]] bool has_no_axes(const Grid& grid) const;

 private:
  Result<Grid> make_grid(const std::string& name, const std::vector<DimId>& dims);

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
