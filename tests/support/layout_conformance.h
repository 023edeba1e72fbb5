// What every layout fulfills, whatever its format: the contract of layout/layout.h and layout/step_layouts.h,
// checked piece by piece and sample by sample. For grids that are small enough to list all samples.
//
//   expect_conforming_layout(layout, random);
//   expect_conforming_step(*writer.lay_out(present, {}), writer.schema(), present, step, random);
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "esker/types/schema.hpp"
#include "layout/step_layouts.h"
#include "unit/grid/brute_force.h"

namespace esker::testing_support {

/// Begin and end, in bytes of a file.
using ByteSpan = std::pair<Index, Index>;

inline void expect_disjoint(const std::set<ByteSpan>& spans) {
  Index end = 0;
  for (const ByteSpan& span : spans) {
    ASSERT_GE(span.first, end);
    end = span.second;
  }
}

/// Pieces are numbered in file order, do not overlap, and all look-ups agree.
inline void expect_pieces_in_file_order(const Layout& layout) {
  std::set<Index> files;
  std::set<int> fields;
  Index position = 0;
  ASSERT_GT(layout.num_pieces(), 0);
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    const Piece piece = layout.piece(ordinal);
    ASSERT_EQ(piece.ordinal, ordinal);
    ASSERT_EQ(piece.position_bytes, position);
    ASSERT_EQ(layout.position_bytes(ordinal), position);
    ASSERT_EQ(first_piece_from(layout, position), ordinal);
    ASSERT_EQ(first_piece_from(layout, position + 1), ordinal + 1);
    ASSERT_GT(piece.size_bytes, 0);
    ASSERT_EQ(piece.size_bytes % piece.sample_bytes, 0);
    ASSERT_TRUE(files.empty() || piece.file >= *files.rbegin());
    const Layout::FileSpan span = layout.file_at(position);
    ASSERT_EQ(span.file, piece.file);
    ASSERT_EQ(span.data_offset_bytes + position - span.begin, piece.offset_bytes);
    const Index next = layout.position_bytes(ordinal + 1);
    ASSERT_LE(position + piece.size_bytes, next);
    ASSERT_LE(next - position, layout.largest_piece_bytes());
    files.insert(piece.file);
    fields.insert(piece.field);
    position = next;
  }
  ASSERT_EQ(layout.stored_bytes(), position);
  ASSERT_EQ(std::ssize(files), layout.num_files());
  ASSERT_EQ(std::ssize(fields), layout.num_fields());
  ASSERT_GE(layout.most_writers(), 1);
}

/// for_each_piece() visits what piece() returns.
inline void expect_visits_of_pieces(const Layout& layout, Random& random) {
  const Index first = random.in(0, layout.num_pieces() - 1), last = random.in(first, layout.num_pieces());
  Index ordinal = first;
  layout.for_each_piece(first, last, [&](const Piece& visited) {
    const Piece piece = layout.piece(ordinal++);
    ASSERT_EQ(visited.ordinal, piece.ordinal);
    ASSERT_EQ(visited.id, piece.id);
    ASSERT_EQ(visited.position_bytes, piece.position_bytes);
    ASSERT_EQ(visited.file, piece.file);
    ASSERT_EQ(visited.offset_bytes, piece.offset_bytes);
    ASSERT_EQ(visited.size_bytes, piece.size_bytes);
    ASSERT_EQ(visited.field, piece.field);
    ASSERT_EQ(visited.num_parts, piece.num_parts);
  });
  ASSERT_EQ(ordinal, last);
}

/// The spans of file_at() follow each other in positions, and do not overlap in files.
inline void expect_spans_of_files(const Layout& layout) {
  std::map<Index, std::set<ByteSpan>> of_file;
  for (Index position = 0; position < layout.stored_bytes();) {
    const Layout::FileSpan span = layout.file_at(position);
    ASSERT_EQ(span.begin, position);
    ASSERT_GT(span.end, position);
    ASSERT_EQ(layout.file_at(span.end - 1).begin, position);
    const Index begin = span.data_offset_bytes;
    ASSERT_TRUE(of_file[span.file].emplace(begin, begin + span.end - span.begin).second);
    position = span.end;
    ASSERT_LE(position, layout.stored_bytes());
  }
  for (const auto& [file, spans] : of_file) expect_disjoint(spans);
}

