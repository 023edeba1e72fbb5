#include "hdf5_mode.h"

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "common/together.h"

namespace bench {
namespace {

using uintah::OwnPatch;
using uintah::Snapshot;

/// An HDF5 handle of any kind; closed on destruction.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error(std::string("hdf5: ") + what);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status, const char* what) {
  if (status < 0) throw std::runtime_error(std::string("hdf5: ") + what);
}

hid_t line(hsize_t count) { return H5Screate_simple(1, &count, nullptr); }

/// The samples of a level in its dataset: those of all patches, and those of this rank.
struct Extent {
  Index first = 0, mine = 0, all = 0;
};

Extent extent_of(const Snapshot& snapshot, int level) {
  Extent extent;
  Index number = 0;
  const auto& patches = snapshot.hierarchy->patches(level);
  for (const OwnPatch& patch : snapshot.own) {
    if (patch.level != level) continue;
    if (extent.mine == 0) {
      for (; number < patch.number; ++number)
        extent.first += patches[number].num_samples() * uintah::kNumFields;
    }
    extent.mine += patch.box.num_samples() * uintah::kNumFields;
  }
  for (const auto& box : patches) extent.all += box.num_samples() * uintah::kNumFields;
  return extent;
}

/// This rank's patches of a level, back to back.
std::vector<double> pack(const Snapshot& snapshot, int level) {
  std::vector<double> packed;
  for (const OwnPatch& patch : snapshot.own) {
    if (patch.level != level) continue;
    for (const auto& values : patch.values) packed.insert(packed.end(), values.begin(), values.end());
  }
  return packed;
}

class Hdf5Mode : public uintah::Mode {
 public:
  Hdf5Mode(const miniapp::World& world, std::string path, bool is_collective)
      : world_(world), path_(std::move(path)), is_collective_(is_collective) {
    miniapp::together(world_.comm, [&] {
      if (world_.rank == 0) std::filesystem::create_directories(path_);
    });
  }

  void write(const Snapshot& snapshot) override {
    const Handle access = through_mpi();
    const Handle file(H5Fcreate(path_of(snapshot).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
                      "create a file");
    for (int level = 0; level < snapshot.hierarchy->mesh().num_levels(); ++level) {
      const Handle group(H5Gcreate2(file, name_of(level).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Gclose, "create a group");
      write_boxes(group, snapshot, level);
      transfer(group, snapshot, level, true);
    }
  }
  void close() override {}
  [[nodiscard]] uintah::Writes writes() override { return {}; }
  void check(const Snapshot& snapshot) override {
    const Handle access = through_mpi();
    const Handle file(H5Fopen(path_of(snapshot).c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open a file");
    for (int level = 0; level < snapshot.hierarchy->mesh().num_levels(); ++level) {
      const Handle group(H5Gopen2(file, name_of(level).c_str(), H5P_DEFAULT), H5Gclose, "open a group");
      transfer(group, snapshot, level, false);
    }
  }
  [[nodiscard]] bool writes_covered_cells() const override { return true; }
  [[nodiscard]] std::vector<std::string> paths() const override { return {path_}; }

 private:
  static constexpr const char* kData = "data:datatype=0";

  [[nodiscard]] Handle through_mpi() const {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bench::check(H5Pset_fapl_mpio(access, world_.comm, MPI_INFO_NULL), "use MPI-IO");
    bench::check(H5Pset_all_coll_metadata_ops(access, true), "read metadata together");
    bench::check(H5Pset_coll_metadata_write(access, true), "write metadata together");
    return {access, H5Pclose, "make file properties"};
  }

  [[nodiscard]] std::string path_of(const Snapshot& snapshot) const {
    return path_ + "/step" + std::to_string(snapshot.step) + ".hdf5";
  }
  static std::string name_of(int level) { return "level_" + std::to_string(level); }

  /// Boxes and offsets of all patches, by rank 0.
  void write_boxes(hid_t group, const Snapshot& snapshot, int level) const {
    std::vector<Index> boxes, offsets{0};
    for (const auto& box : snapshot.hierarchy->patches(level)) {
      boxes.insert(boxes.end(), box.lo.begin(), box.lo.begin() + 3);
      boxes.insert(boxes.end(), box.hi.begin(), box.hi.begin() + 3);
      offsets.push_back(offsets.back() + box.num_samples() * uintah::kNumFields);
    }
    for (const auto& [name, values] : {std::pair{"boxes", boxes}, {"data:offsets=0", offsets}}) {
      const Handle space(line(values.size()), H5Sclose, "make a dataspace");
      const Handle dataset(
          H5Dcreate2(group, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
          "create a dataset");
      if (world_.rank > 0) continue;
      bench::check(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                   "write boxes");
    }
  }

  /// Writes this rank's patches of a level, or reads and compares them.
  void transfer(hid_t group, const Snapshot& snapshot, int level, bool writes) const {
    const Extent extent = extent_of(snapshot, level);
    const Handle space(line(static_cast<hsize_t>(extent.all)), H5Sclose, "make a dataspace");
    const Handle memory(line(static_cast<hsize_t>(extent.mine)), H5Sclose, "make a dataspace");
    const Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make dataset properties");
    bench::check(H5Pset_fill_time(create, H5D_FILL_TIME_NEVER), "leave out fill values");
    const Handle dataset(
        writes ? H5Dcreate2(group, kData, H5T_IEEE_F64LE, space, H5P_DEFAULT, create, H5P_DEFAULT)
               : H5Dopen2(group, kData, H5P_DEFAULT),
        H5Dclose, "open a dataset");
    const auto first = static_cast<hsize_t>(extent.first), count = static_cast<hsize_t>(extent.mine);
    bench::check(count > 0 ? H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr)
                           : H5Sselect_none(space),
                 "select a part");
    const Handle how(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make transfer properties");
    bench::check(H5Pset_dxpl_mpio(how, is_collective_ ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT),
                 "choose a transfer");
    const std::vector<double> packed = pack(snapshot, level);
    if (writes) {
      bench::check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, how, packed.data()), "write samples");
      return;
    }
    std::vector<double> found(packed.size());
    bench::check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, how, found.data()), "read samples");
    if (found != packed) throw std::runtime_error(path_ + ": values differ from those written");
  }

  miniapp::World world_;
  std::string path_;
  bool is_collective_;
};

}  // namespace

std::vector<NamedMode> hdf5_modes(const miniapp::World& world) {
  const auto make = [world](bool is_collective) {
    return [=](const std::string& path) { return std::make_unique<Hdf5Mode>(world, path, is_collective); };
  };
  return {{"hdf5_collective", make(true)}, {"hdf5_independent", make(false)}};
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  check(H5get_libversion(&major, &minor, &release), "tell the version");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace bench
