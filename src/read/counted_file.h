// CountedFile: a file that counts the bytes read from it.
#pragma once

#include "read/read_context.h"
#include "store/store.h"

namespace esker {

/// For reading only. Both references must outlive this object.
class CountedFile final : public File {
 public:
  CountedFile(const File& file, ReadCounters& counters) : file_(file), counters_(counters) {}

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    ++counters_.reads;
    counters_.bytes += static_cast<Index>(bytes.size());
    return file_.read_at(bytes, offset);
  }
  [[nodiscard]] Index cheap_gap_bytes() const override { return file_.cheap_gap_bytes(); }
  [[nodiscard]] Result<Index> size_bytes() const override { return file_.size_bytes(); }
  Status write_at(std::span<const std::byte> /*bytes*/, Index /*offset*/) override { return cannot_write(); }
  Status extend_to(Index /*size_bytes*/) override { return cannot_write(); }
  Status shrink_to(Index /*size_bytes*/) override { return cannot_write(); }
  Status sync() override { return cannot_write(); }
  Status close() override { return {}; }

 private:
  static Status cannot_write() { return {Code::kInternal, "a CountedFile can only be read"}; }

  const File& file_;
  ReadCounters& counters_;
};

}  // namespace esker
