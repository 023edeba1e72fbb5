#include "common/together.h"

namespace miniapp {

void agree(MPI_Comm comm, const std::string& error) {
  int rank = 0, size = 1, failed = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = error.empty() ? size : rank;
  MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MIN, comm);
  if (failed == size) return;
  auto length = static_cast<int>(error.size());
  MPI_Bcast(&length, 1, MPI_INT, failed, comm);
  std::string text = error;
  text.resize(length);
  MPI_Bcast(text.data(), length, MPI_CHAR, failed, comm);
  throw AgreedError("rank " + std::to_string(failed) + ": " + text);
}

}  // namespace miniapp
