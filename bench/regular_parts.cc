#include "regular_parts.h"

namespace bench {

std::optional<std::vector<Point>> regular_extents(MPI_Comm comm, const Workload& workload) {
  std::vector<Point> extents;
  for (const FieldMemory& field : workload.fields) extents.push_back(field.box.extents());
  MPI_Allreduce(MPI_IN_PLACE, extents.data(), static_cast<int>(extents.size()) * esker::kMaxRank, MPI_INT64_T,
                MPI_MAX, comm);
  int regular = 1;
  for (std::size_t f = 0; f < extents.size(); ++f) {
    const Box& box = workload.fields[f].box;
    for (int a = 0; a < box.rank; ++a) regular = regular && box.lo[a] % extents[f][a] == 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &regular, 1, MPI_INT, MPI_MIN, comm);
  return regular ? std::optional(extents) : std::nullopt;
}

}  // namespace bench
