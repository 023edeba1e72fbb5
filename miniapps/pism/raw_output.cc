#include "raw_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <system_error>

#include "common/together.h"

namespace pism {
namespace {

using miniapp::together;

constexpr Index kLargestMessage = Index{1} << 30;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", what, path));
}

void require(int status, const char* what, const std::string& path) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw std::runtime_error(fmt::format("cannot {} {}: {}", what, path, text.data()));
}

/// The own columns in the order of the file: (y, x, z).
std::vector<std::byte> pack(const esker::Patch& patch) {
  const auto sample = static_cast<Index>(esker::size_bytes(patch.type));
  const auto* first = static_cast<const std::byte*>(patch.data);
  const bool is_volume = patch.box.rank == 3;
  const Index column = is_volume ? patch.box.extent(2) * sample : sample;
  std::vector<std::byte> packed(static_cast<std::size_t>(patch.box.extent(0) * patch.box.extent(1) * column));
  std::byte* out = packed.data();
  for (Index y = 0; y < patch.box.extent(1); ++y) {
    for (Index x = 0; x < patch.box.extent(0); ++x, out += column) {
      std::memcpy(out, first + y * patch.stride_bytes[1] + x * patch.stride_bytes[0],
                  static_cast<std::size_t>(column));
    }
  }
  return packed;
}

/// Calls move(pointer, number of bytes) for parts that a message holds.
template <class Move>
void in_messages(std::byte* data, Index n_bytes, const Move& move) {
  for (Index done = 0; done < n_bytes; done += kLargestMessage) {
    move(data + done, static_cast<int>(std::min(kLargestMessage, n_bytes - done)));
  }
}

}  // namespace

RawOutput::RawOutput(const miniapp::World& world, const Grid& grid, RawMode mode, const std::string& path,
                     bool overwrite)
    : world_(world), grid_(grid), mode_(mode), path_(path) {
  together(world_.comm, [&] {
    if (world_.rank != 0) return;
    const int created = ::open(path.c_str(), O_CREAT | O_WRONLY | (overwrite ? O_TRUNC : O_EXCL), 0666);
    if (created < 0) fail("create", path);
    ::close(created);
  });
  if (mode == RawMode::kNodes) {
    MPI_Comm_split_type(world_.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &group_);
  } else {
    MPI_Comm_dup(world_.comm, &group_);
  }
  together(world_.comm, [&] {
    descriptor_ = ::open(path.c_str(), O_RDWR);
    if (descriptor_ < 0) fail("open", path);
  });
  if (mode != RawMode::kCollective) return;
  const int status = MPI_File_open(world_.comm, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
  together(world_.comm, [&] { require(status, "open", path); });
}

RawOutput::~RawOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
}

void RawOutput::close() {
  const int status = file_ == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&file_);
  together(world_.comm, [&] { require(status, "close", path_); });
}

RawOutput::Part RawOutput::part_of(const PutField& field) {
  const esker::Box& box = field.patch.box;
  const Index levels = box.rank == 3 ? box.extent(2) : 1;
  return {box.lo[0], box.lo[1], box.extent(0), box.extent(1),
          levels * static_cast<Index>(esker::size_bytes(field.patch.type))};
}

Index RawOutput::row_offset(Index begin, const Part& part, Index row) const {
  return begin + ((part.y + row) * grid_.Mx + part.x) * part.column_bytes;
}

void RawOutput::write(const std::vector<PutField>& fields) {
  step_bytes_ = end_bytes_;
  try {
    for (const PutField& field : fields) write_field(field);
  } catch (const miniapp::AgreedError&) {  // on all ranks
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
    throw;
  }
}

void RawOutput::write_field(const PutField& field) {
  const Part mine = part_of(field);
  std::vector<std::byte> packed;
  together(world_.comm, [&] { packed = pack(field.patch); });
  if (mode_ == RawMode::kCollective) {
    write_together(mine, packed, field.patch.type == esker::SampleType::kFloat64);
  } else {
    write_by_leader(mine, packed);
  }
  end_bytes_ += field_bytes(mine);
}

