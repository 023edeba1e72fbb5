#include "peer_case.h"

#include <algorithm>
#include <filesystem>

#include "grid/copy_samples.h"

namespace bench {
namespace {

/// Byte strides of `answer` as a map over the field's axes and components.
esker::SampleMap map_of(const FieldMemory& field, const Answer& answer) {
  constexpr Index kBytes = sizeof(double);
  std::array<Index, esker::kMaxRank> strides{};
  for (int a = 0; a < field.box.rank; ++a) strides[a] = answer.strides[a] * kBytes;
  esker::SampleMap map = esker::SampleMap::strided(field.box, strides);
  map.add_strided(field.components, answer.component_stride * kBytes);
  return map;
}

/// Strides in the order of the file: x fastest, components slowest.
Answer file_order(const FieldMemory& field, const double* first) {
  Answer answer = dense(field, first);
  for (Index& stride : answer.strides) stride /= field.components;
  answer.component_stride = field.box.num_samples();
  return answer;
}

void copy(const FieldMemory& field, const Answer& from, const Answer& to, double* target) {
  if (field.box.empty()) return;
  esker::copy_samples(sizeof(double), reinterpret_cast<const std::byte*>(from.first), map_of(field, from),
                      reinterpret_cast<std::byte*>(target), map_of(field, to));
}

}  // namespace

Region region_of(const FieldMemory& field, const Box& box) {
  Region region;
  if (field.components > 1) {
    region.start.push_back(0);
    region.count.push_back(field.components);
    region.stride.push_back(1);
  }
  for (int a = box.rank - 1; a >= 0; --a) {
    region.start.push_back(box.empty() ? 0 : box.lo[a] * field.spacing[a]);
    region.count.push_back(box.extent(a));
    region.stride.push_back(field.spacing[a]);
  }
  return region;
}

bool Region::is_strided() const {
  return std::any_of(stride.begin(), stride.end(), [](Index s) { return s != 1; });
}

Variable variable_of(const Workload& workload, const FieldMemory& field) {
  const GridExtent& grid = workload.grids[static_cast<std::size_t>(field.grid)];
  Variable v;
  v.name = field.name;
  v.shape = region_of(field, Box::from_extent(grid.rank, grid.extent)).count;
  v.part = region_of(field, field.box);
  if (field.components > 1) v.dims.push_back(field.name + "_component");
  for (int a = grid.rank - 1; a >= 0; --a) v.dims.emplace_back(1, grid.axes[static_cast<std::size_t>(a)]);
  v.is_dense = true;
  Index dense_stride = 1;
  for (int a = 0; a < grid.rank; ++a) {
    v.is_dense = v.is_dense && field.strides[a] == dense_stride;
    dense_stride *= field.box.extent(a);
  }
  v.is_dense = v.is_dense && (field.components == 1 || field.component_stride == dense_stride);
  return v;
}

std::vector<int> dimension_ids(const Variable& variable, std::map<std::string, int>& known,
                               const std::function<int(const std::string&, Index)>& define) {
  std::vector<int> ids;
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    const std::string& name = variable.dims[d];
    if (!known.count(name)) known[name] = define(name, variable.shape[d]);
    ids.push_back(known[name]);
  }
  return ids;
}

PeerCase::PeerCase(MPI_Comm comm, std::string name, const std::string& directory, const Workload& workload)
    : comm_(comm), name_(std::move(name)), directory_(directory), buffers_(workload.fields.size()) {
  MPI_Comm_rank(comm, &rank_);
  for (const FieldMemory& field : workload.fields) variables_.push_back(variable_of(workload, field));
}

std::string PeerCase::path(Index step) const { return directory_ + "/" + name_ + "." + std::to_string(step); }

std::string PeerCase::new_path(Index step) {
  steps_ = std::max(steps_, step + 1);
  return path(step);
}

Index PeerCase::stored_bytes() const {
  Index bytes = 0;
  for (Index step = 0; rank_ == 0 && step < steps_; ++step) {
    bytes += static_cast<Index>(std::filesystem::file_size(path(step)));
  }
  return bytes;
}

void PeerCase::remove() {
  for (Index step = 0; rank_ == 0 && step < steps_; ++step) std::filesystem::remove(path(step));
}

const double* PeerCase::in_file_order(const FieldMemory& field, std::size_t f) {
  const double* samples = field.samples.data();
  if (variables_[f].is_dense) return samples;
  double* buffer = buffer_of(field.samples.size(), f);
  copy(field, like_memory(field, samples), file_order(field, buffer), buffer);
  return buffer;
}

double* PeerCase::target(Samples& samples, std::size_t f) {
  return variables_[f].is_dense ? samples[f].data() : buffer_of(samples[f].size(), f);
}

void PeerCase::to_memory(const FieldMemory& field, Samples& samples, std::size_t f) const {
  if (variables_[f].is_dense) return;
  double* first = samples[f].data();
  copy(field, file_order(field, buffers_[f].data()), like_memory(field, first), first);
}

double* PeerCase::buffer_of(std::size_t size, std::size_t f) {
  buffers_[f].resize(size);
  return buffers_[f].data();
}

}  // namespace bench