/// The samples of the grid that the pieces of each field hold.
using HeldSamples = std::map<int, std::set<Point>>;

/// Each sample of the grid is in exactly one part of one piece of each field, or in at most one if the layout
/// is sparse. The parts of a piece are separable, and fill it.
inline void expect_each_sample_once(const Layout& layout, HeldSamples& seen) {
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    const Piece piece = layout.piece(ordinal);
    std::vector<bool> is_taken(static_cast<std::size_t>(piece.size_bytes / piece.sample_bytes), false);
    Index num_samples = 0;
    for (int number = 0; number < piece.num_parts; ++number) {
      const PiecePart part = layout.part(piece, number);
      ASSERT_TRUE(layout.levels().contains(part.level)) << part.level;
      const Point tile = layout.tile_extent(part.level);
      const Lattice& lattice = part.lattice;
      for (int a = 0; a < lattice.rank; ++a)
        ASSERT_LE((lattice.count[a] - 1) * lattice.stride[a], tile[a] - 1);
      for (const Point& index : points_of(lattice.all_indices())) {
        Index in_part = 0;
        for (int a = 0; a < lattice.rank; ++a) in_part += part.order.on_axis(a, index[a]);
        ASSERT_EQ(part.order.at(index), in_part);
        const auto at = static_cast<std::size_t>(part.first_sample + in_part);
        ASSERT_LT(at, is_taken.size());
        ASSERT_FALSE(is_taken[at]) << at;
        is_taken[at] = true;
        ++num_samples;
        const Point point = lattice.point(index);
        ASSERT_TRUE(!layout.domain().contains(point) || seen[piece.field].insert(point).second);
      }
    }
    ASSERT_EQ(num_samples, std::ssize(is_taken));
  }
  for (const auto& [field, points] : seen) {
    if (layout.is_sparse()) continue;
    ASSERT_EQ(std::ssize(points), layout.domain().num_samples()) << field;
  }
}

/// The segments of a box hold each of its samples that are `held` (null: all) once, at the level of the part.
/// Layouts that skip samples outside the grid pass also for a box that leaves it.
inline void expect_segments_of_a_box(const Layout& layout, int field, const Box& box,
                                     const std::set<Point>* held = nullptr) {
  std::set<Point> seen;
  const auto visit_level = [&](int level) {
    layout.for_each_segment(field, box, {level, level + 1},
                            [&](const Piece& piece, const PiecePart& part, const Box& indices) {
                              ASSERT_FALSE(indices.empty());
                              ASSERT_TRUE(part.lattice.all_indices().contains(indices));
                              ASSERT_EQ(part.level, level);
                              ASSERT_EQ(piece.field, field);
                              ASSERT_EQ(piece.position_bytes, layout.piece(piece.ordinal).position_bytes);
                              for (const Point& index : points_of(indices))
                                ASSERT_TRUE(seen.insert(part.lattice.point(index)).second);
                            });
  };
  for (int level = layout.levels().first; level < layout.levels().last; ++level) visit_level(level);
  std::set<Point> wanted;
  for (const Point& point : points_of(intersect(box, layout.domain()))) {
    if (!held || held->contains(point)) wanted.insert(point);
  }
  ASSERT_EQ(seen, wanted) << box.to_string();
  Index num_samples = 0;
  layout.for_each_segment(field, box, [&](const Piece&, const PiecePart&, const Box& indices) {
    num_samples += indices.num_samples();
  });
  ASSERT_EQ(num_samples, std::ssize(wanted)) << box.to_string();
}

