#include "dataset.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/together.h"
#include "esker/mpi.hpp"

namespace uintah {
namespace {

using miniapp::check_all;

esker::Writer create(const std::string& path, MPI_Comm comm, const esker::Options& options) {
  auto writer = esker::Writer::create(path, esker::mpi_communicator(comm), options);
  check_all(writer.status());
  return std::move(*writer);
}

}  // namespace

PatchDataset::PatchDataset(const std::string& path, const miniapp::World& world, const esker::Mesh& mesh,
                           const esker::Options& options)
    : path_(path), n_ranks_(world.size), writer_(create(path, world.comm, options)) {
  define(mesh);
}

void PatchDataset::define(const esker::Mesh& mesh) {
  const auto grid = writer_.def_mesh("amr", mesh);
  check_all(grid.status());
  for (int f = 0; f < kNumFields; ++f) {
    const auto field = writer_.def_field(*grid, kFieldNames[f], esker::SampleType::kFloat64);
    check_all(field.status());
    fields_[f] = *field;
    check_all(writer_.put_att(*field, "units", kFieldUnits[f]));
  }
  check_all(writer_.put_att("source", "esker-uintah"));
}

void PatchDataset::write(const Snapshot& snapshot) {
  begin_step(snapshot.time);
  for (const OwnPatch& patch : snapshot.own) put(patch.level, patch);
  end_step();
}

// Errors of these calls are reported again by end_step, on all ranks.
void PatchDataset::begin_step(double time) { static_cast<void>(writer_.begin_step(time)); }

void PatchDataset::put(int level, const OwnPatch& patch) {
  for (int f = 0; f < kNumFields; ++f) {
    static_cast<void>(writer_.put(fields_[f], level, esker::Patch::dense(patch.box, patch.values[f].data())));
  }
}

void PatchDataset::end_step() { check_all(writer_.end_step()); }

void PatchDataset::close() {
  writes_ = count_writes();
  check_all(writer_.close());
}

Writes PatchDataset::count_writes() const {
  const auto report = writer_.report_json();
  check_all(report.status());
  const auto per_rank = nlohmann::json::parse(*report).at("per_rank");
  const auto sum = [&](const char* amount) {
    return static_cast<Index>(std::llround(per_rank.at(amount).at("mean").get<double>() * n_ranks_));
  };
  return {sum("writes"), sum("stored_bytes")};
}

}  // namespace uintah
