// Every decoder: six bytes say codec, parameters, sample type and shape, the rest is the stored block.
#include <algorithm>
#include <array>
#include <vector>

#include "codec/codec.h"
#include "fuzz/fuzz.h"

namespace {

using namespace esker;

constexpr std::size_t kPrefixBytes = 6;
constexpr std::array<const char*, 8> kSpecs{"raw",
                                            "zip",
                                            "lz4",
                                            "zfp",
                                            "zfp-precision=12-precision=12",
                                            "zfp-precision=64-precision=64",
                                            "zfp-accuracy=0.5-accuracy=0.5",
                                            "zip-Z_BEST_SPEED"};

BlockShape shape_of(const std::uint8_t* prefix) {
  BlockShape shape;
  shape.type = static_cast<SampleType>(prefix[1] % (static_cast<int>(SampleType::kFloat64) + 1));
  shape.components = 1 + prefix[2] / 64;
  shape.rank = 1 + prefix[2] % 4;
  for (int a = 0; a < std::min(shape.rank, 3); ++a) shape.count[a] = 1 + prefix[3 + a] % 32;
  return shape;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kPrefixBytes) return 0;
  const CodecSpec spec = parse_codec_spec(kSpecs[data[0] % kSpecs.size()]).value();
  const BlockShape shape = shape_of(data);
  const auto stored = std::as_bytes(std::span(data, size)).subspan(kPrefixBytes);
  std::vector<std::byte> samples(static_cast<std::size_t>(shape.size_bytes()));
  const Status decoded = decode(spec, stored, shape, samples);
  fuzz::require_short_message(decoded);
  if (!decoded.ok() || !spec.lossless()) return 0;
  const auto encoded = encode(spec, samples, shape);
  fuzz::require(encoded.ok(), "decoded samples can be encoded");
  std::vector<std::byte> again(samples.size());
  fuzz::require(decode(spec, *encoded, shape, again).ok() && again == samples,
                "lossless codecs lose nothing");
  return 0;
}
