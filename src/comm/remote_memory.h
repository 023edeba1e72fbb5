// RemoteMemory: memory of this rank that other ranks put bytes into or get bytes from.
//
// The ranks synchronize in one of two ways:
//   fence()   all ranks together. Bytes put before the second of two fences are in place after it.
//   post() and wait() on the owner of the memory; start(), put() or get(), complete() on the rank that puts
//             or gets. Only ranks that exchange data take part.
// Between two such points a put targets another rank only, and never overlaps another put or memory that its
// owner reads or writes. The owner may use the rest meanwhile. No rank writes to memory that is got; the
// owner has written it before post(). Only functions marked "may throw" allocate.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "esker/types/box.hpp"
#include "esker/types/export.h"

namespace esker {

class Comm;

/// Strided bytes of this rank: one block for every combination of indices of the axes, the first axis
/// fastest.
struct SpreadBytes {
  struct Axis {
    Index count = 0, stride_bytes = 0;
  };

  Index offset_bytes = 0;  ///< of the first block, from a base address that the put names
  Index block_bytes = 0;
  int num_axes = 0;
  std::array<Axis, kMaxRank + 1> axes{};

  void add_axis(Index count, Index stride_bytes) { axes[num_axes++] = {count, stride_bytes}; }
};

/// The source layout of a put. Comm::make_put_source makes it once for repeated use.
class ESKER_API PutSource {
 public:
  PutSource() = default;
  PutSource(const PutSource&) = delete;
  PutSource& operator=(const PutSource&) = delete;
  virtual ~PutSource() = default;
};

class ESKER_API RemoteMemory {
 public:
  RemoteMemory() = default;
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;
  /// Local. Other ranks no longer access memory that is still exposed; their records of it are not freed.
  virtual ~RemoteMemory() = default;

  /// Collective; at most one memory at a time. False, on all ranks, if it cannot be used as described above.
  [[nodiscard]] virtual bool expose(std::span<std::byte> memory) = 0;
  /// Ends expose(). Collective.
  virtual void withdraw() = 0;

  /// Puts at most 1 GiB at `offset_bytes` of the memory that rank `to` has exposed. The bytes must not change
  /// until fence() or complete() returns.
  virtual void put(std::span<const std::byte> bytes, int to, std::size_t offset_bytes) = 0;
  /// The same for strided bytes, with offsets counted from `base`; they are contiguous at rank `to`.
  virtual void put(const PutSource& source, const std::byte* base, int to, std::size_t offset_bytes) = 0;

  /// Gets at most 1 GiB from `offset_bytes` of the memory that rank `from` has exposed. The bytes are in
  /// place when complete() returns.
  virtual void get(std::span<std::byte> bytes, int from, std::size_t offset_bytes) = 0;

  virtual void fence() = 0;
  /// The same for the ranks of a group, which put to each other only. A memory is synchronized in one way.
  virtual void fence_in(Comm& group) = 0;

  /// `sources` must remain valid until wait() returns, `targets` until complete() returns.
  virtual void post(std::span<const int> sources) = 0;
  virtual void start(std::span<const int> targets) = 0;
  virtual void complete() = 0;
  virtual void wait() = 0;
};

}  // namespace esker
