// The individual codecs; callers use codec.h.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/codec.h"

namespace esker {

// The encoders write to `out` and return the size of the stream, or 0 where it does not fit. They do not
// allocate; the libraries may. The *_bound functions return a size of `out` that always suffices.

Index zip_bound(Index sample_bytes);
Result<Index> zip_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out);
Status zip_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Index lz4_bound(Index sample_bytes);
Result<Index> lz4_encode(std::span<const std::byte> samples, std::span<std::byte> out);
Status lz4_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

/// The gzip form of the same (RFC 1952).
Index gzip_bound(Index sample_bytes);
Result<Index> gzip_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out);
Status gzip_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Index zstd_bound(Index sample_bytes);
/// `has_sum`: the frame ends with a checksum of the samples.
Result<Index> zstd_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out,
                          bool has_sum = false);
/// The bytes that a frame decodes to, as it says; kDataLoss if it does not, or says 4 GiB or more.
Result<Index> zstd_decoded_bytes(std::span<const std::byte> stored);
Status zstd_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Index blosc_bound(Index sample_bytes);
/// A buffer of Blosc 1: shuffled values of `value_bytes`, compressed by zstd. `level`: 1 ... 9. The bytes do
/// not depend on threads. kUnsupported: more samples than a buffer holds, 2 GiB.
Result<Index> blosc_encode(int level, int value_bytes, std::span<const std::byte> samples,
                           std::span<std::byte> out);
/// Decodes what any program wrote by Blosc 1, with a compressor that the library has. kDataLoss: not a
/// complete buffer of exactly these samples.
Status blosc_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Status zfp_check(SampleType type, int components, int rank);
/// Whether the mode can code these values: none is NaN or infinite; in lossy modes, the highest two bits of
/// integers are equal (-2^30 <= x < 2^30), because others wrap around.
bool zfp_represents(const CodecSpec& spec, SampleType type, std::span<const std::byte> samples);
/// The minimum size of a stream: zfp uses at least one bit for each 4 x 4 (x 4) samples of the block.
Index zfp_least_bits(const BlockShape& shape);
/// A multiple of 8.
Index zfp_bound(const CodecSpec& spec, const BlockShape& shape);
/// The versions of the library (16 bits) and of its streams (4 bits).
std::uint32_t zfp_versions();
/// What readers of a stream need to know: mode, type and shape, in zfp's own form.
std::vector<std::uint32_t> zfp_header(const CodecSpec& spec, const BlockShape& shape);
/// Decodes what another program wrote in any mode of zfp, with its header. kDataLoss: not a header, or one of
/// more samples than the stored bytes can hold.
Result<std::vector<std::byte>> zfp_decode_by_header(std::span<const std::uint32_t> header,
                                                    std::span<const std::byte> stored);
/// `out` has zfp_bound() bytes, because zfp does not check its size, and the alignment of 8 bytes. The size
/// is a multiple of 8.
Result<Index> zfp_encode(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                         std::span<std::byte> out);
Status zfp_decode(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& shape,
                  std::span<std::byte> samples);
/// Decodes a stream that zfp_encode has just written, where it is; other streams can read past their end.
Status zfp_decode_own(const CodecSpec& spec, std::span<const std::byte> stream, const BlockShape& shape,
                      std::span<std::byte> samples);

/// Of compressed pieces, and of parts of scratch.
constexpr Index kStreamAlignment = 8;
/// The largest size of a block that is not raw: a multiple of kStreamAlignment below that of the samples.
inline Index room_for(const BlockShape& shape) {
  return (shape.size_bytes() - 1) / kStreamAlignment * kStreamAlignment;
}
/// Bytes that suffice for encode_to().
Index encoded_bound(const CodecSpec& spec, const BlockShape& shape);
/// Encodes by any codec to `out`; zfp needs encoded_bound() bytes. Returns the size, or 0 where it does not
/// fit.
Result<Index> encode_to(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                        std::span<std::byte> out);

}  // namespace esker