/// A box that may be empty, and may leave `domain` by one sample, for layouts that skip samples outside the
/// grid.
inline Box box_near(const Box& domain, Random& random) {
  Box box = domain;
  for (int a = 0; a < box.rank; ++a) {
    box.lo[a] = random.in(-1, domain.hi[a] - 1);
    box.hi[a] = random.in(box.lo[a], domain.hi[a] + 1);
  }
  return box;
}

/// Fields with the same parts have pieces with the same ids.
inline void expect_alike_pieces(const Layout& layout) {
  std::map<int, Index> num_pieces;
  for (Index p = 0; p < layout.num_pieces(); ++p) ++num_pieces[layout.piece(p).field];
  for (Index p = 0; p < layout.num_pieces(); ++p) {
    const Piece piece = layout.piece(p);
    for (const auto& [field, n] : num_pieces) {
      if (field == piece.field || !layout.have_same_parts(piece.field, field)) continue;
      const Piece like = layout.piece_like(piece, field);
      ASSERT_EQ(n, num_pieces[piece.field]);
      ASSERT_EQ(like.field, field);
      ASSERT_EQ(like.id, piece.id);
      ASSERT_EQ(like.position_bytes, layout.piece(like.ordinal).position_bytes);
      ASSERT_EQ(like.num_parts, piece.num_parts);
      for (int number = 0; number < piece.num_parts; ++number) {
        const PiecePart a = layout.part(piece, number), b = layout.part(like, number);
        ASSERT_EQ(a.lattice.to_string(), b.lattice.to_string());
        ASSERT_EQ(a.first_sample, b.first_sample);
        ASSERT_EQ(a.order.axes, b.order.axes);
      }
    }
  }
}

/// Each piece is in one file domain.
inline void expect_file_domains(const Layout& layout, int n_ranks) {
  const Box domain = layout.domain();
  const auto bricks = BrickDecomposition::near_cubic(domain.rank, domain.extents(), n_ranks);
  if (!bricks.ok()) return;  // the grid is too small
  const auto shares = layout.runs_of_shares(*bricks);
  ASSERT_EQ(std::ssize(shares), bricks->num_parts());
  std::set<Index> owned;
  for (const auto& runs : shares) {
    Index end = 0;
    for (const Layout::Run& run : runs) {
      ASSERT_LE(end, run.first) << "not in file order";
      ASSERT_LT(run.first, run.last);
      end = run.last;
      for (Index ordinal = run.first; ordinal < run.last; ++ordinal) {
        ASSERT_TRUE(owned.insert(ordinal).second) << ordinal;
      }
    }
    ASSERT_LE(end, layout.num_pieces());
  }
  ASSERT_EQ(std::ssize(owned), layout.num_pieces());
}

inline void expect_conforming_layout(const Layout& layout, Random& random) {
  ASSERT_NO_FATAL_FAILURE(expect_pieces_in_file_order(layout));
  ASSERT_NO_FATAL_FAILURE(expect_visits_of_pieces(layout, random));
  ASSERT_NO_FATAL_FAILURE(expect_spans_of_files(layout));
  ASSERT_NO_FATAL_FAILURE(expect_alike_pieces(layout));
  HeldSamples held;
  ASSERT_NO_FATAL_FAILURE(expect_each_sample_once(layout, held));
  std::set<int> fields;
  layout.for_each_piece(0, layout.num_pieces(), [&](const Piece& piece) { fields.insert(piece.field); });
  for (const int field : fields) {
    ASSERT_NO_FATAL_FAILURE(expect_segments_of_a_box(layout, field, layout.domain(), &held[field]));
    ASSERT_NO_FATAL_FAILURE(
        expect_segments_of_a_box(layout, field, random.box_in(layout.domain()), &held[field]));
  }
  for (const int n_ranks : {1, 3, 4}) ASSERT_NO_FATAL_FAILURE(expect_file_domains(layout, n_ranks));
}

