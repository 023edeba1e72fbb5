#include "write/cell_coding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "codec/cell_coder.h"
#include "comm/agree.h"
#include "grid/cells.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

/// A box of samples in memory.
struct Source {
  Box box;
  const std::byte* data = nullptr;
  std::array<Index, kMaxRank> strides{};

  static Source of(const Patch& patch) {
    return {patch.box, static_cast<const std::byte*>(patch.data), patch.stride_bytes};
  }
  static Source of(const CellHalo::Part& part, Index sample_bytes) {
    Source source{part.box, part.samples, {}};
    Index stride = sample_bytes;
    for (int a = 0; a < part.box.rank; ++a) {
      source.strides[a] = stride;
      stride *= part.box.extent(a);
    }
    return source;
  }
};

/// Copies the samples that a source has of a cell to their places in the cell, x fastest.
template <class Word>
void copy_to_cell(const Source& source, const Box& in_cell, Word* cell) {
  const Box box = intersect(source.box, in_cell);
  Point p = box.lo;
  for (p[2] = box.lo[2]; p[2] < box.hi[2]; ++p[2]) {
    for (p[1] = box.lo[1]; p[1] < box.hi[1]; ++p[1]) {
      const std::byte* from = source.data;
      for (int a = 0; a < box.rank; ++a) from += (p[a] - source.box.lo[a]) * source.strides[a];
      Word* to = cell + (box.lo[0] - in_cell.lo[0]) + kCellEdge * (p[1] - in_cell.lo[1]) +
                 kCellEdge * kCellEdge * (p[2] - in_cell.lo[2]);
      for (Index x = box.lo[0]; x < box.hi[0]; ++x, from += source.strides[0], ++to) {
        std::memcpy(to, from, sizeof(Word));
      }
    }
  }
}

void copy_to_cell(const Source& source, const Box& in_cell, Index sample_bytes, void* cell) {
  if (sample_bytes == 4) {
    copy_to_cell(source, in_cell, static_cast<std::uint32_t*>(cell));
  } else {
    copy_to_cell(source, in_cell, static_cast<std::uint64_t*>(cell));
  }
}

/// Calls visit(index, offset in bytes) for the samples of one side of a copy.
template <class Visit>
Status for_each_place(const SampleMap& map, const Visit& visit) {
  Point i{};
  const auto count = [&](int a) { return a < map.num_axes() ? map.axis(a).count : 1; };
  const auto offset = [&](int a) { return a < map.num_axes() ? map.offset(a, i[a]) : 0; };
  for (i[2] = 0; i[2] < count(2); ++i[2]) {
    for (i[1] = 0; i[1] < count(1); ++i[1]) {
      for (i[0] = 0; i[0] < count(0); ++i[0])
        ESKER_RETURN_IF_ERROR(visit(i, offset(0) + offset(1) + offset(2)));
    }
  }
  return {};
}

}  // namespace

/// A field of the plan.
struct CellCoding::Column {
  int number = 0;  // in the plan
  int field = 0;   // of the schema
  int layout = 0, layout_field = 0;
  std::string name;
  Box domain;  // of the samples
  CellCoder coder;
  float largest_error = 0;   // with all bits
  bool is_infinite = false;  // a finite sample is decoded as infinity, likewise

  [[nodiscard]] Index sample_bytes() const { return esker::size_bytes(coder.form().type); }
};

CellCoding::~CellCoding() = default;

namespace {

Status cannot_code(SampleType type, const std::string& field, const Box& samples) {
  const bool is_float = type == SampleType::kFloat32 || type == SampleType::kFloat64;
  return error(
      Code::kInvalidArgument,
      "field '{}': a sample in {} {}; store the field without stored_bits, or replace the value", field,
      samples.to_string(),
      is_float ? "is infinite or not a number" : "is too large: zfp needs integers of half the range");
}

}  // namespace

CellCoding::CellCoding(const StepLayouts& layouts, const PieceSpace& space, const Schema& schema)
    : space_(space) {
  for (std::size_t c = 0; c < layouts.columns.size(); ++c) {
    const StepLayouts::Column& column = layouts.columns[c];
    number_of_.push_back(column.stored_bits > 0 ? static_cast<int>(columns_.size()) : -1);
    if (column.stored_bits == 0) continue;
    const Field& field = schema.fields()[static_cast<std::size_t>(column.field)];
    const Box domain = schema.box_of(schema.grid_of(field));
    columns_.push_back({static_cast<int>(c), column.field, column.layout, column.layout_field, field.name,
                        domain, CellCoder({field.type, domain.rank, column.stored_bits})});
  }
}

Status CellCoding::plan_halo(Comm& comm, Directory& directory, const BoxesOfField& boxes) {
  std::vector<CellHalo::Column> columns;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for (const Column& column : columns_) {
      columns.push_back({column.number, boxes.at(column.field), column.sample_bytes()});
    }
    return Status();
  }));
  return halo_.plan(comm, directory, std::move(columns));
}