/// The leader holds the columns of one rank at a time.
void RawOutput::write_by_leader(const Part& mine, const std::vector<std::byte>& packed) {
  int rank = 0, size = 1;
  MPI_Comm_rank(group_, &rank);
  MPI_Comm_size(group_, &size);
  std::string error;
  const auto keep_error = [&](const auto& work) {
    try {
      work();
    } catch (const std::exception& e) {
      if (error.empty()) error = e.what();
    }
  };
  if (rank > 0) {
    MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, 0, group_);
    in_messages(const_cast<std::byte*>(packed.data()), mine.size_bytes(),
                [&](std::byte* data, int n) { MPI_Send(data, n, MPI_BYTE, 0, 1, group_); });
  } else {
    keep_error([&] { store(mine, packed); });
    std::vector<std::byte> received;
    for (int source = 1; source < size; ++source) {
      Part part;
      MPI_Recv(&part, sizeof part, MPI_BYTE, source, 0, group_, MPI_STATUS_IGNORE);
      received.resize(static_cast<std::size_t>(part.size_bytes()));
      in_messages(received.data(), part.size_bytes(), [&](std::byte* data, int n) {
        MPI_Recv(data, n, MPI_BYTE, source, 1, group_, MPI_STATUS_IGNORE);
      });
      keep_error([&] { store(part, received); });
    }
  }
  miniapp::agree(world_.comm, error);
}

void RawOutput::store(const Part& part, const std::vector<std::byte>& packed) const {
  for (Index row = 0; row < part.ny; ++row) {
    const std::byte* from = packed.data() + row * part.row_bytes();
    for (Index done = 0; done < part.row_bytes();) {
      const auto left = static_cast<std::size_t>(part.row_bytes() - done);
      const ::ssize_t n = ::pwrite(descriptor_, from + done, left, row_offset(end_bytes_, part, row) + done);
      if (n < 0 && errno != EINTR) fail("write", path_);
      done += std::max<::ssize_t>(n, 0);
    }
  }
}

void RawOutput::write_together(const Part& mine, const std::vector<std::byte>& packed, bool is_double) {
  const Index sample = is_double ? 8 : 4;
  together(world_.comm, [&] {
    if (mine.size_bytes() / sample > std::numeric_limits<int>::max())
      throw std::runtime_error("collective: expected at most 2^31 samples of a field on a rank");
  });
  const MPI_Datatype type = is_double ? MPI_DOUBLE : MPI_FLOAT;
  const auto count = [&](Index n) { return static_cast<int>(n); };
  const int levels = count(mine.column_bytes / sample);
  const std::array whole{count(grid_.My), count(grid_.Mx), levels};
  const std::array part{count(mine.ny), count(mine.nx), levels};
  const std::array start{count(mine.y), count(mine.x), 0};
  MPI_Datatype columns = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, whole.data(), part.data(), start.data(), MPI_ORDER_C, type, &columns);
  MPI_Type_commit(&columns);
  int status = MPI_File_set_view(file_, end_bytes_, type, columns, "native", MPI_INFO_NULL);
  if (status == MPI_SUCCESS) {
    status = MPI_File_write_at_all(file_, 0, packed.data(), count(mine.size_bytes() / sample), type,
                                   MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&columns);
  together(world_.comm, [&] { require(status, "write", path_); });
}

void RawOutput::verify(const std::vector<PutField>& fields) {
  if (file_ != MPI_FILE_NULL) MPI_File_sync(file_);
  MPI_Barrier(world_.comm);
  together(world_.comm, [&] {
    Index begin = step_bytes_;
    for (const PutField& field : fields) {
      compare(field, begin);
      begin += field_bytes(part_of(field));
    }
  });
}

void RawOutput::compare(const PutField& field, Index begin) const {
  const Part mine = part_of(field);
  const std::vector<std::byte> expected = pack(field.patch);
  std::vector<std::byte> found(static_cast<std::size_t>(mine.row_bytes()));
  for (Index row = 0; row < mine.ny; ++row) {
    const ::ssize_t n = ::pread(descriptor_, found.data(), found.size(), row_offset(begin, mine, row));
    if (n < 0) fail("read", path_);
    const auto in_memory = expected.begin() + row * mine.row_bytes();
    if (n == std::ssize(found) && std::equal(found.begin(), found.end(), in_memory)) continue;
    throw std::runtime_error(fmt::format("verification of field '{}': row {} on storage differs from memory",
                                         field.name, mine.y + row));
  }
}

}  // namespace pism
