#include "place.h"

#include <algorithm>
#include <limits>

namespace esker::pnetcdf {
namespace {

/// The current lengths of the dimensions of a variable; that of records is their number.
std::vector<Index> lengths_of(const cdf::Header& header, const cdf::Variable& variable) {
  std::vector<Index> lengths;
  for (const int dim : variable.dims) {
    const Index length = header.dims[static_cast<std::size_t>(dim)].length;
    lengths.push_back(length == 0 ? header.num_records : length);
  }
  return lengths;
}

struct BoxCheck {
  bool is_strict;
  bool may_grow;  ///< the first dimension is that of records, and values are put
  bool needs_count;
};

int check_starts(const BoxCheck& check, const std::vector<Index>& lengths, const Place& box) {
  for (std::size_t i = check.may_grow ? 1 : 0; i < lengths.size(); ++i) {
    const Index start = box.start[i];
    const Index count = box.count == nullptr ? 1 : box.count[i];
    if (start < 0 || start > lengths[i]) return NC_EINVALCOORDS;
    if (start == lengths[i] && (check.is_strict || count > 0)) return NC_EINVALCOORDS;
  }
  return NC_NOERR;
}

int check_counts(const BoxCheck& check, const std::vector<Index>& lengths, const Place& box) {
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Index start = box.start[i];
    const Index count = box.count[i];
    if (count < 0) return NC_ENEGATIVECNT;
    if (check.may_grow && i == 0) continue;
    if (count > lengths[i] || start + count > lengths[i]) return NC_EEDGE;
    const Index step = box.step == nullptr ? 1 : box.step[i];
    if (count > 1 && step > 0 && step > (lengths[i] - 1 - start) / (count - 1)) return NC_EEDGE;
  }
  for (std::size_t i = 0; box.step != nullptr && i < lengths.size(); ++i) {
    if (box.step[i] <= 0) return NC_ESTRIDE;
  }
  return NC_NOERR;
}

int check_box(const OpenFile& file, const cdf::Variable& variable, Direction direction, const Place& box) {
  const cdf::Header& header = file.header();
  const bool has_records = header.is_record(variable);
  const BoxCheck check{file.has_strict_bounds, has_records && direction == Direction::kIn,
                       box.form != Place::Form::kOne};
  if (box.start == nullptr || box.start[0] < 0) return NC_EINVALCOORDS;
  const bool is_small = header.version != cdf::Version::kData64;
  if (has_records && is_small && box.start[0] > std::numeric_limits<std::uint32_t>::max())
    return NC_EINVALCOORDS;
  const std::vector<Index> lengths = lengths_of(header, variable);
  if (const int code = check_starts(check, lengths, box); code != NC_NOERR) return code;
  if (box.count == nullptr) return check.needs_count ? NC_EEDGE : NC_NOERR;
  return check_counts(check, lengths, box);
}

/// The i-th box of varn.
Place one_box(const Place& place, int i) {
  Place box;
  box.start = place.starts[i];
  box.count = place.counts == nullptr ? nullptr : place.counts[i];
  box.form = box.count == nullptr ? Place::Form::kOne : Place::Form::kBox;
  return box;
}

int check_boxes(const OpenFile& file, const cdf::Variable& variable, Direction direction,
                const Place& place) {
  if (place.n_boxes == 0) return NC_NOERR;
  if (variable.dims.empty()) return place.n_boxes == 1 ? NC_NOERR : NC_EINVAL;
  if (place.starts == nullptr) return NC_ENULLSTART;
  for (int i = 0; i < place.n_boxes; ++i) {
    if (place.starts[i] == nullptr) return NC_ENULLSTART;
    const int code = check_box(file, variable, direction, one_box(place, i));
    if (code != NC_NOERR) return code;
  }
  return NC_NOERR;
}

cdf::Access access_of(const OpenFile& file, int id, const Place& box) {
  const cdf::Variable& variable = file.variable(id);
  const std::size_t n_dims = variable.dims.size();
  cdf::Access access;
  access.variable = id;
  if (n_dims == 0) return access;
  if (box.form == Place::Form::kAll) {
    access.start.assign(n_dims, 0);
    access.count = lengths_of(file.header(), variable);
    return access;
  }
  access.start.assign(box.start, box.start + n_dims);
  access.count.assign(n_dims, 1);
  if (box.count != nullptr && box.form != Place::Form::kOne)
    access.count.assign(box.count, box.count + n_dims);
  if (box.step != nullptr) access.step.assign(box.step, box.step + n_dims);
  return access;
}

}  // namespace

int check_variable(const OpenFile& file, int variable, const Memory& memory) {
  if (const int code = file.check_variable(variable); code != NC_NOERR) return code;
  if (memory.is_flexible) return NC_NOERR;
  return are_alike(memory.type, file.variable(variable).type) ? NC_NOERR : NC_ECHAR;
}

int check_place(const OpenFile& file, int variable, Direction direction, const Place& place) {
  const cdf::Variable& of = file.variable(variable);
  if (place.form == Place::Form::kBoxes) return check_boxes(file, of, direction, place);
  if (place.form == Place::Form::kAll || of.dims.empty()) return NC_NOERR;
  return check_box(file, of, direction, place);
}

std::vector<cdf::Access> boxes_of(const OpenFile& file, int variable, const Place& place) {
  std::vector<cdf::Access> boxes;
  if (place.form != Place::Form::kBoxes) {
    boxes.push_back(access_of(file, variable, place));
    return boxes;
  }
  boxes.reserve(static_cast<std::size_t>(place.n_boxes));
  const bool is_scalar = file.variable(variable).dims.empty();
  for (int i = 0; i < place.n_boxes; ++i) {
    boxes.push_back(access_of(file, variable, is_scalar ? Place{} : one_box(place, i)));
  }
  return boxes;
}

Index n_values(const cdf::Access& access) {
  Index n = 1;
  for (const Index count : access.count) n *= count;
  return n;
}

}  // namespace esker::pnetcdf
