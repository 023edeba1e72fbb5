#include "store/mpiio/mpi_io_store.h"

#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/macros.h"
#include "base/max_part.h"
#include "store/forwarding_store.h"

namespace esker {
namespace {

Status check(int code, const char* operation, const std::string& path) {
  if (code == MPI_SUCCESS) return {};
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return {Code::kIoError, std::string(operation) + " " + path + " by MPI-IO: " + text};
}

/// The form in which MPI stores hints.
class Info {
 public:
  explicit Info(std::string_view hints) {
    MPI_Info_create(&info_);
    while (!hints.empty()) {
      const std::string hint(hints.substr(0, hints.find(';')));
      hints.remove_prefix(std::min(hints.size(), hint.size() + 1));
      const std::size_t equal = hint.find('=');
      MPI_Info_set(info_, hint.substr(0, equal).c_str(), hint.substr(equal + 1).c_str());
    }
  }
  explicit Info(MPI_File file) { MPI_File_get_info(file, &info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }

  [[nodiscard]] MPI_Info get() const { return info_; }
  [[nodiscard]] std::map<std::string, std::string> values() const {
    std::map<std::string, std::string> values;
    if (info_ == MPI_INFO_NULL) return values;
    int n = 0;
    MPI_Info_get_nkeys(info_, &n);
    for (int i = 0; i < n; ++i) {
      std::string key(MPI_MAX_INFO_KEY + 1, '\0'), value(MPI_MAX_INFO_VAL + 1, '\0');
      int is_set = 0;
      MPI_Info_get_nthkey(info_, i, key.data());
      MPI_Info_get(info_, key.c_str(), MPI_MAX_INFO_VAL, value.data(), &is_set);
      if (is_set != 0) values[key.c_str()] = value.c_str();
    }
    return values;
  }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

bool is_over() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

class MpiIoFile final : public File {
 public:
  MpiIoFile(MPI_File file, std::string path) : file_(file), path_(std::move(path)) {}
  ~MpiIoFile() override {
    if (file_ != MPI_FILE_NULL && !is_over()) MPI_File_close(&file_);
  }

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    return in_parts(
        bytes, offset, "write", [&](std::span<const std::byte> part, Index at, MPI_Status* status) {
          return MPI_File_write_at(file_, at, part.data(), static_cast<int>(part.size()), MPI_BYTE, status);
        });
  }

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    return in_parts(bytes, offset, "read", [&](std::span<std::byte> part, Index at, MPI_Status* status) {
      return MPI_File_read_at(file_, at, part.data(), static_cast<int>(part.size()), MPI_BYTE, status);
    });
  }

  Result<Index> size_bytes() const override {
    MPI_Offset size = 0;
    ESKER_RETURN_IF_ERROR(check(MPI_File_get_size(file_, &size), "get the size of", path_));
    return static_cast<Index>(size);
  }

  Status extend_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    return now >= size ? Status() : check(MPI_File_set_size(file_, size), "extend", path_);
  }

  Status shrink_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    return now <= size ? Status() : check(MPI_File_set_size(file_, size), "shorten", path_);
  }

  Status sync() override { return check(MPI_File_sync(file_), "sync", path_); }

  Status close() override {
    if (file_ == MPI_FILE_NULL) return {};
    return check(MPI_File_close(&file_), "close", path_);
  }

 private:
  /// A call moves at most what its count can express; a transfer of fewer bytes than requested is an error.
  template <class Byte, class Move>
  Status in_parts(std::span<Byte> bytes, Index offset, const char* operation, const Move& move) const {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), max_part_bytes()));
      MPI_Status status;
      ESKER_RETURN_IF_ERROR(check(move(part, offset, &status), operation, path_));
      int moved = 0;
      MPI_Get_count(&status, MPI_BYTE, &moved);
      if (moved != static_cast<int>(part.size())) {
        return Status(Code::kDataLoss, std::string(operation) + " " + path_ +
                                           " by MPI-IO: " + std::to_string(moved) + " bytes of " +
                                           std::to_string(part.size()) + " at offset " +
                                           std::to_string(offset));
      }
      bytes = bytes.subspan(part.size());
      offset += static_cast<Index>(part.size());
    }
    return {};
  }

  MPI_File file_;
  std::string path_;
};

class MpiIoStore final : public ForwardingStore {
 public:
  MpiIoStore(std::shared_ptr<Store> inner, std::string hints)
      : ForwardingStore(std::move(inner)), hints_(std::move(hints)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    if (mode == OpenMode::kRead) return inner().open(path, mode);
    const std::string directory = std::filesystem::path(path).parent_path().string();
    if (!directory.empty()) ESKER_RETURN_IF_ERROR(inner().make_directories(directory));
    MPI_File file = MPI_FILE_NULL;
    ESKER_RETURN_IF_ERROR(check(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                              Info(hints_).get(), &file),
                                "open", path));
    if (effective_.empty()) effective_ = Info(file).values();
    return std::unique_ptr<File>(std::make_unique<MpiIoFile>(file, path));
  }

  std::map<std::string, std::string> effective_hints() const override { return effective_; }

 private:
  std::string hints_;
  std::map<std::string, std::string> effective_;
};

}  // namespace

std::shared_ptr<Store> mpi_io_store(std::shared_ptr<Store> inner, const std::string& hints) {
  return std::make_shared<MpiIoStore>(std::move(inner), hints);
}

}  // namespace esker
