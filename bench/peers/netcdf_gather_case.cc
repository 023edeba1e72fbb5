// Serial netCDF: rank 0 writes and reads what all ranks hold.
#include <optional>

#include "netcdf_file.h"
#include "root_copy.h"

namespace bench {
namespace {

/// Larger than the definitions of any workload.
constexpr std::size_t kHeaderRoomBytes = 128 << 10;

const char* name_of(GatherStyle style) {
  switch (style) {
    case GatherStyle::kDefineOnce:
      return "netcdf_gather";
    case GatherStyle::kRedefine:
      return "netcdf_redefine";
    case GatherStyle::kRedefinePadded:
      return "netcdf_redefine_padded";
  }
  return "";
}

class NetcdfGatherCase final : public PeerCase {
 public:
  NetcdfGatherCase(MPI_Comm comm, const std::string& directory, const Workload& workload, GatherStyle style)
      : PeerCase(comm, name_of(style), directory, workload), style_(style), root_copy_(comm, workload) {}

  void write_step(const Workload& workload, Index step) override {
    const std::string path = new_path(step);
    std::optional<NetcdfFile> file;
    if (root_copy_.is_root()) file = NetcdfFile::create(path);
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const double* whole = root_copy_.gather(f, in_file_order(workload.fields[f], f));
      if (file) file->put(define(*file, f), whole_of(f), whole);
    }
    if (file) file->close();
  }

  void read_step(const Workload& workload, Index step, Samples& samples) override {
    std::optional<NetcdfFile> file;
    if (root_copy_.is_root()) file = NetcdfFile::open(path(step));
    for (std::size_t f = 0; f < samples.size(); ++f) {
      if (file) file->get(file->find(variables()[f]), whole_of(f), root_copy_.whole(f));
      root_copy_.scatter(f, target(samples, f));
      to_memory(workload.fields[f], samples, f);
    }
    if (file) file->close();
  }

 private:
  [[nodiscard]] Region whole_of(std::size_t f) const {
    const std::vector<Index>& shape = variables()[f].shape;
    return {std::vector<Index>(shape.size(), 0), shape, std::vector<Index>(shape.size(), 1)};
  }

  /// The ID of variable f, which is written next.
  int define(NetcdfFile& file, std::size_t f) {
    if (style_ == GatherStyle::kDefineOnce) {
      if (f > 0) return ids_[f];
      ids_.clear();
      for (const Variable& v : variables()) ids_.push_back(file.define(v));
      file.end_definitions();
      return ids_[f];
    }
    if (f > 0) file.redefine();
    const int id = file.define(variables()[f]);
    if (f == 0 && style_ == GatherStyle::kRedefinePadded) {
      file.end_definitions(kHeaderRoomBytes);
    } else {
      file.end_definitions();
    }
    return id;
  }

  GatherStyle style_;
  RootCopy root_copy_;
  std::vector<int> ids_;
};

}  // namespace

std::unique_ptr<Case> netcdf_gather_case(MPI_Comm comm, const std::string& directory,
                                         const Workload& workload, GatherStyle style) {
  return std::make_unique<NetcdfGatherCase>(comm, directory, workload, style);
}

}  // namespace bench
