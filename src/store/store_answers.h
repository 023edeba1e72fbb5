// StoreAnswers: records the answers of a store while one rank opens a dataset, so that other ranks can open
// it without file access. A hundred thousand ranks that look up the same files and read the same headers
// would overload file systems.
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

#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

/// Thread-safe.
class StoreAnswers {
 public:
  /// Records the answers.
  StoreAnswers() = default;
  /// Replays recorded answers; questions that were not recorded go to the store.
  explicit StoreAnswers(const std::string& packed);
  [[nodiscard]] std::string pack() const;
  /// From now on all questions go to the store.
  void forget();

  using Ask = std::function<Result<std::string>()>;
  /// The answer to `question`, possibly an error: the recorded one, or that of `ask`. If a question was asked
  /// several times, the last answer is replayed.
  /// asked more than once, the last is told.
  Result<std::string> answer(const std::string& question, const Ask& ask);
  [[nodiscard]] bool is_in_use() const { return use_ != Use::kNone; }

 private:
  enum class Use { kRecord, kTell, kNone };

  std::atomic<Use> use_ = Use::kRecord;
  mutable std::mutex mutex_;
  std::map<std::string, Result<std::string>> known_;
};

/// The files of `inner` for reading. A file is not opened if all questions about it have recorded answers.
std::shared_ptr<Store> remembering_store(std::shared_ptr<Store> inner, std::shared_ptr<StoreAnswers> answers);

}  // namespace esker
