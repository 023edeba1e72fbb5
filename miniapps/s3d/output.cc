#include "output.h"

#include <utility>
#include <vector>

#include "common/together.h"
#include "mixture.h"

namespace s3d {
namespace {

using miniapp::check_all;

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

esker::Writer create(const std::string& path, const esker::Communicator& comm,
                     const esker::Options& options) {
  auto writer = esker::Writer::create(path, comm, options);
  check_all(writer.status());
  return std::move(*writer);
}

std::string species_names() {
  std::string names;
  for (const char* name : kSpecies) names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

}  // namespace

Output::Output(const std::string& path, const esker::Communicator& comm, const Bricks& bricks,
               const esker::Options& options, std::optional<Regions> regions, int stored_bits)
    : path_(path), bricks_(bricks), regions_(regions), writer_(create(path, comm, options)) {
  define(stored_bits);
}

/// Local, and the same on all ranks: an error occurs on all of them.
void Output::define(int stored_bits) {
  std::vector<esker::DimId> dims;
  for (int a = 0; a < 3; ++a) dims.push_back(writer_.def_dim(kAxes[a], bricks_.cells[a]).value());
  grid_ = writer_.def_grid("xyz", dims).value();
  for (int a = 0; a < 3; ++a) describe_axis(grid_, dims[a], a);
  const auto field = [&](const char* name, int components, const char* units, const char* long_name) {
    const auto id = writer_
                        .def_field(grid_, name, esker::SampleType::kFloat64,
                                   {.components = components, .stored_bits = stored_bits})
                        .value();
    writer_.put_att(id, "units", units).check();
    writer_.put_att(id, "long_name", long_name).check();
    return id;
  };
  temperature_ = field("T", 1, "K", "temperature");
  pressure_ = field("P", 1, "Pa", "pressure");
  velocity_ = field("u", 3, "m s-1", "velocity along x, y, z");
  species_ = field("Y", kNumSpecies, "1", "mass fractions of the species");
  writer_.put_att(species_, "species", species_names()).check();
  writer_.put_att("title", "Esker combustion miniapp: a lifted jet flame").check();
  writer_.put_att("source", "esker-s3d").check();
  writer_.put_time_att("units", "s").check();
}

void Output::describe_axis(esker::GridId grid, esker::DimId dim, int axis) {
  std::vector<double> centers;
  for (Index i = 0; i < bricks_.cells[axis]; ++i) centers.push_back(bricks_.center(axis, i));
  writer_.def_coords(grid, kAxes[axis], std::move(centers)).check();
  writer_.put_att(dim, "units", "m").check();
}

void Output::write(double time, const Array& scalars, const Variables& variables) {
  esker::Status status = writer_.begin_step(time);
  const auto put = [&](esker::FieldId field, const Array& array) {
    if (status.ok()) status = writer_.put(field, patch_of<esker::Patch>(bricks_, array));
  };
  put(temperature_, scalars);
  put(pressure_, variables.pressure);
  put(velocity_, variables.velocity);
  put(species_, variables.species);
  if (status.ok() && regions_) status = keep_regions(*regions_, writer_, grid_, temperature_);
  check_all(writer_.end_step());  // also reports errors of the calls above, on all ranks
}

void Output::close() { check_all(writer_.close()); }

}  // namespace s3d
