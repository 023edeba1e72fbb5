// The individual codecs; callers use codec.h.
#pragma once

#include "codec/codec.h"

namespace esker {

Result<std::vector<std::byte>> zip_encode(int level, std::span<const std::byte> samples);
Status zip_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Result<std::vector<std::byte>> lz4_encode(std::span<const std::byte> samples);
Status lz4_decode(std::span<const std::byte> stored, std::span<std::byte> samples);

Status zfp_check(const BlockShape& shape);
/// The minimum size of a stream: zfp uses at least one bit for each 4 x 4 (x 4) samples of the block.
Index zfp_least_bits(const BlockShape& shape);
Result<std::vector<std::byte>> zfp_encode(const CodecSpec& spec, std::span<const std::byte> samples,
                                          const BlockShape& shape);
Status zfp_decode(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& shape,
                  std::span<std::byte> samples);

}  // namespace esker
