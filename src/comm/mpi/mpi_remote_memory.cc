#include "comm/mpi/mpi_remote_memory.h"

#include "comm/comm.h"
#include "comm/mpi/mpi_put_source.h"

namespace esker {
namespace {

// Different from the tags of MpiComm's messages.
constexpr int kReadyTag = 101;  // memory may be put to, or got from
constexpr int kDoneTag = 102;   // the transfer is complete

class MpiRemoteMemory final : public RemoteMemory {
 public:
  MpiRemoteMemory(MPI_Comm comm, CallWatch* watch) : comm_(comm), watch_(watch) {}

  // The owner of a window reads and writes parts that no rank puts to, which requires MPI's unified memory
  // model. That depends on the machine, so all ranks get the same result. Open MPI 4.1 makes no window on a
  // single rank, which receives no puts anyway.
  bool expose(std::span<std::byte> memory) override {
    int size = 1;
    MPI_Comm_size(comm_, &size);
    if (size == 1) return true;
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL, comm_, &window_);
    MPI_Win_set_errhandler(window_, MPI_ERRORS_ARE_FATAL);
    int* model = nullptr;
    int known = 0;
    MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &known);
    if (known != 0 && *model == MPI_WIN_UNIFIED) return true;
    withdraw();
    return false;
  }
  void withdraw() override {
    if (window_ == MPI_WIN_NULL) return;
    if (is_locked_) MPI_Win_unlock_all(window_);
    is_locked_ = false;
    MPI_Win_free(&window_);
  }

  void put(std::span<const std::byte> bytes, int to, std::size_t offset_bytes) override {
    const auto count = static_cast<int>(bytes.size());
    MPI_Put(bytes.data(), count, MPI_BYTE, to, static_cast<MPI_Aint>(offset_bytes), count, MPI_BYTE, window_);
  }
  void put(const PutSource& source, const std::byte* base, int to, std::size_t offset_bytes) override {
    const auto& typed = static_cast<const MpiPutSource&>(source);
    MPI_Put(base, 1, typed.type(), to, static_cast<MPI_Aint>(offset_bytes), typed.size_bytes(), MPI_BYTE,
            window_);
  }
  void get(std::span<std::byte> bytes, int from, std::size_t offset_bytes) override {
    const auto count = static_cast<int>(bytes.size());
    MPI_Get(bytes.data(), count, MPI_BYTE, from, static_cast<MPI_Aint>(offset_bytes), count, MPI_BYTE,
            window_);
  }

  void fence() override {
    const CallWatch::Wait wait(watch_);
    if (window_ != MPI_WIN_NULL) MPI_Win_fence(0, window_);
  }
  // Not a window of the group: Open MPI 4.1 fails to make windows on two groups of one node at a time.
  void fence_in(Comm& group) override {
    if (window_ != MPI_WIN_NULL) {
      lock();
      MPI_Win_flush_all(window_);
      MPI_Win_sync(window_);
    }
    group.barrier();
    if (window_ != MPI_WIN_NULL) MPI_Win_sync(window_);
  }
  // Not MPI_Win_post and the related calls: MPICH 4.0 counts the posts that reach a rank regardless of their
  // origin. A post for a later relay stage is then taken for another rank's post, and leaves its rank waiting
  // forever. Messages of two ranks do not overtake each other.
  void post(std::span<const int> sources) override {
    sources_ = sources;
    lock();  // required by MPI_Win_sync
    MPI_Win_sync(window_);
    for (const int source : sources) send_control(source, kReadyTag);
  }
  void start(std::span<const int> targets) override {
    targets_ = targets;
    lock();
    for (const int target : targets) receive_control(target, kReadyTag);
  }
  void complete() override {
    for (const int target : targets_) {
      MPI_Win_flush(target, window_);
      send_control(target, kDoneTag);
    }
  }
  void wait() override {
    for (const int source : sources_) receive_control(source, kDoneTag);
    MPI_Win_sync(window_);
  }

 private:
  void lock() {
    if (!is_locked_) MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    is_locked_ = true;
  }
  void send_control(int rank, int tag) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, rank, tag, comm_, &request);
    MPI_Request_free(&request);
  }
  void receive_control(int rank, int tag) const {
    const CallWatch::Wait wait(watch_);
    MPI_Recv(nullptr, 0, MPI_BYTE, rank, tag, comm_, MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_;
  CallWatch* watch_;
  MPI_Win window_ = MPI_WIN_NULL;
  bool is_locked_ = false;        // by this rank, for puts synchronized by pairs
  std::span<const int> sources_;  // of the last post()
  std::span<const int> targets_;  // of the last start()
};

}  // namespace

std::unique_ptr<RemoteMemory> mpi_remote_memory(MPI_Comm comm, CallWatch* watch) {
  return std::make_unique<MpiRemoteMemory>(comm, watch);
}

}  // namespace esker