Status CellCoding::connect(Comm& comm, const StepLayouts& layouts, const Ownership& ownership,
                           const Plan& plan, const std::vector<FieldPatches>& fields) {
  std::vector<Index> coded;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    coded = coded_pieces(fields, comm.rank());
    return Status();
  }));
  return heads_.connect(comm, layouts, space_, ownership, plan, std::move(coded));
}

std::vector<Index> CellCoding::coded_pieces(const std::vector<FieldPatches>& fields, int rank) const {
  std::vector<Index> pieces;
  for (const Column& column : columns_) {
    const Index base = space_.first_ordinal(column.layout);
    for (const Box& cells : fields[static_cast<std::size_t>(column.number)].holders->boxes_of(rank)) {
      if (cells.empty()) continue;
      space_.layout(column.layout)
          .for_each_segment(column.layout_field, cells,
                            [&](const Piece& piece, const PiecePart&, const Box&) {
                              pieces.push_back(base + piece.ordinal);
                            });
    }
  }
  return pieces;
}

Status CellCoding::check_values(const PatchesOfFields& patches) {
  for (const Column& column : columns_) {
    const PatchList& list = patches[static_cast<std::size_t>(column.number)];
    for (std::size_t p = 0; p < list.size(); ++p) ESKER_RETURN_IF_ERROR(check_values(column, list[p]));
  }
  return {};
}

Status CellCoding::check_values(const Column& column, const Patch& patch) {
  const int rank = patch.box.rank;
  const auto* samples = reinterpret_cast<const std::byte*>(samples_.data());
  const Box cells = cells_meeting(patch.box, rank);
  Point cell{};
  for (cell[2] = cells.lo[2]; cell[2] < cells.hi[2]; ++cell[2]) {
    for (cell[1] = cells.lo[1]; cell[1] < cells.hi[1]; ++cell[1]) {
      for (cell[0] = cells.lo[0]; cell[0] < cells.hi[0]; ++cell[0]) {
        const Box in_cell = intersect(samples_of_cell(cell, rank), patch.box);
        copy_to_cell(Source::of(patch), in_cell, column.sample_bytes(), samples_.data());
        if (!column.coder.can_code(samples, in_cell.extents()))
          return cannot_code(column.coder.form().type, column.name, in_cell);
      }
    }
  }
  return {};
}

void CellCoding::begin_step(Comm& comm, const PatchesOfFields& patches) {
  heads_.begin_step();
  for (Column& column : columns_) {
    column.largest_error = 0;
    column.is_infinite = false;
  }
  halo_.exchange(comm, patches);
}

/// Gathers the samples of a cell that are in the grid; returns their number on each axis.
Point CellCoding::load(std::size_t number, const Patch& patch, int patch_number, const Box& in_cell) {
  const Index bytes = columns_[number].sample_bytes();
  copy_to_cell(Source::of(patch), in_cell, bytes, samples_.data());
  if (!patch.box.contains(in_cell)) {
    halo_.for_each_part(number, patch_number, [&](const CellHalo::Part& part) {
      copy_to_cell(Source::of(part, bytes), in_cell, bytes, samples_.data());
    });
  }
  return in_cell.extents();
}

Status CellCoding::make(const Segment& segment, const Patch& patch, std::byte* target,
                        const SegmentMap& place) {
  const auto number = static_cast<std::size_t>(number_of_[static_cast<std::size_t>(segment.field)]);
  Column& column = columns_[number];
  const auto last = static_cast<std::size_t>(column.coder.form().num_groups() - 1);
  const auto* samples = reinterpret_cast<const std::byte*>(samples_.data());
  auto* coded = reinterpret_cast<std::byte*>(coded_.data());
  PieceHead& head = heads_.at_position(segment.position);
  const auto code = [&](const Point& index, Index offset) -> Status {
    const Box in_cell =
        intersect(samples_of_cell(segment.samples.point(index), column.domain.rank), column.domain);
    const Point count = load(number, patch, segment.patch, in_cell);
    if (!column.coder.encode(samples, count, coded))
      return cannot_code(column.coder.form().type, column.name, in_cell);
    if (!column.coder.add_errors(samples, count, coded, head.errors)) column.is_infinite = true;
    std::memcpy(target + place.first_bytes + offset, coded, static_cast<std::size_t>(segment.sample_bytes));
    return {};
  };
  Status status = for_each_place(place.samples, code);
  column.largest_error = std::max(column.largest_error, head.errors[last]);
  return status;
}

void CellCoding::add_largest_errors(std::vector<double>& largest) const {
  for (const Column& column : columns_) {
    double& of_field = largest[static_cast<std::size_t>(column.field)];
    of_field = std::max(of_field, static_cast<double>(column.largest_error));
  }
}

void CellCoding::add_infinite(std::span<double> fields) const {
  for (const Column& column : columns_) {
    if (column.is_infinite) fields[static_cast<std::size_t>(column.field)] = 1;
  }
}

}  // namespace esker
