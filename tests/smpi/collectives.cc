// Nonblocking collectives for programs under SMPI 3.32, whose own barrier does not wait for any rank, and
// whose all-reduce sends a message from every rank to every other one.
//
// All ranks are in one process and take turns, so that the maps here need no locks.
#include <mpi.h>

#include <array>
#include <cstring>
#include <map>
#include <utility>

namespace {

/// A dissemination barrier (Hensgen, Finkel, Manber 1988): in round k, rank r tells rank r + 2^k and waits
/// for rank r - 2^k. MPI_Test makes it progress.
struct Barrier {
  MPI_Comm comm = MPI_COMM_NULL;
  int distance = 1;
  MPI_Request told = MPI_REQUEST_NULL, heard = MPI_REQUEST_NULL;
};

constexpr int kFirstTag = 20000;  // and the round
constexpr int kScanTag = 19999;

using Key = std::pair<int, const MPI_Request*>;  // rank of MPI_COMM_WORLD
std::map<Key, Barrier> barriers;

Key key_of(const MPI_Request* request) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return {rank, request};
}

void start_round(Barrier& barrier) {
  static char none = 0;
  int rank = 0, size = 1;
  MPI_Comm_rank(barrier.comm, &rank);
  MPI_Comm_size(barrier.comm, &size);
  const int tag = kFirstTag + barrier.distance % 1000;
  const int to = (rank + barrier.distance) % size, from = (rank - barrier.distance + size) % size;
  MPI_Isend(&none, 0, MPI_CHAR, to, tag, barrier.comm, &barrier.told);
  MPI_Irecv(&none, 0, MPI_CHAR, from, tag, barrier.comm, &barrier.heard);
}

/// Also if it was complete before; MPI_Test of SMPI says no then.
bool is_complete(MPI_Request& request) {
  int flag = 1;
  if (request != MPI_REQUEST_NULL) PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

/// Whether the barrier has ended.
bool progress(Barrier& barrier) {
  int size = 1;
  MPI_Comm_size(barrier.comm, &size);
  if (!is_complete(barrier.told) || !is_complete(barrier.heard)) return false;
  barrier.distance *= 2;
  if (barrier.distance >= size) return true;
  start_round(barrier);
  return false;
}

}  // namespace

extern "C" {

/// `request` must stay where it is, and is for MPI_Test only.
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  Barrier& barrier = barriers[key_of(request)] = {comm};
  start_round(barrier);
  *request = barrier.heard;
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const auto found = barriers.find(key_of(request));
  if (found == barriers.end()) return PMPI_Test(request, flag, status);
  *flag = progress(found->second) ? 1 : 0;
  if (*flag != 0) barriers.erase(found), *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

/// Blocks: correct where a rank has nothing to do for others before they call it, too.
int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(in, out, count, type, op, comm);
}

/// Along the ranks. Types without gaps, of at most 64 bytes in all; not in place.
int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank = 0, size = 1, bytes = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_size(type, &bytes);
  std::array<std::byte, 64> sum{};
  bytes *= count;
  if (bytes > static_cast<int>(sum.size())) return MPI_ERR_COUNT;
  std::memcpy(sum.data(), in, static_cast<std::size_t>(bytes));
  if (rank > 0) {
    MPI_Recv(out, count, type, rank - 1, kScanTag, comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(out, sum.data(), count, type, op);
  }
  if (rank + 1 < size) MPI_Send(sum.data(), count, type, rank + 1, kScanTag, comm);
  return MPI_SUCCESS;
}
}
