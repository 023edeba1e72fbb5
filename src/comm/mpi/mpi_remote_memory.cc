#include "comm/mpi/mpi_remote_memory.h"

#include "comm/mpi/mpi_put_source.h"

namespace esker {
namespace {

class MpiRankGroup final : public RankGroup {
 public:
  MpiRankGroup(MPI_Comm comm, std::span<const int> ranks) : RankGroup(ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
  }
  ~MpiRankGroup() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
  }
  [[nodiscard]] MPI_Group group() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

MPI_Group group_of(const RankGroup& ranks) { return static_cast<const MpiRankGroup&>(ranks).group(); }

class MpiRemoteMemory final : public RemoteMemory {
 public:
  explicit MpiRemoteMemory(MPI_Comm comm) : comm_(comm) {}

  // The owner of a window reads and writes parts that nobody puts to: MPI's unified memory model. It depends
  // on the machine, so all ranks find the same.
  // Open MPI 4.1 makes no window on one rank, which nobody puts to anyway.
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
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
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

  void fence() override {
    if (window_ != MPI_WIN_NULL) MPI_Win_fence(0, window_);
  }
  void post(const RankGroup& sources) override { MPI_Win_post(group_of(sources), 0, window_); }
  void start(const RankGroup& targets) override { MPI_Win_start(group_of(targets), 0, window_); }
  void complete() override { MPI_Win_complete(window_); }
  void wait() override { MPI_Win_wait(window_); }

 private:
  MPI_Comm comm_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

std::unique_ptr<RemoteMemory> mpi_remote_memory(MPI_Comm comm) {
  return std::make_unique<MpiRemoteMemory>(comm);
}

std::unique_ptr<RankGroup> mpi_rank_group(MPI_Comm comm, std::span<const int> ranks) {
  return std::make_unique<MpiRankGroup>(comm, ranks);
}

}  // namespace esker
