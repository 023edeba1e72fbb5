#include "read/block_cache.h"

#include <utility>

namespace esker {

BlockCache::Block BlockCache::find(const Key& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void BlockCache::keep(const Key& key, Block block) {
  if (block->size_bytes > limit_bytes_) return;
  const std::scoped_lock lock(mutex_);
  if (known_.contains(key)) return;  // another thread was faster
  recent_.emplace_front(key, std::move(block));
  try {
    known_[key] = recent_.begin();
  } catch (...) {
    recent_.pop_front();
    throw;
  }
  held_bytes_ += recent_.front().second->size_bytes;
  while (held_bytes_ > limit_bytes_) {
    held_bytes_ -= recent_.back().second->size_bytes;
    known_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

}  // namespace esker
