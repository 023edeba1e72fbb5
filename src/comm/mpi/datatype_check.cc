#include "comm/mpi/datatype_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "comm/mpi/mpi_put_source.h"

namespace esker {
namespace {

/// Appends the bytes of the first `num_axes` axes, one block after the other.
void append_blocks(const SpreadBytes& part, int num_axes, const std::byte* from,
                   std::vector<std::byte>& joined) {
  if (num_axes == 0) {
    joined.insert(joined.end(), from, from + part.block_bytes);
    return;
  }
  const auto [count, stride_bytes] = part.axes[static_cast<std::size_t>(num_axes - 1)];
  for (Index i = 0; i < count; ++i) append_blocks(part, num_axes - 1, from + i * stride_bytes, joined);
}

std::vector<std::byte> pack(const SpreadBytes& part, const std::byte* base) {
  const MpiPutSource source(std::span(&part, 1));
  std::vector<std::byte> packed(static_cast<std::size_t>(source.size_bytes()));
  int end = 0;
  MPI_Pack(base, 1, source.type(), packed.data(), source.size_bytes(), &end, MPI_COMM_SELF);
  // Tests use it to simulate a library that packs incorrectly.
  if (std::getenv("ESKER_TEST_BROKEN_DATATYPES") && !packed.empty()) packed.back() ^= std::byte{1};
  return packed;
}

/// Three axes of 3 blocks each, contiguous or `gap_bytes` apart. Bit a of `direction`: axis a has a negative
/// stride. Bit 3: the last axis is the fastest in memory.
SpreadBytes make_part(Index block_bytes, Index gap_bytes, unsigned direction) {
  std::array<Index, 3> strides{};
  Index stride_bytes = block_bytes + gap_bytes;
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned a = (direction & 8U) != 0 ? 2 - i : i;
    strides[a] = (direction >> a & 1U) != 0 ? -stride_bytes : stride_bytes;
    stride_bytes = 3 * stride_bytes + gap_bytes;
  }
  SpreadBytes part{0, block_bytes};
  for (const Index stride : strides) part.add_axis(3, stride);
  return part;
}

Status check_all() {
  constexpr std::size_t kReach = 2048;  // beyond every block of a part, in either direction
  std::vector<std::byte> memory(2 * kReach);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 256);
  const std::byte* base = memory.data() + kReach;
  for (const Index block_bytes : {1, 2, 3, 4, 8, 24}) {
    for (const Index gap_bytes : {0, 1, 8}) {
      for (unsigned direction = 0; direction < 16; ++direction) {
        const SpreadBytes part = make_part(block_bytes, gap_bytes, direction);
        std::vector<std::byte> expected;
        append_blocks(part, part.num_axes, base, expected);
        if (pack(part, base) == expected) continue;
        return error(
            Code::kUnsupported,
            "this MPI library packs a datatype incorrectly: blocks of {} bytes with strides {}, {} and {}",
            block_bytes, part.axes[0].stride_bytes, part.axes[1].stride_bytes, part.axes[2].stride_bytes);
      }
    }
  }
  return {};
}

}  // namespace

Status check_datatypes() {
  static const Status kResult = check_all();
  return kResult;
}

}  // namespace esker
