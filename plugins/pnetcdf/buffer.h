// AttachedBuffer: how much of the buffer of ncmpi_buffer_attach() is in use, as PnetCDF counts it: bytes are
// free again only when all bytes that were taken later are free, too. The bytes themselves are those of the
// requests.
#pragma once

#include <utility>
#include <vector>

#include "esker/types/box.hpp"

namespace esker::pnetcdf {

class AttachedBuffer {
 public:
  [[nodiscard]] bool is_attached() const { return size_bytes_ > 0; }
  [[nodiscard]] Index size_bytes() const { return size_bytes_; }
  [[nodiscard]] Index used_bytes() const { return used_bytes_; }
  void attach(Index size_bytes) { size_bytes_ = size_bytes; }
  void detach() { *this = {}; }

  [[nodiscard]] bool has_room(Index bytes) const { return size_bytes_ - used_bytes_ >= bytes; }
  /// Returns the number by which free() is told.
  int take(Index bytes) {
    parts_.emplace_back(bytes, true);
    used_bytes_ += bytes;
    return static_cast<int>(parts_.size()) - 1;
  }
  void free(int part) {
    parts_[static_cast<std::size_t>(part)].second = false;
    while (!parts_.empty() && !parts_.back().second) {
      used_bytes_ -= parts_.back().first;
      parts_.pop_back();
    }
  }

 private:
  Index size_bytes_ = 0, used_bytes_ = 0;
  std::vector<std::pair<Index, bool>> parts_;  ///< bytes, and whether they are in use
};

}  // namespace esker::pnetcdf
