#include "file_per_patch.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "common/together.h"
#include "compare.h"

namespace uintah {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", what, path));
}

/// Without the C library's buffer, so that each write is one of the system's.
File open_unbuffered(const std::string& path, const char* how) {
  File file(std::fopen(path.c_str(), how));
  if (!file) fail("open", path);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return file;
}

std::string name_of(int level, Index number) { return fmt::format("level{}_patch{:06}.bin", level, number); }

std::string list_of(const Snapshot& snapshot) {
  std::string text = fmt::format("time {}\n", snapshot.time);
  for (int level = 0; level < snapshot.hierarchy->mesh().num_levels(); ++level) {
    Index number = 0;
    for (const Box& box : snapshot.hierarchy->patches(level)) {
      text += fmt::format("{} {} {}\n", level, box.to_string(), name_of(level, number++));
    }
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("open", path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check_patch(const std::string& directory, const OwnPatch& patch) {
  const std::string path = directory + "/" + name_of(patch.level, patch.number);
  const File file = open_unbuffered(path, "rb");
  for (int f = 0; f < kNumFields; ++f) {
    std::vector<double> found(patch.values[f].size());
    if (std::fread(found.data(), sizeof(double), found.size(), file.get()) != found.size())
      fail("read", path);
    require_same(path, patch, f, found);
  }
}

}  // namespace

FilePerPatch::FilePerPatch(const ModeSetup& setup)
    : world_(setup.world), path_(setup.path + ".patches"), overwrite_(setup.options.overwrite) {
  make_directories(path_, !overwrite_);
}

void FilePerPatch::make_directories(const std::string& directory, bool must_be_new) {
  miniapp::together(world_.comm, [&] {
    if (world_.rank != 0) return;
    if (must_be_new && fs::exists(directory)) throw std::runtime_error(directory + " already exists");
    fs::remove_all(directory);
    fs::create_directories(directory);
  });
}

std::string FilePerPatch::directory_of(const Snapshot& snapshot) const {
  return fmt::format("{}/step{:04}", path_, snapshot.step);
}

void FilePerPatch::write(const Snapshot& snapshot) {
  const std::string directory = directory_of(snapshot);
  make_directories(directory, false);
  miniapp::together(world_.comm, [&] {
    for (const OwnPatch& patch : snapshot.own) write_patch(directory, patch);
    if (world_.rank == 0) write_list(snapshot);
  });
}

void FilePerPatch::write_list(const Snapshot& snapshot) {
  const std::string path = directory_of(snapshot) + "/patches.txt", text = list_of(snapshot);
  const File file = open_unbuffered(path, "wb");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail("write", path);
}

void FilePerPatch::write_patch(const std::string& directory, const OwnPatch& patch) {
  const std::string path = directory + "/" + name_of(patch.level, patch.number);
  const File file = open_unbuffered(path, "wb");
  for (const auto& values : patch.values) {
    if (std::fwrite(values.data(), sizeof(double), values.size(), file.get()) != values.size()) {
      fail("write", path);
    }
    ++own_.count;
    own_.bytes += static_cast<Index>(values.size() * sizeof(double));
  }
}

Writes FilePerPatch::writes() {
  std::array<Index, 2> sums{own_.count, own_.bytes};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_INT64_T, MPI_SUM, world_.comm);
  return {sums[0], sums[1]};
}

void FilePerPatch::check(const Snapshot& snapshot) {
  miniapp::together(world_.comm, [&] {
    const std::string directory = directory_of(snapshot), list = directory + "/patches.txt";
    if (world_.rank == 0 && read_text(list) != list_of(snapshot)) {
      throw std::runtime_error(list + ": not the patches of the step");
    }
    for (const OwnPatch& patch : snapshot.own) check_patch(directory, patch);
  });
}

}  // namespace uintah
