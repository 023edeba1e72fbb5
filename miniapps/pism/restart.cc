#include "restart.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "common/together.h"
#include "esker/dataset.hpp"
#include "esker/mpi.hpp"
#include "esker/reader.hpp"

namespace pism {
namespace {

using miniapp::AgreedError;
using miniapp::check_all;

std::vector<double> axis_of(const std::string& path, const esker::Grid& grid, const std::string& name) {
  const auto found = grid.coords.find(name);
  if (found != grid.coords.end() && !found->second.empty()) return found->second;
  throw std::runtime_error(fmt::format("{}: expected the coordinate {} of the field temp", path, name));
}

/// The time [a] whose days are the step's: output multiplies, and division may be off by a rounding.
double years_of(double days) {
  const double years = days / kDaysPerYear;
  for (const double near : {years, std::nextafter(years, 0.0), std::nextafter(years, 2 * years)}) {
    if (near * kDaysPerYear == days) return near;
  }
  return years;
}

void request(esker::Reader& reader, const char* field, const esker::Box& box, Array<double>& array) {
  using esker::MutablePatch;
  double* first = array.column(0, 0);
  const auto target = box.rank == 3
                          ? MutablePatch::strided(box, first, {array.stride_x(), array.stride_y(), 1})
                          : MutablePatch::strided(box, first, {array.stride_x(), array.stride_y()});
  static_cast<void>(reader.request(field, -1, target));  // read() reports its error, on all ranks
}

/// Values of another type would differ from those of the run.
void require_float64(const std::string& path, const esker::Schema& schema) {
  for (const esker::Field& field : schema.fields()) {
    if (field.type == esker::SampleType::kFloat64) continue;
    throw AgreedError(
        fmt::format("{}: expected fields of type float64, found {} with {}: write it with --precision f8",
                    path, field.name, esker::name(field.type)));
  }
}

}  // namespace

Grid grid_of_dataset(const std::string& path) {
  const auto dataset = esker::Dataset::open(path).value();
  const esker::Field* field = dataset.schema().find_field("temp");
  if (!field) throw std::runtime_error(path + ": expected a field temp, as esker-pism writes it");
  const esker::Grid& grid = dataset.schema().grid_of(*field);
  const std::vector<double> x = axis_of(path, grid, "x"), y = axis_of(path, grid, "y");
  const std::vector<double> z = axis_of(path, grid, "z");
  for (const ZSpacing spacing : {ZSpacing::kEqual, ZSpacing::kQuadratic}) {
    Grid made = make_grid(x, y, static_cast<Index>(z.size()), z.back(), spacing);
    if (made.z == z) return made;
  }
  throw std::runtime_error(path + ": expected levels that are spaced equally or quadratically");
}

Description description_of_dataset(const std::string& path) {
  const auto dataset = esker::Dataset::open(path).value();
  Description description;
  const auto& attributes = dataset.schema().attributes();
  const auto title = attributes.find("title");
  if (title != attributes.end()) {
    if (const auto* text = std::get_if<std::string>(&title->second)) description.title = *text;
  }
  description.is_greenland = dataset.schema().find_scalar(kMapping) != nullptr;
  return description;
}

void read_state(MPI_Comm comm, const std::string& path, const Grid& grid, State& state) {
  auto reader = esker::Reader::open(path, esker::mpi_communicator(comm));
  check_all(reader.status());
  require_float64(path, reader->dataset().schema());
  if (reader->dataset().steps().empty()) throw AgreedError(path + ": expected a step, found none");
  request(*reader, "topg", grid.own_map(), state.topg);
  request(*reader, "thk", grid.own_map(), state.thk);
  request(*reader, "temp", grid.own_volume(), state.temp);
  check_all(reader->read());
  state.time = years_of(reader->dataset().steps().back());
}

}  // namespace pism