/// Each component of the present fields is in one column (in two formats at once: one of each), whose layout
/// is of the field's grid and has samples of that size.
inline void expect_columns(const StepLayouts& step, const Schema& schema, const std::vector<bool>& present) {
  std::map<std::pair<int, Index>, int> columns_of;  // by field and component
  std::set<std::pair<int, int>> taken;
  for (const StepLayouts::Column& column : step.columns) {
    const auto f = static_cast<std::size_t>(column.field);
    ASSERT_TRUE(present.at(f)) << column.field;
    ASSERT_TRUE(taken.emplace(column.layout, column.layout_field).second);
    const Layout& layout = *step.layouts.at(static_cast<std::size_t>(column.layout));
    const Field& field = schema.fields()[f];
    ASSERT_EQ(layout.domain(), schema.box_of(schema.grid_of(field)));
    Index sample_bytes = 0;
    layout.for_each_piece(0, layout.num_pieces(), [&](const Piece& piece) {
      if (piece.field == column.layout_field) sample_bytes = piece.sample_bytes;
    });
    ASSERT_GT(sample_bytes, 0);
    const Index end = column.first_component + sample_bytes / size_bytes(field.type);
    ASSERT_LE(end, field.components);
    for (Index c = column.first_component; c < end; ++c) ++columns_of[{column.field, c}];
  }
  Index num_components = 0;
  for (std::size_t f = 0; f < present.size(); ++f)
    num_components += present[f] ? schema.fields()[f].components : 0;
  ASSERT_EQ(std::ssize(columns_of), num_components);
  for (const auto& [component, count] : columns_of)
    ASSERT_EQ(count, columns_of.begin()->second) << component.first;
}

/// The bytes of all files of the step, headers included, are written by one layout only.
inline void expect_disjoint_files(const StepLayouts& step, Index number) {
  std::map<std::string, std::set<ByteSpan>> of_path;
  for (int n = 0; n < static_cast<int>(step.layouts.size()); ++n) {
    const Layout& layout = *step.layouts[static_cast<std::size_t>(n)];
    std::set<Index> files;
    for (Index position = 0; position < layout.stored_bytes();) {
      const Layout::FileSpan span = layout.file_at(position);
      const std::string path = step.file_path(n, span.file, number);
      ASSERT_TRUE(!files.insert(span.file).second || step.shares_files(n) || !of_path.contains(path)) << path;
      const Index begin = span.data_offset_bytes + step.step_offset_bytes(n, number);
      ASSERT_TRUE(of_path[path].emplace(begin, begin + span.end - span.begin).second) << path;
      position = span.end;
    }
    const std::vector<PieceRecord> records(static_cast<std::size_t>(layout.num_pieces()));
    for (const Index file : files) {
      if (step.shares_files(n)) continue;
      Index first_offset = -1, num_pieces = 0;
      layout.for_each_piece(0, layout.num_pieces(), [&](const Piece& piece) {
        if (piece.file == file && num_pieces++ == 0) first_offset = piece.offset_bytes;
      });
      const auto count = static_cast<std::size_t>(step.has_records() ? num_pieces : 0);
      const std::vector<PieceHead> heads(static_cast<std::size_t>(step.has_heads(n) ? num_pieces : 0));
      ASSERT_LE(std::ssize(step.file_headers(n, file, number, std::span(records).first(count), heads)),
                first_offset);
    }
  }
  for (const auto& [path, spans] : of_path) {
    SCOPED_TRACE(path);
    ASSERT_NO_FATAL_FAILURE(expect_disjoint(spans));
  }
  ASSERT_EQ(std::ssize(of_path), step.num_files());
}

inline void expect_conforming_step(const StepLayouts& step, const Schema& schema,
                                   const std::vector<bool>& present, Index number, Random& random) {
  ASSERT_NO_FATAL_FAILURE(expect_columns(step, schema, present));
  ASSERT_NO_FATAL_FAILURE(expect_disjoint_files(step, number));
  ASSERT_TRUE(step.fits(number));
  for (const auto& layout : step.layouts) ASSERT_NO_FATAL_FAILURE(expect_conforming_layout(*layout, random));
}

}  // namespace esker::testing_support
