#include "formats/netcdf/hdf5/parts.h"

#include <limits>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/model/stored_schema.h"
#include "store/checksum.h"

namespace esker::hdf5 {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

/// The grid whose fields have the most bytes; -1 if no grid with fields has axes.
int largest_grid(const Schema& schema) {
  std::vector<double> bytes(schema.grids().size());
  for (const Field& field : schema.fields()) {
    const Grid& grid = schema.grid_of(field);
    if (schema.has_no_axes(grid)) continue;
    const auto samples = static_cast<double>(schema.box_of(grid).num_samples());
    bytes[static_cast<std::size_t>(field.grid)] += samples * static_cast<double>(field.sample_bytes());
  }
  int largest = -1;
  for (std::size_t g = 0; g < bytes.size(); ++g) {
    const double most = largest < 0 ? 0 : bytes[static_cast<std::size_t>(largest)];
    if (bytes[g] > most) largest = static_cast<int>(g);
  }
  return largest;
}

bool has_empty_box(const BrickDecomposition& boxes) {
  for (int axis = 0; axis < boxes.rank(); ++axis) {
    const std::vector<Index>& cuts = boxes.cuts(axis);
    for (std::size_t n = 1; n < cuts.size(); ++n) {
      if (cuts[n] <= cuts[n - 1]) return true;
    }
  }
  return false;
}

void write_cuts(JsonWriter& json, const BrickDecomposition& boxes) {
  json.key("cuts").array([&] {
    for (int axis = 0; axis < boxes.rank(); ++axis) json.numbers(Numbers(boxes.cuts(axis)));
  });
}

/// The values of a list at [lo, hi).
Numbers slice(const Numbers& numbers, Index lo, Index hi) {
  return std::visit(
      [&](const auto& list) {
        return Numbers(std::decay_t<decltype(list)>(list.begin() + lo, list.begin() + hi));
      },
      numbers);
}

/// Copies dimensions and grids to another schema, those of the divided grid on its box.
class GridCopier {
 public:
  GridCopier(const Schema& from, Schema& to) : from_(from), to_(to) {}

  /// The position of the copy of a grid. `box`: of the grid.
  Result<int> copy(int number, const Box& box) {
    const auto [known, is_new] = grids_.emplace(number, static_cast<int>(to_.grids().size()));
    if (!is_new) return known->second;
    const Grid& grid = from_.grids()[static_cast<std::size_t>(number)];
    std::vector<DimId> dims;
    for (std::size_t axis = 0; axis < grid.dims.size(); ++axis) {
      ESKER_ASSIGN_OR_RETURN(const DimId dim, copy_dim(grid.dims[axis], box.extent(static_cast<int>(axis))));
      dims.push_back(dim);
    }
    ESKER_ASSIGN_OR_RETURN(const GridId id, to_.add_grid(grid.name, dims));
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, to_.attributes_of(id));
    *attributes = grid.attributes;
    for (std::size_t axis = 0; axis < grid.dims.size(); ++axis) {
      const std::string& name = from_.dims()[static_cast<std::size_t>(grid.dims[axis])].name;
      if (grid.coords.count(name) == 0) continue;
      const auto a = static_cast<int>(axis);
      ESKER_RETURN_IF_ERROR(
          to_.set_coords(id, name, slice(netcdf::coordinates_of(grid, name), box.lo[a], box.hi[a])));
    }
    return id.index;
  }

 private:
  Result<DimId> copy_dim(int number, Index size) {
    const auto known = dims_.find(number);
    if (known != dims_.end()) return known->second;
    const Dimension& dim = from_.dims()[static_cast<std::size_t>(number)];
    ESKER_ASSIGN_OR_RETURN(const DimId id,
                           dim.implicit ? to_.add_implicit_dim(dim.name) : to_.add_dim(dim.name, size));
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, to_.attributes_of(id));
    *attributes = dim.attributes;
    dims_.emplace(number, id);
    return id;
  }

  const Schema& from_;
  Schema& to_;
  std::map<int, int> grids_;   // position of the copy, by position in `from`
  std::map<int, DimId> dims_;  // likewise
};

}  // namespace

Parts::Parts(const Schema& schema, int grid, BrickDecomposition boxes, std::string directory)
    : schema_(schema), grid_(grid), boxes_(std::move(boxes)), directory_(std::move(directory)) {
  for (std::size_t f = 0; f < schema_.fields().size(); ++f) has_rest_ = has_rest_ || !is_divided(f);
  std::map<Point, int> kinds;  // by extents; 0 for the file of the other grids
  for (int file = 0; file < num_files(); ++file) {
    const Point extents = is_partition(file) ? boxes_.box(file).extents() : Point{};
    const auto [known, is_new] = kinds.emplace(extents, num_kinds());
    if (is_new) first_of_kind_.push_back(file);
    kind_of_.push_back(known->second);
  }
}

Result<Parts> Parts::choose(const Schema& schema, Index n_partitions, const std::string& directory) {
  for (const Grid& grid : schema.grids()) {
    if (!grid.mesh) continue;
    return error(Code::kUnsupported,
                 "partition_index=local: the mesh '{}' cannot be divided among NetCDF-4 files; set "
                 "partitions=0, or format=vtkhdf",
                 grid.name);
  }
  const int grid = largest_grid(schema);
  if (grid < 0) {
    return error(Code::kInvalidArgument,
                 "partition_index=local: no field is on a grid with axes, which could be divided; set "
                 "partitions=0");
  }
  const Box box = schema.box_of(schema.grids()[static_cast<std::size_t>(grid)]);
  const bool fits = n_partitions <= std::numeric_limits<int>::max() - 1;
  auto boxes = BrickDecomposition::near_cubic(box.rank, box.hi, fits ? static_cast<int>(n_partitions) : 1);
  if (!boxes.ok()) return boxes.status();
  if (!fits || has_empty_box(*boxes)) {
    return error(Code::kInvalidArgument,
                 "partitions={}: grid '{}' of {} samples cannot be cut into so many boxes with samples; set "
                 "fewer partitions",
                 n_partitions, schema.grids()[static_cast<std::size_t>(grid)].name, box.to_string());
  }
  return Parts(schema, grid, std::move(*boxes), directory);
}

