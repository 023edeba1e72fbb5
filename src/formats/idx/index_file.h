// IndexFile: a file that is replaced at each commit, as this writer left it: an .idx, or the catalog.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::idx {

class IndexFile {
 public:
  IndexFile() = default;
  /// A file that does not exist.
  explicit IndexFile(std::string path) : path_(std::move(path)) {}
  /// A file that exists.
  IndexFile(std::string path, const std::string& text, Index num_steps);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The number of steps that it lists; -1: it does not exist. Larger if that is not known.
  [[nodiscard]] Index num_steps() const { return num_steps_; }
  [[nodiscard]] bool exists() const { return num_steps_ >= 0; }

  /// kDataLoss: another program changed it.
  [[nodiscard]] Status check_unchanged(Store& store) const;
  /// Replaces it by a file with this text, which lists so many steps. After an error it may have happened.
  Status replace(Store& store, const std::string& text, Index num_steps, bool durable);
  Status remove(Store& store);

  /// Another rank has replaced it by a file that lists so many steps. Allocates nothing.
  void settle(Index num_steps);
  /// Another rank may be replacing it by a file with this text.
  void doubt(const std::string& text, Index num_steps);
  /// Before check_unchanged(), and while the text of what settle() said is known: `text_of` makes it.
  void find_sum(const std::function<std::string(Index num_steps)>& text_of);

 private:
  std::string path_;
  std::uint64_t sum_ = 0;  // checksum of its text
  Index num_steps_ = -1;
  // After a replacement with unknown result: the file is the old or the new one.
  std::optional<std::uint64_t> or_sum_;
  bool may_be_missing_ = false;
  bool has_own_text_ = false;  // since settle(): `sum_` is not known
};

}  // namespace esker::idx
