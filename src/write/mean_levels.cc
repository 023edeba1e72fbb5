#include "write/mean_levels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/copy_samples.h"
#include "grid/dense_axis.h"
#include "model/coarse_fields.h"
#include "model/fill_value.h"

namespace esker {
namespace {

constexpr Index kEdge = 2;        // children of a cell along each axis
constexpr Index kAlignment = 16;  // of everything in memory
constexpr std::size_t kMostLevels = 1 + kMostCoarseLevels;

/// Strides of dense samples that are adjacent along `axis`.
std::array<Index, kMaxRank> dense_strides(const Box& box, Index bytes, int axis = 0) {
  std::array<Index, kMaxRank> strides{};
  strides[static_cast<std::size_t>(axis)] = bytes;
  bytes *= box.extent(axis);
  for (int a = 0; a < box.rank; ++a) {
    if (a == axis) continue;
    strides[static_cast<std::size_t>(a)] = bytes;
    bytes *= box.extent(a);
  }
  return strides;
}

/// _FillValue first.
MissingValues missing_values(const Field& field) {
  MissingValues missing;
  for (const char* name : {kFillValueAttribute, kMissingValueAttribute}) {
    const std::vector<std::byte> value = attribute_value(field, name);
    if (value.empty()) continue;
    std::memcpy(&missing.values[static_cast<std::size_t>(missing.count++)], value.data(), value.size());
  }
  return missing;
}

/// The next part of memory; `end` moves behind it.
Index next_part(Index bytes, Index& end) {
  const Index begin = end;
  end += round_up(bytes, kAlignment);
  return begin;
}

}  // namespace

void LevelMemory::reserve(Index bytes, Index most) {
  if (size_ >= bytes && size_ <= std::max(bytes, most)) return;
  data_.reset();
  size_ = 0;
  data_.reset(new std::byte[static_cast<std::size_t>(bytes)]);
  size_ = bytes;
}

MeanLevels::MeanLevels(const Schema& schema, int num_levels, const std::vector<bool>& due) {
  std::vector<std::size_t> source_of(schema.fields().size(), schema.fields().size());
  std::size_t position = schema.fields().size();
  for (const auto& [f, level] : coarse_fields(schema, num_levels)) {
    const auto number = static_cast<std::size_t>(f);
    const bool is_due = due[position];
    if (is_due && level == 1) {
      const Field& field = schema.fields()[number];
      source_of[number] = sources_.size();
      Source& source = sources_.emplace_back();
      source.field = f;
      source.type = field.type;
      source.components = field.components;
      source.missing = missing_values(field);
    }
    if (is_due) sources_[source_of[number]].positions.push_back(static_cast<int>(position));
    ++position;
  }
}

Status MeanLevels::plan_halo(Comm& comm, Directory& directory, const BoxesOfField& boxes) {
  const auto holders_of = [&](const Source& source, std::size_t level) {
    return boxes.at(level == 0 ? source.field : source.positions[level - 1]).get();
  };
  ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
    for (const Source& source : sources_) {
      for (std::size_t level = 0; level < source.positions.size(); ++level) {
        const Distribution& holders = *holders_of(source, level);
        HaloGeometry::for_each_region(holders, kEdge, comm.rank(),
                                      [&](const Box& region) { visit(holders, region); });
      }
    }
  }));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for (Source& source : sources_) {
      const std::size_t coarsest = source.positions.size();
      for (std::size_t level = 0; level <= coarsest; ++level) {
        source.layers.push_back(layer_of(holders_of(source, level), level == coarsest, comm.rank()));
      }
    }
    return lay_out_memory(comm);
  }));
  std::array<std::uint64_t, 1> most{static_cast<std::uint64_t>(memory_bytes_)};
  comm.all_reduce_max(most);
  most_memory_bytes_ = static_cast<Index>(most[0]);
  return {};
}

std::size_t MeanLevels::layer_of(const Distribution* holders, bool is_coarsest, int rank) {
  const auto known = std::ranges::find(layers_, holders, &Layer::holders);
  if (known != layers_.end()) return static_cast<std::size_t>(known - layers_.begin());
  Layer layer;
  layer.holders = holders;
  layer.boxes = holders->boxes_of(rank);
  layer.domain = holders->domain();
  for (const Box& box : layer.boxes) {
    layer.first_cells.push_back(layer.num_cells);
    layer.num_cells += box.num_samples();
    for (int a = 0; a < box.rank; ++a) layer.row_cells = std::max(layer.row_cells, box.extent(a));
    Index in_slabs = 0;
    HaloGeometry::for_each_slab(box, layer.domain, kEdge,
                                [&](int, const Box& slab) { in_slabs += slab.num_samples(); });
    layer.slab_cells = std::max(layer.slab_cells, in_slabs);
  }
  if (!is_coarsest) layer.halo = HaloGeometry(*holders, kEdge, rank);
  layers_.push_back(std::move(layer));
  return layers_.size() - 1;
}

