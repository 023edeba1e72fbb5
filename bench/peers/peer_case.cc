#include "peer_case.h"

#include <algorithm>
#include <filesystem>

namespace bench {

Variable variable_of(const Workload& workload, const FieldMemory& field) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  const GridExtent& grid = workload.grids[field.grid];
  Variable v{field.name, {}, {}, {}, {}, true};
  if (field.components > 1) {
    v.dims.push_back(field.name + "_component");
    v.shape.push_back(field.components);
    v.start.push_back(0);
    v.count.push_back(field.components);
  }
  Index dense_stride = 1;
  for (int a = 0; a < grid.rank; ++a) {
    v.is_dense = v.is_dense && field.strides[a] == dense_stride;
    dense_stride *= field.box.extent(a);
  }
  v.is_dense = v.is_dense && (field.components == 1 || field.component_stride == dense_stride);
  for (int a = grid.rank - 1; a >= 0; --a) {
    v.dims.emplace_back(kAxes[a]);
    v.shape.push_back(grid.extent[a]);
    v.start.push_back(field.box.lo[a]);
    v.count.push_back(field.box.extent(a));
  }
  return v;
}

PeerCase::PeerCase(MPI_Comm comm, std::string name, const std::string& directory, const Workload& workload)
    : comm_(comm), name_(std::move(name)), directory_(directory) {
  MPI_Comm_rank(comm, &rank_);
  for (const FieldMemory& field : workload.fields) variables_.push_back(variable_of(workload, field));
}

std::string PeerCase::path(Index step) const { return directory_ + "/" + name_ + "." + std::to_string(step); }

std::string PeerCase::new_path(Index step) {
  steps_ = std::max(steps_, step + 1);
  return path(step);
}

Index PeerCase::stored_bytes() const {
  Index bytes = 0;
  for (Index step = 0; rank_ == 0 && step < steps_; ++step) {
    bytes += static_cast<Index>(std::filesystem::file_size(path(step)));
  }
  return bytes;
}

void PeerCase::remove() {
  for (Index step = 0; rank_ == 0 && step < steps_; ++step) std::filesystem::remove(path(step));
}

}  // namespace bench
