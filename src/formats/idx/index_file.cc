#include "formats/idx/index_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "formats/idx/header.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

std::uint64_t sum_of(const std::string& text) { return checksum(std::as_bytes(std::span(text)), 0); }

}  // namespace

IndexFile::IndexFile(std::string path, const std::string& text, Index num_steps)
    : path_(std::move(path)), sum_(sum_of(text)), num_steps_(num_steps) {}

Status IndexFile::check_unchanged(Store& store) const {
  if (!exists()) return {};
  const auto text = read_text(store, path_, kMaxHeaderBytes);
  if (text.status().code() == Code::kNotFound && may_be_missing_) return {};
  ESKER_RETURN_IF_ERROR(text.status());
  const std::uint64_t sum = sum_of(*text);
  if (sum == sum_ || sum == or_sum_) return {};
  return error(Code::kDataLoss, "{} differs from what this writer wrote: another program changed it", path_);
}

Status IndexFile::replace(Store& store, const std::string& text, Index num_steps, bool durable) {
  const std::uint64_t sum = sum_of(text);
  const Status replaced = guarded("replace", [&] { return replace_file(store, path_, text, durable); });
  // After an error it may still have happened, if only the sync of the directory failed.
  std::optional<bool> is_new = replaced.ok() ? std::optional(true) : std::nullopt;
  if (!is_new) {
    (void)guarded("replace", [&]() -> Status {
      const auto found = read_text(store, path_, kMaxHeaderBytes);
      if (found.ok()) is_new = sum_of(*found) == sum;
      if (found.status().code() == Code::kNotFound) is_new = false;
      return {};
    });
  }
  if (is_new == true) {
    sum_ = sum;
    or_sum_.reset();
    may_be_missing_ = false;
    num_steps_ = num_steps;
  } else if (!is_new) {
    may_be_missing_ = !exists();
    or_sum_ = sum;
    num_steps_ = std::max(num_steps_, num_steps);
  }
  return replaced;
}

Status IndexFile::remove(Store& store) {
  const Status removed = store.remove(path_);
  if (removed.ok()) num_steps_ = -1;
  return removed;
}

void IndexFile::settle(Index num_steps) {
  num_steps_ = num_steps;
  has_own_text_ = true;
  or_sum_.reset();
  may_be_missing_ = false;
}

void IndexFile::doubt(const std::string& text, Index num_steps) {
  may_be_missing_ = may_be_missing_ || !exists();
  or_sum_ = sum_of(text);
  num_steps_ = num_steps;
}

void IndexFile::find_sum(const std::function<std::string(Index num_steps)>& text_of) {
  if (has_own_text_ && exists()) sum_ = sum_of(text_of(num_steps_));
  has_own_text_ = false;
}

}  // namespace esker::idx