std::string Parts::print() const { return print(true); }

std::string Parts::print(bool with_directory) const {
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(kFormat);
    if (with_directory) json.key("directory").text(directory_);
    json.key("grid").text(schema_.grids()[static_cast<std::size_t>(grid_)].name);
    write_cuts(json, boxes_);
  });
  return json.take();
}

Result<Parts> Parts::parse(const Schema& schema, const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder parsed, parse_json_object(text, kMostTextBytes));
  ESKER_RETURN_IF_ERROR(check_format(parsed.json, kFormat));
  ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(parsed.json, "grid"));
  ESKER_ASSIGN_OR_RETURN(auto cuts, get_lists_of_integers(parsed.json, "cuts"));
  ESKER_ASSIGN_OR_RETURN(std::string directory, get_text(parsed.json, "directory"));
  if (directory.empty() || directory.front() == '.' || directory.find('/') != std::string::npos) {
    return error(Code::kDataLoss, "{}: expected the name of a directory next to the file, found '{}'",
                 kPartsAttribute, excerpt(directory));
  }
  const Grid* grid = schema.find_grid(name);
  if (!grid || grid->mesh || schema.has_no_axes(*grid)) {
    return error(Code::kDataLoss, "{}: no grid '{}' that can be divided", kPartsAttribute, excerpt(name));
  }
  const Box box = schema.box_of(*grid);
  Index n_parts = 1;
  bool fits = std::ssize(cuts) == box.rank;
  for (int axis = 0; axis < box.rank && fits; ++axis) {
    const std::vector<Index>& of_axis = cuts[static_cast<std::size_t>(axis)];
    fits = of_axis.size() >= 2 && of_axis.front() == 0 && of_axis.back() == box.hi[axis];
    for (std::size_t n = 1; n < of_axis.size() && fits; ++n) fits = of_axis[n - 1] < of_axis[n];
    const Index on_axis = fits ? std::ssize(of_axis) - 1 : 1;
    fits = fits && on_axis < std::numeric_limits<int>::max() / n_parts;
    n_parts *= fits ? on_axis : 1;
  }
  if (!fits) {
    return error(Code::kDataLoss, "{}: the cuts do not divide grid '{}' of {}", kPartsAttribute, name,
                 box.to_string());
  }
  ESKER_ASSIGN_OR_RETURN(BrickDecomposition boxes, BrickDecomposition::from_cuts(std::move(cuts)));
  return Parts(schema, static_cast<int>(grid - schema.grids().data()), std::move(boxes),
               std::move(directory));
}

std::vector<std::size_t> Parts::fields_of(int file) const {
  std::vector<std::size_t> fields;
  for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
    if (is_divided(f) == is_partition(file)) fields.push_back(f);
  }
  return fields;
}

Result<Schema> Parts::schema_of(int file) const {
  Schema part;
  ESKER_RETURN_IF_ERROR(part.set_time(schema_.time_name(), schema_.time_type()));
  part.attributes() = schema_.attributes();
  part.attributes()[kPartAttribute] = note_of(file);
  part.time_attributes() = schema_.time_attributes();
  GridCopier grids(schema_, part);
  for (const std::size_t f : fields_of(file)) {
    Field field = schema_.fields()[f];
    const Box box = is_partition(file) ? boxes_.box(file) : schema_.box_of(schema_.grid_of(field));
    ESKER_ASSIGN_OR_RETURN(field.grid, grids.copy(field.grid, box));
    ESKER_RETURN_IF_ERROR(part.add_field(std::move(field)).status());
  }
  return part;
}

std::string Parts::note_of(int file) const {
  const std::string all = print_schema_outline(schema_) + print(false);
  const std::uint64_t sum = checksum(std::as_bytes(std::span(all)), 0);
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(kFormat);
    json.key("dataset").text(print_sum(sum));
    json.key("part").integer(file);
    json.key("parts").integer(num_files());
    if (!is_partition(file)) return;
    const Box box = boxes_.box(file);
    const auto corner = [&](const Point& of) {
      return std::vector<Index>(of.begin(), of.begin() + box.rank);
    };
    json.key("lo").numbers(Numbers(corner(box.lo)));
    json.key("hi").numbers(Numbers(corner(box.hi)));
  });
  return json.take();
}

Status Parts::check(int file, const Schema& found) const {
  const auto note = found.attributes().find(kPartAttribute);
  const std::string* text = note == found.attributes().end() ? nullptr : esker::text_of(note->second);
  const std::string expected = note_of(file);
  if (!text || *text != expected) {
    return error(
        Code::kDataLoss,
        "not part {} of {} of this dataset: expected the attribute {} to be {}, found {}; the file was "
        "replaced or exchanged: restore it from a copy",
        file, num_files(), kPartAttribute, expected, text ? excerpt(*text) : "none");
  }
  ESKER_ASSIGN_OR_RETURN(const Schema schema, schema_of(file));
  if (print_schema_outline(schema) == print_schema_outline(found)) return {};
  return error(Code::kDataLoss, "part {} of {} has other fields than the dataset", file, num_files());
}

}  // namespace esker::hdf5
