// zlib streams (RFC 1950), and gzip (RFC 1952): any sample type and shape.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Index zip_bound(Index sample_bytes) {
  return static_cast<Index>(::compressBound(static_cast<uLong>(sample_bytes)));
}

Result<Index> zip_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out) {
  uLongf size = out.size();
  const int result = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(samples.data()), samples.size(), level);
  if (result == Z_BUF_ERROR) return Index{0};
  if (result != Z_OK) return error(Code::kOutOfMemory, "zip: compression failed (zlib: {})", result);
  return static_cast<Index>(size);
}

Status zip_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  uLongf size = samples.size();
  const int result = ::uncompress(reinterpret_cast<Bytef*>(samples.data()), &size,
                                  reinterpret_cast<const Bytef*>(stored.data()), stored.size());
  if (result == Z_OK && size == samples.size()) return {};
  return error(Code::kDataLoss, "zip: {} stored bytes do not decode to {} (zlib: {}, {} bytes)",
               stored.size(), samples.size(), result, size);
}

namespace {

constexpr int kGzip = 15 + 16;  // the window of zlib, and gzip's header and trailer

// zlib counts in 32 bits; blocks and chunks have less.
::z_stream stream_of(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto limited = [](std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  };
  ::z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = limited(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = limited(out.size());
  return stream;
}

}  // namespace

Index gzip_bound(Index sample_bytes) {
  constexpr Index kHeadAndTail = 18;
  return zip_bound(sample_bytes) + kHeadAndTail;
}

Result<Index> gzip_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out) {
  constexpr int kMemory = 8;  // zlib's default
  ::z_stream stream = stream_of(samples, out);
  if (::deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return error(Code::kOutOfMemory, "gzip: no memory to compress");
  const int result = ::deflate(&stream, Z_FINISH);
  ::deflateEnd(&stream);
  return result == Z_STREAM_END ? static_cast<Index>(stream.total_out) : Index{0};
}

Status gzip_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  ::z_stream stream = stream_of(stored, samples);
  if (::inflateInit2(&stream, kGzip) != Z_OK)
    return error(Code::kOutOfMemory, "gzip: no memory to decompress");
  const int result = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  if (result == Z_STREAM_END && stream.total_out == samples.size()) return {};
  return error(Code::kDataLoss, "gzip: {} stored bytes do not decode to {} (zlib: {}, {} bytes)",
               stored.size(), samples.size(), result, stream.total_out);
}

}  // namespace esker
