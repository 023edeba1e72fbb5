// StoreAnswers: what a store answered while one rank opened a dataset, so that others can open it without
// asking. A hundred thousand ranks that look for the same files and read the same headers are a load that
// file systems bear badly.
//
//   StoreAnswers answers;                                     // rank 0
//   open_dataset(remembering_store(store, answers), path);
//   share(comm, packed = answers.pack());
//   StoreAnswers answers(packed);                             // the others
//   open_dataset(remembering_store(store, answers), path);
//   answers.forget();                                         // all: from now on files are what they are
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "esker/status.hpp"
#include "store/store.h"

namespace esker {

/// Any number of threads may use one.
class StoreAnswers {
 public:
  /// Notes what is answered.
  StoreAnswers() = default;
  /// Tells what another one noted; what that one was not asked, the store is.
  explicit StoreAnswers(const std::string& packed);
  [[nodiscard]] std::string pack() const;
  /// The store itself is asked from now on.
  void forget();

  using Ask = std::function<Result<std::string>()>;
  /// The answer to `question`, an error perhaps: the one that is told, or that of `ask`. Of one that was
  /// asked more than once, the last is told.
  Result<std::string> answer(const std::string& question, const Ask& ask);
  [[nodiscard]] bool is_in_use() const { return use_ != Use::kNone; }

 private:
  enum class Use { kNote, kTell, kNone };

  std::atomic<Use> use_ = Use::kNote;
  mutable std::mutex mutex_;
  std::map<std::string, Result<std::string>> known_;
};

/// The files of `inner` for reading. Those of which all that is asked is told are not opened.
std::shared_ptr<Store> remembering_store(std::shared_ptr<Store> inner, std::shared_ptr<StoreAnswers> answers);

}  // namespace esker
