#include "output.h"

#include <cstdint>
#include <map>

#include "esker/types/decomposition.hpp"
#include "reduce.h"

namespace pism {
namespace {

using miniapp::check_all;

/// kMapping as WKT 2, by which GDAL and QGIS place the fields on a map. No EPSG code has its central
/// meridian.
constexpr const char* kProjection =
    R"wkt(PROJCRS["SeaRISE Greenland",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",)wkt"
    R"wkt(ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]]],)wkt"
    R"wkt(PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]]],)wkt"
    R"wkt(CONVERSION["71 N, 39 W",METHOD["Polar Stereographic (variant B)",ID["EPSG",9829]],)wkt"
    R"wkt(PARAMETER["Latitude of standard parallel",71,ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",8832]],)wkt"
    R"wkt(PARAMETER["Longitude of origin",-39,ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",8833]],)wkt"
    R"wkt(PARAMETER["False easting",0,LENGTHUNIT["metre",1],ID["EPSG",8806]],)wkt"
    R"wkt(PARAMETER["False northing",0,LENGTHUNIT["metre",1],ID["EPSG",8807]]],CS[Cartesian,2],)wkt"
    R"wkt(AXIS["easting (X)",south,MERIDIAN[51,ANGLEUNIT["degree",0.0174532925199433]],ORDER[1],)wkt"
    R"wkt(LENGTHUNIT["metre",1]],)wkt"
    R"wkt(AXIS["northing (Y)",south,MERIDIAN[141,ANGLEUNIT["degree",0.0174532925199433]],ORDER[2],)wkt"
    R"wkt(LENGTHUNIT["metre",1]]])wkt";

esker::Writer create(const std::string& path, const esker::Communicator& comm,
                     const esker::Options& options) {
  auto writer = esker::Writer::create(path, comm, options);
  check_all(writer.status());
  return std::move(*writer);
}

/// Dimensions, grids and fields as Output::define makes them.
esker::Result<esker::Schema> schema_of(const Grid& grid, esker::SampleType type) {
  esker::Schema schema;
  const auto x = schema.add_dim("x", grid.Mx).value();
  const auto y = schema.add_dim("y", grid.My).value();
  const auto z = schema.add_dim("z", grid.Mz).value();
  const auto map = schema.add_grid("xy", {x, y}).value();
  const auto volume = schema.add_grid("xyz", {x, y, z}).value();
  for (const FieldSpec& spec : output_fields()) {
    const auto added =
        schema.add_field({spec.name, (spec.volume ? volume : map).index, type, 1, spec.fixed, 1, {}});
    if (!added.ok()) return added.status();
  }
  return schema;
}

}  // namespace

esker::Result<esker::PlanReport> plan_output(const Grid& grid, esker::SampleType type, int n_ranks,
                                             const esker::Options& options) {
  const auto schema = schema_of(grid, type);
  if (!schema.ok()) return schema.status();
  const auto parts = esker::BrickDecomposition::pism(2, {grid.Mx, grid.My}, n_ranks).value();
  const auto boxes = [&](int rank, const esker::Grid& of_field) {
    esker::Box box = parts.box(rank);
    if (of_field.dims.size() == 3) {
      box.rank = 3;
      box.hi[2] = grid.Mz;
    }
    return std::vector<esker::Box>{box};
  };
  return esker::plan_step(*schema, n_ranks, boxes, options);
}

Output::Output(const std::string& path, const esker::Communicator& comm, const Grid& grid,
               esker::SampleType type, const esker::Options& options, const Description& description)
    : grid_(grid), type_(type), fields_(grid, type), writer_(create(path, comm, options)) {
  define(description);
}

/// Local, and the same on all ranks: an error occurs on all of them.
void Output::define(const Description& description) {
  const auto x = writer_.def_dim("x", grid_.Mx).value();
  const auto y = writer_.def_dim("y", grid_.My).value();
  const auto z = writer_.def_dim("z", grid_.Mz).value();
  const auto map = writer_.def_grid("xy", {x, y}).value();
  const auto volume = writer_.def_grid("xyz", {x, y, z}).value();
  for (const auto id : {map, volume}) {
    writer_.def_coords(id, "x", grid_.x).check();
    writer_.def_coords(id, "y", grid_.y).check();
  }
  writer_.def_coords(volume, "z", grid_.z).check();
  describe_axes(x, y, z);
  writer_.put_att("Conventions", "CF-1.11").check();
  writer_.put_att("title", description.title).check();
  writer_.put_att("source", "esker-pism").check();
  writer_.put_att("history", "written by esker-pism").check();
  if (description.is_greenland) define_projection();
  define_fields(map, volume, description.is_greenland);
}

/// CF's attributes of coordinates and times.
void Output::describe_axes(esker::DimId x, esker::DimId y, esker::DimId z) {
  const auto describe = [&](esker::DimId dim, const std::map<std::string, std::string>& attributes) {
    for (const auto& [name, text] : attributes) writer_.put_att(dim, name, text).check();
  };
  describe(x, {{"units", "m"}, {"axis", "X"}, {"standard_name", "projection_x_coordinate"}});
  describe(y, {{"units", "m"}, {"axis", "Y"}, {"standard_name", "projection_y_coordinate"}});
  describe(z, {{"units", "m"}, {"axis", "Z"}, {"positive", "up"}, {"long_name", "height above the bed"}});
  writer_.put_time_att("standard_name", "time").check();
  writer_.put_time_att("axis", "T").check();
  writer_.put_time_att("units", "days since 2000-01-01").check();
  writer_.put_time_att("calendar", "365_day").check();
}

/// The polar stereographic projection of SeaRISE's data of Greenland, as CF's grid mapping.
void Output::define_projection() {
  const auto mapping = writer_.def_scalar(kMapping, std::vector<std::int32_t>{0}).value();
  writer_.put_att(mapping, "grid_mapping_name", "polar_stereographic").check();
  writer_.put_att(mapping, "crs_wkt", kProjection).check();
  const std::map<std::string, double> parameters{{"latitude_of_projection_origin", 90},
                                                 {"straight_vertical_longitude_from_pole", -39},
                                                 {"standard_parallel", 71},
                                                 {"false_easting", 0},
                                                 {"false_northing", 0},
                                                 {"semi_major_axis", 6378137},
                                                 {"inverse_flattening", 298.257223563}};
  for (const auto& [name, value] : parameters) {
    writer_.put_att(mapping, name, std::vector<double>{value}).check();
  }
}

void Output::define_fields(esker::GridId map, esker::GridId volume, bool is_projected) {
  for (const FieldSpec& spec : output_fields()) {
    const auto id =
        writer_.def_field(spec.volume ? volume : map, spec.name, type_, {.fixed = spec.fixed}).value();
    writer_.put_att(id, "units", spec.units).check();
    writer_.put_att(id, "long_name", spec.long_name).check();
    if (*spec.standard_name) writer_.put_att(id, "standard_name", spec.standard_name).check();
    if (is_projected) writer_.put_att(id, "grid_mapping", kMapping).check();
    ids_.push_back(id);
  }
}

void Output::write(const State& state) {
  esker::Status status = writer_.begin_step(state.time * kDaysPerYear);
  for (const PutField& field : fields_.of(state, writer_.num_steps() == 0)) {
    if (status.ok()) status = writer_.put(ids_[field.number], field.patch);
  }
  check_all(writer_.end_step());  // also reports errors of puts, on all ranks
}

void Output::flush() { check_all(writer_.flush()); }

void Output::close() { check_all(writer_.close()); }

}  // namespace pism
