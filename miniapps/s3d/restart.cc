#include "restart.h"

#include <fmt/format.h>

#include <cmath>

#include "common/together.h"
#include "esker/mpi.hpp"
#include "esker/reader.hpp"
#include "output.h"

namespace s3d {
namespace {

using miniapp::AgreedError;
using miniapp::check_all;

void require_same_grid(const std::string& path, const esker::Dataset& checkpoint, const Bricks& bricks) {
  const auto found = checkpoint.box("T");
  check_all(found.status());
  const esker::Box expected({0, 0, 0}, {bricks.cells[0], bricks.cells[1], bricks.cells[2]});
  if (*found == expected) return;
  throw AgreedError(fmt::format("{}: expected a checkpoint of {} x {} x {} cells, found {}", path,
                                bricks.cells[0], bricks.cells[1], bricks.cells[2], found->to_string()));
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

void restart(MPI_Comm comm, const std::string& path, const Bricks& bricks, Solver& solver) {
  auto reader = esker::Reader::open(path, esker::mpi_communicator(comm));
  check_all(reader.status());
  require_same_grid(path, reader->dataset(), bricks);
  const Index step = step_at(path, reader->dataset().steps(), solver.step_seconds());
  Array species(bricks.own.extents(), kNumSpecies, 0);
  auto temperature =
      esker::MutablePatch::strided(bricks.own, solver.scalars().row(kT, 0, 0),
                                   {1, solver.scalars().stride_y(), solver.scalars().stride_z()});
  esker::Status status = reader->request("T", -1, temperature);
  if (status.ok()) status = reader->request("Y", -1, patch_of<esker::MutablePatch>(bricks, species));
  check_all(reader->read());  // also reports errors of the requests, on all ranks
  restore_species(species, solver.scalars());
  solver.resume(step);
}

}  // namespace s3d
