#include "restart.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "common/together.h"
#include "esker/mpi.hpp"
#include "esker/reader.hpp"
#include "output.h"

namespace s3d {
namespace {

using miniapp::AgreedError;
using miniapp::check_all;

esker::Reader open(MPI_Comm comm, const std::string& path) {
  auto reader = esker::Reader::open(path, esker::mpi_communicator(comm));
  check_all(reader.status());
  return std::move(*reader);
}

/// The number of the step at `time`, which has the bits that the solver gives this step.
Index step_at(const std::string& path, const std::vector<double>& times, double step_seconds) {
  if (times.empty()) throw AgreedError(path + ": the checkpoint has no steps");
  const double time = times.back();
  const auto step = static_cast<Index>(std::llround(time / step_seconds));
  if (static_cast<double>(step) * step_seconds == time) return step;
  throw AgreedError(fmt::format("{}: expected a multiple of the step of {} s, found the time {} s", path,
                                step_seconds, time));
}

}  // namespace

std::array<Index, 3> checkpoint_cells(MPI_Comm comm, const std::string& path) {
  const esker::Reader reader = open(comm, path);
  const auto box = reader.dataset().box("T");
  check_all(box.status().with_context(path));
  if (box->rank == 3) return {box->hi[0], box->hi[1], box->hi[2]};
  throw AgreedError(fmt::format("{}: expected the field T of a checkpoint along x, y and z, found {}", path,
                                box->to_string()));
}

void restart(MPI_Comm comm, const std::string& path, const Bricks& bricks, Solver& solver) {
  esker::Reader reader = open(comm, path);
  const Index step = step_at(path, reader.dataset().steps(), solver.step_seconds());
  Array species(bricks.own.extents(), kNumSpecies, 0);
  auto temperature =
      esker::MutablePatch::strided(bricks.own, solver.scalars().row(kT, 0, 0),
                                   {1, solver.scalars().stride_y(), solver.scalars().stride_z()});
  esker::Status status = reader.request("T", -1, temperature);
  if (status.ok()) status = reader.request("Y", -1, patch_of<esker::MutablePatch>(bricks, species));
  check_all(reader.read());  // also reports errors of the requests, on all ranks
  restore_species(species, solver.scalars());
  solver.resume(step);
}

}  // namespace s3d
