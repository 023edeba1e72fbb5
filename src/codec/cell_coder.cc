#include "codec/cell_coder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "codec/codecs.h"
#include "codec/measure.h"

namespace esker {
namespace {

/// zfp's functions for one cell of samples of type T, on 2 and 3 axes.
template <class T>
struct ZfpCalls {
  std::size_t (*encode2)(zfp_stream*, const T*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t);
  std::size_t (*encode3)(zfp_stream*, const T*, std::size_t, std::size_t, std::size_t, std::ptrdiff_t,
                         std::ptrdiff_t, std::ptrdiff_t);
  std::size_t (*decode2)(zfp_stream*, T*);
  std::size_t (*decode3)(zfp_stream*, T*);
};

constexpr ZfpCalls<float> kFloat{::zfp_encode_partial_block_strided_float_2,
                                 ::zfp_encode_partial_block_strided_float_3, ::zfp_decode_block_float_2,
                                 ::zfp_decode_block_float_3};
constexpr ZfpCalls<double> kDouble{::zfp_encode_partial_block_strided_double_2,
                                   ::zfp_encode_partial_block_strided_double_3, ::zfp_decode_block_double_2,
                                   ::zfp_decode_block_double_3};
constexpr ZfpCalls<int32> kInt32{::zfp_encode_partial_block_strided_int32_2,
                                 ::zfp_encode_partial_block_strided_int32_3, ::zfp_decode_block_int32_2,
                                 ::zfp_decode_block_int32_3};
constexpr ZfpCalls<int64> kInt64{::zfp_encode_partial_block_strided_int64_2,
                                 ::zfp_encode_partial_block_strided_int64_3, ::zfp_decode_block_int64_2,
                                 ::zfp_decode_block_int64_3};

/// Calls action(functions for the type).
template <class Action>
auto with_calls(SampleType type, const Action& action) {
  switch (type) {
    case SampleType::kFloat32:
      return action(kFloat);
    case SampleType::kInt32:
      return action(kInt32);
    case SampleType::kInt64:
      return action(kInt64);
    default:
      return action(kDouble);
  }
}

constexpr CodecSpec kFixedRate{.kind = CodecKind::kZfp, .zfp_mode = ZfpMode::kPrecision};

BlockShape shape_of_cell(const CellForm& form) {
  BlockShape shape{form.type, 1, form.rank, {4, 4, 4, 1, 1}};
  if (form.rank == 2) shape.count[2] = 1;
  return shape;
}

}  // namespace

CellCoder::CellCoder(const CellForm& form)
    : form_(form),
      stream_(::zfp_stream_open(nullptr)),
      words_(kMostBytes / 8 + 8),
      bits_(attach(std::as_bytes(std::span(words_)), stream_.get())) {}

// Fixed rate: exactly that many bits, whatever precision they give (zfp_stream_set_rate).
void CellCoder::set_bits(int b) {
  const auto bits = static_cast<uint>(form_.num_samples() * b);
  ::zfp_stream_set_params(stream_.get(), bits, bits, ZFP_MAX_PREC, ZFP_MIN_EXP);
}

bool CellCoder::can_code(const std::byte* samples, const Point& count) const {
  const Index size = size_bytes(form_.type);
  for (Index z = 0; z < (form_.rank == 3 ? count[2] : 1); ++z) {
    for (Index y = 0; y < count[1]; ++y) {
      const std::span row(samples + 4 * (y + 4 * z) * size, static_cast<std::size_t>(count[0] * size));
      if (!zfp_represents(kFixedRate, form_.type, row)) return false;
    }
  }
  return true;
}

bool CellCoder::encode(const std::byte* samples, const Point& count, std::byte* coded) {
  if (!can_code(samples, count)) return false;
  with_calls(form_.type, [&]<class T>(const ZfpCalls<T>& zfp) {
    const T* values = reinterpret_cast<const T*>(samples);
    set_bits(form_.bits);
    ::zfp_stream_rewind(stream_.get());
    const auto n = [&](int a) { return static_cast<std::size_t>(count[a]); };
    if (form_.rank == 2) {
      (void)zfp.encode2(stream_.get(), values, n(0), n(1), 1, 4);
    } else {
      (void)zfp.encode3(stream_.get(), values, n(0), n(1), n(2), 1, 4, 16);
    }
  });
  (void)::zfp_stream_flush(stream_.get());
  std::memcpy(coded, words_.data(), static_cast<std::size_t>(form_.coded_bytes()));
  return true;
}

void CellCoder::decode(const std::byte* coded, int b, std::byte* samples) {
  std::memcpy(words_.data(), coded, static_cast<std::size_t>(form_.bytes_at(b)));
  set_bits(b);
  ::zfp_stream_rewind(stream_.get());
  with_calls(form_.type, [&]<class T>(const ZfpCalls<T>& zfp) {
    T* values = reinterpret_cast<T*>(samples);
    (void)(form_.rank == 2 ? zfp.decode2 : zfp.decode3)(stream_.get(), values);
  });
}

bool CellCoder::add_errors(const std::byte* samples, const Point& count, const std::byte* coded,
                           GroupErrors& errors) {
  bool are_finite = true;
  const std::span decoded(reinterpret_cast<std::byte*>(decoded_.data()),
                          static_cast<std::size_t>(form_.sample_bytes()));
  const BlockShape shape = shape_of_cell(form_);
  const Box inside = Box::from_extent(form_.rank, count);
  for (int g = 0; g < form_.num_groups(); ++g) {
    decode(coded, 1 << g, decoded.data());
    float& error = errors[static_cast<std::size_t>(g)];
    are_finite = all_finite(form_.type, decoded);
    if (!are_finite) {
      error = std::numeric_limits<float>::infinity();
    } else {
      error =
          std::max(error, rounded_up(measure_errors(shape, inside, {samples, decoded.size()}, decoded).max));
    }
  }
  return are_finite;
}

}  // namespace esker
