// The linker's option --wrap=zfp_compress sends the library's calls to __wrap_zfp_compress.
#include "support/faulty_zfp.h"

#include <zfp.h>

#include <algorithm>
#include <atomic>
#include <vector>

extern "C" std::size_t __real_zfp_compress(zfp_stream* stream, const zfp_field* field);
extern "C" std::size_t __wrap_zfp_compress(zfp_stream* stream, const zfp_field* field);

namespace esker::testing_support {
namespace {

std::atomic<int> n_dropped{0};

constexpr int kNever = 1 << 30;
std::atomic<int> n_good_left{kNever}, n_failed{0};

/// The parameters of `stream` with so many planes less.
void set_coarser(zfp_stream* coarse, const zfp_stream* stream, const zfp_field* field, int n_planes) {
  const uint bits = static_cast<uint>(::zfp_field_precision(field));
  const uint most = std::min(stream->maxprec, bits);
  if (stream->minexp > ZFP_MIN_EXP) {
    ::zfp_stream_set_params(coarse, stream->minbits, stream->maxbits, stream->maxprec,
                            stream->minexp + n_planes);
  } else {
    ::zfp_stream_set_precision(coarse,
                               std::max(most, static_cast<uint>(n_planes) + 1) - static_cast<uint>(n_planes));
  }
}

/// The samples of `field` after the loss.
std::vector<std::byte> coarse_samples(const zfp_stream* stream, const zfp_field* field, int n_planes) {
  zfp_stream* coarse = ::zfp_stream_open(nullptr);
  set_coarser(coarse, stream, field, n_planes);
  std::vector<std::byte> buffer(::zfp_stream_maximum_size(coarse, field));
  bitstream* bits = ::stream_open(buffer.data(), buffer.size());
  ::zfp_stream_set_bit_stream(coarse, bits);
  ::zfp_stream_rewind(coarse);
  (void)__real_zfp_compress(coarse, field);
  ::zfp_stream_rewind(coarse);
  std::vector<std::byte> samples(::zfp_field_size_bytes(field));
  zfp_field lossy = *field;
  lossy.data = samples.data();
  (void)::zfp_decompress(coarse, &lossy);
  ::stream_close(bits);
  ::zfp_stream_close(coarse);
  return samples;
}

}  // namespace

DroppedBitPlanes::DroppedBitPlanes(int n_planes) { n_dropped = n_planes; }
DroppedBitPlanes::~DroppedBitPlanes() { n_dropped = 0; }

FailingEncoder::FailingEncoder(int n_good) {
  n_failed = 0;
  n_good_left = n_good;
}
FailingEncoder::~FailingEncoder() { n_good_left = kNever; }
int FailingEncoder::num_failed() { return n_failed; }

}  // namespace esker::testing_support

std::size_t __wrap_zfp_compress(zfp_stream* stream, const zfp_field* field) {
  using namespace esker::testing_support;
  if (n_good_left != kNever && n_good_left-- <= 0) {
    ++n_failed;
    return 0;
  }
  const int n_planes = n_dropped;
  if (n_planes == 0) return __real_zfp_compress(stream, field);
  std::vector<std::byte> samples = coarse_samples(stream, field, n_planes);
  zfp_field lossy = *field;
  lossy.data = samples.data();
  return __real_zfp_compress(stream, &lossy);
}
