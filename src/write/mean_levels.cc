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
#include "model/coarse_fields.h"
#include "model/fill_value.h"

namespace esker {
namespace {

constexpr Index kEdge = 2;        // children of a cell along each axis
constexpr Index kAlignment = 16;  // of everything in memory

std::array<Index, kMaxRank> dense_strides(const Box& box, Index bytes) {
  std::array<Index, kMaxRank> strides{};
  for (int a = 0; a < box.rank; ++a) {
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
    layer.row_cells = std::max(layer.row_cells, box.extent(0));
    Index in_slabs = 0;
    HaloGeometry::for_each_slab(box, layer.domain, kEdge,
                                [&](int, const Box& slab) { in_slabs += slab.num_samples(); });
    layer.slab_cells = std::max(layer.slab_cells, in_slabs);
  }
  if (!is_coarsest) layer.halo = HaloGeometry(*holders, kEdge, rank);
  layers_.push_back(std::move(layer));
  return layers_.size() - 1;
}

/// Of a child of cells of level + 1: a sample of the field, or the sum of a cell of `level`.
Index MeanLevels::child_bytes(const Source& source, std::size_t level) const {
  return level == 0 ? size_bytes(source.type) : cell_sum_bytes(source.type);
}

/// Chooses the parts of memory, and reserves transfers.
Status MeanLevels::lay_out_memory(Comm& comm) {
  Index end = 0, sums[2] = {}, received = 0, send = 0, slabs = 0, row = 0;
  for (Source& source : sources_) {
    const std::size_t coarsest = source.positions.size();
    for (std::size_t level = 0; level <= coarsest; ++level) {
      const Layer& layer = layers_[source.layers[level]];
      const Index bytes = child_bytes(source, level);
      if (level > 0) {
        source.means.push_back(next_part(layer.num_cells * source.components * size_bytes(source.type), end));
        row = std::max(row, layer.row_cells * cell_sum_bytes(source.type));
      }
      if (level == coarsest) break;
      if (level > 0) sums[level % 2] = std::max(sums[level % 2], layer.num_cells * bytes);
      if (!layer.halo.can_send(bytes)) {
        return error(
            Code::kUnsupported,
            "level_values=mean: {} samples of one rank complete cells of another, expected at most 1 "
            "GiB; put smaller patches",
            layer.halo.most_samples_of_message());
      }
      received = std::max(received, layer.halo.received_samples() * bytes);
      send = std::max(send, layer.halo.sent_samples() * bytes);
      slabs = std::max(slabs, layer.slab_cells * bytes + kMaxRank * kAlignment);
      comm.reserve_transfers(layer.halo.num_sent(), layer.halo.num_received());
    }
  }
  scratch_ = {{next_part(sums[0], end), next_part(sums[1], end)},
              next_part(received, end),
              next_part(send, end),
              next_part(slabs, end),
              next_part(row, end)};
  memory_bytes_ = end;
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

/// The means of a patch: dense, with adjacent components.
Patch MeanLevels::mean_patch(const Source& source, std::size_t level, std::size_t number) const {
  const Layer& layer = layers_[source.layers[level]];
  const Index component_bytes = size_bytes(source.type), bytes = source.components * component_bytes;
  const std::byte* data = memory_->data() + source.means[level - 1] + layer.first_cells[number] * bytes;
  const Box& box = layer.boxes[number];
  return {box, data, source.type, dense_strides(box, bytes), component_bytes};
}

/// The children of cells of level + 1 in a patch.
Patch MeanLevels::child_patch(const Source& source, int component, std::size_t level, int number) const {
  const auto at = static_cast<std::size_t>(number);
  if (level == 0) {
    Patch patch = source.patches[at];
    const Index dense = size_bytes(source.type);
    const Index stride = patch.component_stride_bytes != 0 ? patch.component_stride_bytes : dense;
    patch.data = static_cast<const std::byte*>(patch.data) + component * stride;
    return patch;
  }
  const Layer& layer = layers_[source.layers[level]];
  const Index bytes = cell_sum_bytes(source.type);
  const std::byte* data = memory_->data() + scratch_.sums[level % 2] + layer.first_cells[at] * bytes;
  return {layer.boxes[at], data, source.type, dense_strides(layer.boxes[at], bytes), 0};
}

/// Puts what was received for a patch into its slabs.
void MeanLevels::fill_slabs(const Layer& children, int patch, Index bytes, CellsOfPatch& work) const {
  std::byte* memory = memory_->data();
  Index end = scratch_.slabs;
  HaloGeometry::for_each_slab(work.own.box, work.domain, kEdge, [&](int a, const Box& slab) {
    const Index begin = next_part(slab.num_samples() * bytes, end);
    work.slabs[static_cast<std::size_t>(a)] = {slab, memory + begin, dense_strides(slab, bytes)};
  });
  for (const HaloGeometry::Piece& piece : children.halo.pieces_of(patch)) {
    const ChildBox& slab = work.slabs[static_cast<std::size_t>(piece.slab)];
    Index first = slab.data - memory;
    for (int a = 0; a < piece.box.rank; ++a) {
      first += (piece.box.lo[a] - slab.box.lo[a]) * slab.stride_bytes[static_cast<std::size_t>(a)];
    }
    copy_samples(bytes, memory + scratch_.received + piece.first_sample * bytes,
                 SampleMap::dense(piece.box, bytes), memory + first,
                 SampleMap::strided(piece.box, slab.stride_bytes));
  }
}

/// The means of `level`, and their sums unless it is the coarsest one, from the level below.
void MeanLevels::average(const Source& source, int component, std::size_t level) const {
  const Layer& children = layers_[source.layers[level - 1]];
  const Layer& cells = layers_[source.layers[level]];
  const Index bytes = child_bytes(source, level - 1), sum_bytes = cell_sum_bytes(source.type);
  for (std::size_t p = 0; p < cells.boxes.size(); ++p) {
    if (cells.boxes[p].empty()) continue;
    const Patch own = child_patch(source, component, level - 1, static_cast<int>(p));
    CellsOfPatch work{source.type,
                      source.missing,
                      level > 1,
                      cells.boxes[p],
                      children.domain,
                      {own.box, static_cast<const std::byte*>(own.data), own.stride_bytes},
                      {}};
    fill_slabs(children, static_cast<int>(p), bytes, work);
    work.row = memory_->data() + scratch_.row;
    if (level < source.positions.size()) {
      work.sums = memory_->data() + scratch_.sums[level % 2] + cells.first_cells[p] * sum_bytes;
    }
    const Index mean_bytes = size_bytes(source.type);
    work.mean_bytes = source.components * mean_bytes;
    work.means = memory_->data() + source.means[level - 1] + cells.first_cells[p] * work.mean_bytes +
                 component * mean_bytes;
    average_cells(work);
  }
}

void MeanLevels::make(Comm& comm, Seconds& exchange_s, Seconds& compute_s) const {
  for (const Source& source : sources_) {
    for (int component = 0; component < source.components; ++component) {
      for (std::size_t level = 1; level <= source.positions.size(); ++level) {
        Stopwatch watch;
        layers_[source.layers[level - 1]].halo.exchange(
            comm, child_bytes(source, level - 1),
            [&](int number) { return child_patch(source, component, level - 1, number); },
            memory_->data() + scratch_.received, memory_->data() + scratch_.send);
        exchange_s += watch.lap();
        average(source, component, level);
        compute_s += watch.lap();
      }
    }
  }
}

}  // namespace esker
