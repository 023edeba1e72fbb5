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

/// `lengths`: lengths_of() the variable.
int check_box(const OpenFile& file, const cdf::Variable& variable, const std::vector<Index>& lengths,
              Direction direction, const Place& box) {
  const cdf::Header& header = file.header();
  const bool has_records = header.is_record(variable);
  const BoxCheck check{file.has_strict_bounds, has_records && direction == Direction::kIn,
                       box.form != Place::Form::kOne};
  if (box.start == nullptr || box.start[0] < 0) return NC_EINVALCOORDS;
  const bool is_small = header.version != cdf::Version::kData64;
  if (has_records && is_small && box.start[0] > std::numeric_limits<std::uint32_t>::max())
    return NC_EINVALCOORDS;
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
  const std::vector<Index> lengths = lengths_of(file.header(), variable);
  for (int i = 0; i < place.n_boxes; ++i) {
    if (place.starts[i] == nullptr) return NC_ENULLSTART;
    const int code = check_box(file, variable, lengths, direction, one_box(place, i));
    if (code != NC_NOERR) return code;
  }
  return NC_NOERR;
}

/// Appends a box, unless it has no values.
void add_box(cdf::Access& access, std::size_t n_dims, const Place& box) {
  const bool has_counts = box.count != nullptr && box.form != Place::Form::kOne;
  if (has_counts && std::find(box.count, box.count + n_dims, 0) != box.count + n_dims) return;
  access.start.insert(access.start.end(), box.start, box.start + n_dims);
  if (has_counts) {
    access.count.insert(access.count.end(), box.count, box.count + n_dims);
  } else {
    access.count.insert(access.count.end(), n_dims, 1);
  }
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
  return check_box(file, of, lengths_of(file.header(), of), direction, place);
}

cdf::Access access_of(const OpenFile& file, int variable, const Place& place) {
  const std::size_t n_dims = file.variable(variable).dims.size();
  cdf::Access access;
  access.variable = variable;
  if (n_dims == 0) return access;
  if (place.form == Place::Form::kAll) {
    access.start.assign(n_dims, 0);
    access.count = lengths_of(file.header(), file.variable(variable));
  } else if (place.form != Place::Form::kBoxes) {
    add_box(access, n_dims, place);
    if (place.step != nullptr) access.step.assign(place.step, place.step + n_dims);
  } else {
    access.start.reserve(n_dims * static_cast<std::size_t>(place.n_boxes));
    access.count.reserve(n_dims * static_cast<std::size_t>(place.n_boxes));
    for (int i = 0; i < place.n_boxes; ++i) add_box(access, n_dims, one_box(place, i));
  }
  return access;
}

Index n_values(const OpenFile& file, const cdf::Access& access) {
  const std::size_t n_dims = file.variable(access.variable).dims.size();
  Index n = n_dims == 0 ? 1 : 0;
  for (std::size_t i = 0; i < access.count.size(); i += n_dims) {
    Index of_box = 1;
    for (std::size_t d = 0; d < n_dims; ++d) of_box *= access.count[i + d];
    n += of_box;
  }
  return n;
}

}  // namespace esker::pnetcdf
