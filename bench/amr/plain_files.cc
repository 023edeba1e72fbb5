#include "plain_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "common/together.h"

namespace bench {
namespace {

using uintah::OwnPatch;
using uintah::Snapshot;

class File {
 public:
  File(const std::string& path, int flags) : path_(path), number_(::open(path.c_str(), flags, 0666)) {
    if (number_ < 0) fail("open");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(number_); }

  void write(const std::vector<double>& values, Index offset) {
    const std::size_t bytes = values.size() * sizeof(double);
    if (::pwrite(number_, values.data(), bytes, offset) != static_cast<ssize_t>(bytes)) fail("write");
  }
  void require(const std::vector<double>& expected, Index offset) {
    std::vector<double> found(expected.size());
    const std::size_t bytes = found.size() * sizeof(double);
    if (::pread(number_, found.data(), bytes, offset) != static_cast<ssize_t>(bytes)) fail("read");
    if (found != expected) throw std::runtime_error(path_ + ": values differ from those written");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::system_error(errno, std::generic_category(), std::string("cannot ") + what + " " + path_);
  }

  std::string path_;
  int number_;
};

class PosixMode : public uintah::Mode {
 public:
  PosixMode(const miniapp::World& world, std::string path, bool is_shared)
      : world_(world), path_(std::move(path)), is_shared_(is_shared) {
    miniapp::together(world_.comm, [&] {
      if (world_.rank == 0) std::filesystem::create_directories(path_);
    });
  }

  void write(const Snapshot& snapshot) override {
    Index offset = offset_of(snapshot);
    miniapp::together(world_.comm, [&] {
      File file(path_of(snapshot), O_WRONLY | O_CREAT);
      for_each_field(snapshot, [&](const std::vector<double>& values) {
        file.write(values, offset);
        offset += static_cast<Index>(values.size() * sizeof(double));
        ++writes_.count;
      });
    });
  }
  void close() override {}
  [[nodiscard]] uintah::Writes writes() override { return writes_; }
  void check(const Snapshot& snapshot) override {
    Index offset = offset_of(snapshot);
    miniapp::together(world_.comm, [&] {
      File file(path_of(snapshot), O_RDONLY);
      for_each_field(snapshot, [&](const std::vector<double>& values) {
        file.require(values, offset);
        offset += static_cast<Index>(values.size() * sizeof(double));
      });
    });
  }
  [[nodiscard]] bool writes_covered_cells() const override { return true; }
  [[nodiscard]] std::vector<std::string> paths() const override { return {path_}; }

 private:
  template <class Visit>
  static void for_each_field(const Snapshot& snapshot, const Visit& visit) {
    for (const OwnPatch& patch : snapshot.own) {
      for (const std::vector<double>& values : patch.values) visit(values);
    }
  }

  [[nodiscard]] std::string path_of(const Snapshot& snapshot) const {
    const std::string step = path_ + "/" + std::to_string(snapshot.step);
    return is_shared_ ? step : step + "_" + std::to_string(world_.rank);
  }

  /// Where this rank begins. Collective.
  [[nodiscard]] Index offset_of(const Snapshot& snapshot) const {
    if (!is_shared_) return 0;
    Index mine = 0, before = 0;
    for_each_field(snapshot,
                   [&](const auto& values) { mine += Index{8} * static_cast<Index>(values.size()); });
    MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, world_.comm);
    return world_.rank == 0 ? 0 : before;
  }

  miniapp::World world_;
  std::string path_;
  bool is_shared_;
  uintah::Writes writes_;
};

}  // namespace

std::vector<NamedMode> limit_modes(const miniapp::World& world) {
  const auto make = [world](bool is_shared) {
    return [=](const std::string& path) { return std::make_unique<PosixMode>(world, path, is_shared); };
  };
  return {{"posix", make(false)}, {"posix_shared", make(true)}};
}

}  // namespace bench
