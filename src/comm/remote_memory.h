// RemoteMemory: memory of this rank that other ranks put bytes into, or get them from.
//
// The ranks agree on when that may happen in one of two ways:
//   fence()   all ranks together; what was put before the second of two fences stands after it.
//   post() and wait() by who is put to, or got from; start(), put() or get(), complete() by who does it: with
//             only those ranks that have something for each other.
// A put goes to other ranks only and never to where another one goes, or where the owner reads or writes,
// between the same two points; the owner may use the rest meanwhile. What is got nobody writes to, and the
// owner has written it before post(). Only what says "may throw" allocates.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "esker/box.hpp"
#include "esker/export.h"

namespace esker {

/// Bytes of this rank that stand apart: a block for every combination of indices of the axes, that of the
/// first axis fastest.
struct SpreadBytes {
  struct Axis {
    Index count = 0, stride_bytes = 0;
  };

  Index offset_bytes = 0;  ///< of the first block, from a place that the put names
  Index block_bytes = 0;
  int num_axes = 0;
  std::array<Axis, kMaxRank + 1> axes{};

  void add_axis(Index count, Index stride_bytes) { axes[num_axes++] = {count, stride_bytes}; }
};

/// What one put takes from where it stands; Comm::make_put_source makes it once for many times.
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
  /// Local: what is still exposed is not touched by others any more, and what they know of it is not freed.
  virtual ~RemoteMemory() = default;

  /// Collective; at most one memory at a time. False, on all ranks, if it cannot be used as said above.
  [[nodiscard]] virtual bool expose(std::span<std::byte> memory) = 0;
  /// Ends expose(). Collective.
  virtual void withdraw() = 0;

  /// Bytes, at most 1 GiB, to `offset_bytes` of what rank `to` has exposed. They stay untouched until fence()
  /// or complete() returns.
  virtual void put(std::span<const std::byte> bytes, int to, std::size_t offset_bytes) = 0;
  /// The same of bytes that stand apart, counted from `base`; they stand without gaps at rank `to`.
  virtual void put(const PutSource& source, const std::byte* base, int to, std::size_t offset_bytes) = 0;

  /// Bytes, at most 1 GiB, from `offset_bytes` of what rank `from` has exposed. They are there when
  /// complete() returns.
  virtual void get(std::span<std::byte> bytes, int from, std::size_t offset_bytes) = 0;

  virtual void fence() = 0;

  /// `sources` stay until wait() returns, `targets` until complete() does.
  virtual void post(std::span<const int> sources) = 0;
  virtual void start(std::span<const int> targets) = 0;
  virtual void complete() = 0;
  virtual void wait() = 0;
};

}  // namespace esker
