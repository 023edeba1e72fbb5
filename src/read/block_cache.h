// BlockCache: a cache of decoded blocks with least-recently-used eviction.
#pragma once

#include <compare>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "esker/types/box.hpp"
#include "esker/types/in_block_order.hpp"

namespace esker {

/// The samples of a block.
struct DecodedBlock {
  std::unique_ptr<std::byte[]> bytes;
  Index size_bytes = 0;
  InBlockOrder order = InBlockOrder::kRowMajor;
};

/// Thread-safe.
class BlockCache {
 public:
  struct Key {
    const void* part = nullptr;  ///< of the dataset
    int column = 0;
    Index time = 0, block = 0;
    int bits = 0;  ///< that it was decoded from, per sample; 0: all

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Block = std::shared_ptr<const DecodedBlock>;

  explicit BlockCache(Index limit_bytes) : limit_bytes_(limit_bytes) {}

  [[nodiscard]] Index limit_bytes() const { return limit_bytes_; }
  /// Null if the block is not in the cache.
  Block find(const Key& key);
  /// Adds a block, and evicts least recently used ones as needed. A block larger than the cache is not added.
  void keep(const Key& key, Block block);

 private:
  using Recent = std::list<std::pair<Key, Block>>;  // most recent first

  Index limit_bytes_;
  std::mutex mutex_;
  Index held_bytes_ = 0;
  Recent recent_;
  std::map<Key, Recent::iterator> known_;
};

}  // namespace esker