/// The means of all fields, and what one component of a field needs at a time.
Status MeanLevels::lay_out_memory(Comm& comm) {
  Index end = 0;
  for (Source& source : sources_) {
    for (std::size_t level = 1; level <= source.coarsest(); ++level) {
      const Layer& layer = layers_[source.layers[level]];
      source.means.push_back(next_part(layer.num_cells * source.mean_bytes(), end));
    }
  }
  memory_bytes_ = end;
  for (Source& source : sources_) ESKER_RETURN_IF_ERROR(lay_out_scratch(comm, source, end));
  return {};
}

Status MeanLevels::lay_out_scratch(Comm& comm, Source& source, Index begin) {
  const Index sum_bytes = CellSums::of(source.type).bytes;
  Index end = begin, send = 0;
  for (std::size_t level = 0; level <= source.coarsest(); ++level) {
    const Layer& layer = layers_[source.layers[level]];
    const HaloGeometry& halo = layer.halo;
    const Index bytes = level == 0 ? size_bytes(source.type) : sum_bytes;
    if (!halo.can_send(bytes)) {
      return error(
          Code::kUnsupported,
          "level_values=mean: {} samples of one rank complete cells of another, expected at most 1 GiB; "
          "put smaller patches",
          halo.most_samples_of_message());
    }
    comm.reserve_transfers(halo.num_sent(), halo.num_received());
    const Index num_rows = MeanPyramid::num_rows(layer.domain.rank);
    source.rows.push_back(next_part(num_rows * layer.row_cells * sum_bytes, end));
    source.received.push_back(next_part(halo.received_samples() * bytes, end));
    source.slabs.push_back(next_part(layer.slab_cells * bytes + kMaxRank * kAlignment, end));
    send = std::max(send, halo.sent_samples() * bytes);
  }
  source.send = next_part(send, end);
  memory_bytes_ = std::max(memory_bytes_, end);
  return {};
}

Index MeanLevels::list_bytes() const {
  Index bytes = 0;
  for (const Layer& layer : layers_) {
    bytes += layer.halo.size_bytes() + static_cast<Index>(layer.boxes.capacity() * sizeof(Box) +
                                                          layer.first_cells.capacity() * sizeof(Index));
  }
  for (const Source& source : sources_) bytes += source.patches.size_bytes();
  return bytes;
}

void MeanLevels::take(const std::vector<PatchList>& patches) {
  for (Source& source : sources_) source.patches = patches[static_cast<std::size_t>(source.field)];
}

bool MeanLevels::makes(int field) const {
  return std::ranges::any_of(sources_, [field](const Source& source) {
    return std::ranges::find(source.positions, field) != source.positions.end();
  });
}

PatchList MeanLevels::patches_of(int field) const {
  for (const Source& source : sources_) {
    const auto found = std::ranges::find(source.positions, field);
    if (found == source.positions.end()) continue;
    const auto level = static_cast<std::size_t>(found - source.positions.begin()) + 1;
    PatchList list;
    for (std::size_t p = 0; p < layers_[source.layers[level]].boxes.size(); ++p) {
      list.push_back(mean_patch(source, level, p));
    }
    return list;
  }
  return {};
}

/// The means of a patch: dense, with adjacent components, along the axes as in the patch.
Patch MeanLevels::mean_patch(const Source& source, std::size_t level, std::size_t number) const {
  const Layer& layer = layers_[source.layers[level]];
  const std::byte* data =
      memory_->data() + source.means[level - 1] + layer.first_cells[number] * source.mean_bytes();
  const Box& box = layer.boxes[number];
  const Patch samples = source.patches[number];
  return {box, data, source.type, dense_strides(box, source.mean_bytes(), dense_axis(samples, samples.box)),
          size_bytes(source.type)};
}

Patch MeanLevels::sample_patch(const Source& source, int component, int number) const {
  Patch patch = source.patches[static_cast<std::size_t>(number)];
  const Index dense = size_bytes(source.type);
  const Index stride = patch.component_stride_bytes != 0 ? patch.component_stride_bytes : dense;
  patch.data = static_cast<const std::byte*>(patch.data) + component * stride;
  return patch;
}

/// The pyramid of one patch at a time.
class MeanLevels::Pyramid {
 public:
  Pyramid(const MeanLevels& of, const Source& source, int component)
      : of_(of), source_(source), component_(component), sums_(CellSums::of(source.type)) {}

