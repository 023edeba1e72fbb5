#include "output.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "common/together.h"
#include "esker/mpi.hpp"
#include "esker/reader.hpp"

namespace jacobi {
namespace {

using miniapp::AgreedError;
using miniapp::check_all;

constexpr const char* kField = "temperature";

esker::Writer create(const std::string& path, MPI_Comm comm, const esker::Options& options) {
  auto writer = esker::Writer::create(path, esker::mpi_communicator(comm), options);
  check_all(writer.status());
  return std::move(*writer);
}

esker::Reader open(MPI_Comm comm, const std::string& path) {
  auto reader = esker::Reader::open(path, esker::mpi_communicator(comm));
  check_all(reader.status());
  return std::move(*reader);
}

esker::Box own_box(const Slab& slab) {
  return {{0, 0, slab.first + 1}, {slab.nx, slab.ny, slab.first + slab.planes - 1}};
}

}  // namespace

Output::Output(const std::string& path, MPI_Comm comm, const Slab& slab, const esker::Options& options)
    : slab_(slab), writer_(create(path, comm, options)) {
  const auto x = writer_.def_dim("x", slab.nx).value(), y = writer_.def_dim("y", slab.ny).value(),
             z = writer_.def_dim("z", slab.nz).value();
  const auto grid = writer_.def_grid("xyz", {x, y, z}).value();
  temperature_ = writer_.def_field(grid, kField, esker::SampleType::kFloat64).value();
  writer_.put_att(temperature_, "units", "1").check();
  writer_.put_att(temperature_, "long_name", "temperature, as a part of that of the hot face").check();
  writer_.put_att("title", "Esker GPU miniapp: heat that spreads in a box").check();
  writer_.put_att("source", "esker-jacobi").check();
  writer_.put_time_att("long_name", "number of sweeps").check();
}

void Output::write(long long sweep, const double* own) {
  esker::Status status = writer_.begin_step(static_cast<double>(sweep));
  if (status.ok()) status = writer_.put(temperature_, esker::Patch::dense(own_box(slab_), own));
  check_all(writer_.end_step());  // also reports errors of the put, on all ranks
}

void Output::close() { check_all(writer_.close()); }

std::array<long long, 3> cells_of(MPI_Comm comm, const std::string& path) {
  const esker::Reader reader = open(comm, path);
  const auto box = reader.dataset().box(kField);
  check_all(box.status().with_context(path));
  if (box->rank == 3) return {box->hi[0], box->hi[1], box->hi[2]};
  throw AgreedError(
      fmt::format("{}: expected the field {} along x, y and z, found {}", path, kField, box->to_string()));
}

long long read_last(MPI_Comm comm, const std::string& path, const Slab& slab, double* own) {
  esker::Reader reader = open(comm, path);
  const auto times = reader.dataset().steps();
  if (times.empty()) throw AgreedError(path + ": the dataset has no steps");
  const auto requested = reader.request(kField, -1, esker::MutablePatch::dense(own_box(slab), own));
  (void)requested;  // the read reports it, on all ranks
  check_all(reader.read());
  return std::llround(times.back());
}

}  // namespace jacobi
