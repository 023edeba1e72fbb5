// HDF5 over MPI-IO: contiguous or chunked datasets, written and read collectively.
#include <hdf5.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "peer_case.h"
#include "regular_parts.h"

namespace bench {
namespace {

/// An HDF5 handle of any kind; closed on destruction.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("hdf5: " + what);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check_hdf5(herr_t status, const std::string& what) {
  if (status < 0) throw std::runtime_error("hdf5: " + what);
}

std::vector<hsize_t> sizes(const std::vector<Index>& values) { return {values.begin(), values.end()}; }

Handle make_space(const std::vector<Index>& extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), sizes(extents).data(), nullptr), H5Sclose,
          "make a dataspace"};
}

/// Property lists.
Handle through_mpi(MPI_Comm comm) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
  check_hdf5(H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL), "use MPI-IO");
  check_hdf5(H5Pset_all_coll_metadata_ops(access, true), "read metadata together");
  check_hdf5(H5Pset_coll_metadata_write(access, true), "write metadata together");
  return access;
}

Handle collective() {
  Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make transfer properties");
  check_hdf5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), "write collectively");
  return transfer;
}

/// Contiguous if `chunk` is empty. All samples will be written, so fill values are not.
Handle creation(const std::vector<Index>& chunk, Hdf5Layout layout) {
  Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make dataset properties");
  check_hdf5(H5Pset_fill_time(create, H5D_FILL_TIME_NEVER), "leave out fill values");
  if (chunk.empty()) return create;
  check_hdf5(H5Pset_chunk(create, static_cast<int>(chunk.size()), sizes(chunk).data()), "set chunks");
  if (layout != Hdf5Layout::kDeflated) return create;
  constexpr unsigned kDefaultLevel = 6;
  check_hdf5(H5Pset_shuffle(create), "shuffle bytes");
  check_hdf5(H5Pset_deflate(create, kDefaultLevel), "deflate");
  return create;
}

/// This rank's part of a dataset, in the file and in dense memory.
struct Part {
  explicit Part(const Variable& v) : file(make_space(v.shape)), memory(make_space(v.part.count)) {
    if (std::count(v.part.count.begin(), v.part.count.end(), 0) > 0) {
      check_hdf5(H5Sselect_none(file), "select nothing");
      check_hdf5(H5Sselect_none(memory), "select nothing");
      return;
    }
    check_hdf5(H5Sselect_hyperslab(file, H5S_SELECT_SET, sizes(v.part.start).data(),
                                   sizes(v.part.stride).data(), sizes(v.part.count).data(), nullptr),
               "select a part");
  }
  Handle file, memory;
};

class Hdf5Case final : public PeerCase {
 public:
  Hdf5Case(MPI_Comm comm, const std::string& directory, const Workload& workload, Hdf5Layout layout)
      : PeerCase(comm, name_of(layout), directory, workload),
        layout_(layout),
        chunks_(workload.fields.size()) {
    if (layout == Hdf5Layout::kContiguous) return;
    const std::vector<Point> extents = regular_extents(comm, workload).value();
    for (std::size_t f = 0; f < chunks_.size(); ++f) {
      const FieldMemory& field = workload.fields[f];
      chunks_[f] = region_of(field, Box::from_extent(field.box.rank, extents[f])).count;
    }
  }

  void write_step(const Workload& workload, Index step) override {
    const Handle file(H5Fcreate(new_path(step).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, through_mpi(comm())),
                      H5Fclose, "create " + path(step));
    const Handle together = collective();
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const Variable& v = variables()[f];
      const Part part(v);
      const Handle dataset(H5Dcreate2(file, v.name.c_str(), H5T_IEEE_F64LE, make_space(v.shape), H5P_DEFAULT,
                                      creation(chunks_[f], layout_), H5P_DEFAULT),
                           H5Dclose, "create dataset " + v.name);
      check_hdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, part.memory, part.file, together,
                          in_file_order(workload.fields[f], f)),
                 "write " + v.name);
    }
  }

  [[nodiscard]] bool reads_levels() const override { return true; }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    const Handle file(H5Fopen(path(step).c_str(), H5F_ACC_RDONLY, through_mpi(comm())), H5Fclose,
                      "open " + path(step));
    const Handle together = collective();
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const Variable v = variable_of(workload, workload.fields[f]);
      const Part part(v);
      const Handle dataset(H5Dopen2(file, v.name.c_str(), H5P_DEFAULT), H5Dclose, "open dataset " + v.name);
      check_hdf5(H5Dread(dataset, H5T_NATIVE_DOUBLE, part.memory, part.file, together, target(samples, f)),
                 "read " + v.name);
      to_memory(workload.fields[f], samples, f);
    }
  }

 private:
  static const char* name_of(Hdf5Layout layout) {
    return layout == Hdf5Layout::kContiguous ? "hdf5"
           : layout == Hdf5Layout::kChunked  ? "hdf5_chunked"
                                             : "hdf5_deflate";
  }

  Hdf5Layout layout_;
  std::vector<std::vector<Index>> chunks_;  // per field, slowest dimension first; empty: contiguous
};

}  // namespace

std::unique_ptr<Case> hdf5_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                Hdf5Layout layout) {
  return std::make_unique<Hdf5Case>(comm, directory, workload, layout);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  check_hdf5(H5get_libversion(&major, &minor, &release), "tell the version");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace bench