  /// The pyramid of a patch, with the slabs of levels below `end`.
  MeanPyramid of_patch(int patch, std::size_t end) {
    if (patch != patch_) {
      patch_ = patch;
      num_slabs_ = 0;
      const Patch samples = of_.sample_patch(source_, component_, patch);
      samples_ = {samples.box, static_cast<const std::byte*>(samples.data), samples.stride_bytes};
      axis_ = dense_axis(samples, samples.box);
      for (std::size_t level = 0; level <= source_.coarsest(); ++level) begin_level(level);
    }
    for (; num_slabs_ < end; ++num_slabs_) fill_slabs(num_slabs_);
    return {sums_, source_.missing, samples_, axis_, std::span(levels_).first(source_.coarsest() + 1)};
  }
  [[nodiscard]] Index child_bytes(std::size_t level) const {
    return level == 0 ? size_bytes(source_.type) : sums_.bytes;
  }

 private:
  void begin_level(std::size_t level) {
    const Layer& layer = of_.layers_[source_.layers[level]];
    std::byte* memory = of_.memory_->data();
    const auto patch = static_cast<std::size_t>(patch_);
    MeanPyramid::Level& of = levels_[level];
    of = {layer.domain, layer.boxes[patch], {}, memory + source_.rows[level]};
    if (level == 0) return;
    of.means = memory + source_.means[level - 1] + layer.first_cells[patch] * source_.mean_bytes() +
               component_ * size_bytes(source_.type);
    of.mean_strides = dense_strides(of.own, source_.mean_bytes(), axis_);
  }

  /// Puts what was received for the patch into its slabs.
  void fill_slabs(std::size_t level) {
    const Layer& layer = of_.layers_[source_.layers[level]];
    std::byte* memory = of_.memory_->data();
    const Index bytes = child_bytes(level);
    MeanPyramid::Level& of = levels_[level];
    Index end = source_.slabs[level];
    HaloGeometry::for_each_slab(of.own, of.domain, kEdge, [&](int a, const Box& slab) {
      const Index begin = next_part(slab.num_samples() * bytes, end);
      of.slabs[static_cast<std::size_t>(a)] = {slab, memory + begin, dense_strides(slab, bytes)};
    });
    for (const HaloGeometry::Piece& piece : layer.halo.pieces_of(patch_)) {
      const ChildBox& slab = of.slabs[static_cast<std::size_t>(piece.slab)];
      Index first = slab.data - memory;
      for (int a = 0; a < piece.box.rank; ++a) {
        first += (piece.box.lo[a] - slab.box.lo[a]) * slab.stride_bytes[static_cast<std::size_t>(a)];
      }
      copy_samples(bytes, memory + source_.received[level] + piece.first_sample * bytes,
                   SampleMap::dense(piece.box, bytes), memory + first,
                   SampleMap::strided(piece.box, slab.stride_bytes));
    }
  }

  const MeanLevels& of_;
  const Source& source_;
  int component_;
  CellSums sums_;
  int patch_ = -1;
  std::size_t num_slabs_ = 0;  // levels that have them
  ChildBox samples_;
  int axis_ = 0;  // along which they are densest
  std::array<MeanPyramid::Level, kMostLevels> levels_;
};

/// Sends and receives the layers of all levels, the finest first: those of a level need those below.
void MeanLevels::exchange(Comm& comm, const Source& source, int component) const {
  for (std::size_t level = 0; level < source.coarsest(); ++level) {
    Pyramid pyramid(*this, source, component);
    const auto pack = [&](int patch, const Box& box, std::byte* target) {
      if (level == 0) {
        HaloGeometry::pack(sample_patch(source, component, patch), box, size_bytes(source.type), target);
      } else {
        pyramid.of_patch(patch, level).copy_sums(level, box, target);
      }
    };
    layers_[source.layers[level]].halo.exchange(comm, pyramid.child_bytes(level), pack,
                                                memory_->data() + source.received[level],
                                                memory_->data() + source.send);
  }
}

void MeanLevels::make(Comm& comm, Seconds& exchange_s, Seconds& compute_s) const {
  for (const Source& source : sources_) {
    const auto num_patches = static_cast<int>(layers_[source.layers[0]].boxes.size());
    for (int component = 0; component < source.components; ++component) {
      Stopwatch watch;
      exchange(comm, source, component);
      exchange_s += watch.lap();
      Pyramid pyramid(*this, source, component);
      for (int patch = 0; patch < num_patches; ++patch) {
        pyramid.of_patch(patch, source.coarsest()).make_means();
      }
      compute_s += watch.lap();
    }
  }
}

}  // namespace esker
