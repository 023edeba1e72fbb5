#include "codec/cells.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "codec/zfp_stream.h"

namespace esker {
namespace {

Index samples_of(const FixedRate& rate) { return Index{1} << (2 * rate.rank); }

/// Consecutive cells are an array of 4 x 4 x 4n (4 x 4n) samples, which zfp codes cell by cell.
BlockShape shape_of(const FixedRate& rate, std::span<const std::byte> cells) {
  const Index count = static_cast<Index>(cells.size()) / (samples_of(rate) * size_bytes(rate.type));
  BlockShape shape{rate.type, 1, rate.rank, {4, 4, 4, 1, 1}};
  for (int a = rate.rank; a < 3; ++a) shape.count[a] = 1;
  shape.count[rate.rank - 1] *= count;
  return shape;
}

/// Bytes of the stream of all cells; kInternal if `cells` does not hold complete cells.
Result<std::size_t> stored_bytes(const FixedRate& rate, std::span<const std::byte> cells) {
  ESKER_RETURN_IF_ERROR(check_fixed_rate(rate));
  const BlockShape shape = shape_of(rate, cells);
  if (cells.empty() || static_cast<std::size_t>(shape.size_bytes()) != cells.size()) {
    return error(Code::kInternal, "zfp: {} bytes are not a whole number of {} cells", cells.size(),
                 name(rate.type));
  }
  return static_cast<std::size_t>(shape.num_samples() / samples_of(rate) * (rate.bits_per_cell / 8));
}

void set_rate(zfp_stream* stream, const FixedRate& rate) {
  const double bits = static_cast<double>(rate.bits_per_cell) / static_cast<double>(samples_of(rate));
  ::zfp_stream_set_rate(stream, bits, zfp_type_of(rate.type), static_cast<uint>(rate.rank), zfp_false);
}

}  // namespace

Status check_fixed_rate(const FixedRate& rate) {
  ESKER_RETURN_IF_ERROR(zfp_check(rate.type, 1, rate.rank));
  const Index most = samples_of(rate) * 8 * size_bytes(rate.type);
  if (rate.bits_per_cell > 0 && rate.bits_per_cell <= most && rate.bits_per_cell % 8 == 0) {
    const ZfpStream stream(::zfp_stream_open(nullptr));
    set_rate(stream.get(), rate);
    if (stream->maxbits == static_cast<uint>(rate.bits_per_cell)) return {};
  }
  return error(Code::kUnsupported,
               "zfp: {} bits for {} samples of {}, expected a multiple of 8 from 16 to {}",
               rate.bits_per_cell, samples_of(rate), name(rate.type), most);
}

Result<std::vector<std::byte>> encode_fixed_rate(const FixedRate& rate, std::span<const std::byte> cells) {
  ESKER_ASSIGN_OR_RETURN(const std::size_t bytes, stored_bytes(rate, cells));
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_rate(stream.get(), rate);
  const ZfpField field = field_of(shape_of(rate, cells), cells.data());
  std::vector<std::byte> stored(::zfp_stream_maximum_size(stream.get(), field.get()));
  const ZfpBits bits = attach(stored, stream.get());
  const std::size_t size = ::zfp_compress(stream.get(), field.get());
  if (size < bytes)
    return error(Code::kInternal, "zfp: compression returned {} bytes, expected {}", size, bytes);
  stored.resize(bytes);  // after the cells there is only the rest of a word
  return stored;
}

Status decode_fixed_rate(const FixedRate& rate, std::span<const std::byte> stored,
                         std::span<std::byte> cells) {
  ESKER_ASSIGN_OR_RETURN(const std::size_t bytes, stored_bytes(rate, cells));
  if (stored.size() != bytes) {
    return error(Code::kDataLoss, "zfp: {} stored bytes, expected {} for {} bytes of samples", stored.size(),
                 bytes, cells.size());
  }
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_rate(stream.get(), rate);
  const ZfpField field = field_of(shape_of(rate, cells), cells.data());
  const std::vector<std::byte> buffer = padded(stored, ::zfp_stream_maximum_size(stream.get(), field.get()));
  const ZfpBits bits = attach(buffer, stream.get());
  if (::zfp_decompress(stream.get(), field.get()) > 0) return {};
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode to {}", stored.size(), cells.size());
}

int CellForm::groups_for(int b) { return std::bit_width(static_cast<unsigned>(b) - 1) + 1; }

Status check_cell_form(const CellForm& form) {
  if (form.rank != 2 && form.rank != 3) {
    return error(Code::kInvalidArgument, "stored_bits: the grid has {} {}; cells have 2 or 3", form.rank,
                 form.rank == 1 ? "axis" : "axes");
  }
  if (zfp_type_of(form.type) == zfp_type_none) {
    return error(Code::kInvalidArgument,
                 "stored_bits: the type is {}; expected float32, float64, int32 or int64", name(form.type));
  }
  const auto most = static_cast<int>(8 * size_bytes(form.type));
  const bool is_power = form.bits > 0 && std::has_single_bit(static_cast<unsigned>(form.bits));
  if (is_power && form.bits <= most) return {};
  return error(Code::kInvalidArgument, "stored_bits {}: expected 1, 2, 4, 8, 16{} for {}", form.bits,
               most == 64 ? ", 32 or 64" : " or 32", name(form.type));
}

Index prefix_bytes(const CellForm& form, Index num_cells, int b) {
  return num_cells * form.bytes_before(CellForm::groups_for(b));
}

GroupBytes group_bytes(const CellForm& form, Index num_cells, int g) {
  return {num_cells * form.bytes_before(g), num_cells * form.bytes_before(g + 1)};
}

void split_into_groups(const CellForm& form, std::span<const std::byte> cells, std::span<std::byte> groups) {
  const Index cell_bytes = form.coded_bytes();
  const Index num_cells = static_cast<Index>(cells.size()) / cell_bytes;
  std::byte* target = groups.data();
  for (int g = 0; g < form.num_groups(); ++g) {
    const std::byte* source = cells.data() + form.bytes_before(g);
    const auto bytes = static_cast<std::size_t>(form.bytes_before(g + 1) - form.bytes_before(g));
    for (Index cell = 0; cell < num_cells; ++cell, source += cell_bytes, target += bytes) {
      std::memcpy(target, source, bytes);
    }
  }
}

namespace {

/// The first b bits per sample of each cell, one cell after the other.
std::vector<std::byte> join_groups(const CellForm& form, Index num_cells, int b,
                                   std::span<const std::byte> groups) {
  const Index cell_bytes = form.bytes_at(b);
  std::vector<std::byte> cells(static_cast<std::size_t>(num_cells * cell_bytes));
  for (int g = 0; g < CellForm::groups_for(b); ++g) {
    const Index begin = form.bytes_before(g), stride = form.bytes_before(g + 1) - begin;
    const auto bytes = static_cast<std::size_t>(std::min(stride, cell_bytes - begin));
    const std::byte* source = groups.data() + group_bytes(form, num_cells, g).first;
    std::byte* target = cells.data() + begin;
    for (Index cell = 0; cell < num_cells; ++cell, source += stride, target += cell_bytes) {
      std::memcpy(target, source, bytes);
    }
  }
  return cells;
}

}  // namespace

Status decode_groups(const CellForm& form, Index num_cells, int b, std::span<const std::byte> groups,
                     std::span<std::byte> samples) {
  const Index expected = prefix_bytes(form, num_cells, b);
  if (static_cast<Index>(groups.size()) != expected) {
    return error(Code::kDataLoss, "{} stored bytes, expected {} of {} cells with {} bits per sample",
                 groups.size(), expected, num_cells, b);
  }
  return decode_fixed_rate(form.rate_at(b), join_groups(form, num_cells, b, groups), samples);
}

}  // namespace esker
