// Companion: a dataset in another format, IDX or Zarr, next to a CDF file that a program writes variable by
// variable. It has the records of the file as steps, and the fixed variables as fixed fields.
//
//   Companion companion(comm, store, *file, options, true);
//   companion.take_definition();               // after each SharedFile::end_definition()
//   companion.note(accesses);                  // after a put of this rank
//   companion.follow(accesses).check();        // after a collective put
//   companion.commit().check();                // after SharedFile::sync()
//   companion.close().check();                 // before SharedFile::close()
//
// Steps. A record that one collective put covers completely is written from the memory of that call, at once.
// Other records are written when a collective put has begun a later one, at commit(), and at close(): each
// rank reads a share from the file. Fixed fields are written with the first record, or in a file without
// variables of records as if they were one. A dataset has the variables that any rank has put when its first
// step is written. When others are put, it is written again from the first record: with the next record, or
// at close(). What is put to steps and fixed fields that are written already is in the dataset after close();
// that of its last step also after the next record.
//
// Times are those of the variable named like the dimension of records, if they grow from record to record;
// else 0, 1, 2 ... Before close() a record waits until its time is put.
//
// Errors are those of all ranks. After the first one, which is returned once, there is no dataset any more:
// it is closed with the steps that it has, and all functions succeed. The file is not concerned. Decision 56.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "companion/brought_record.h"
#include "companion/companion_schema.h"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "shared_cdf/shared_file.h"
#include "store/lock.h"
#include "store/store.h"
#include "write/pipeline.h"
#include "write/step_input.h"

namespace esker {

class Companion {
 public:
  /// For a file that is defined or opened. `format`: see companion_format(). `options` have its settings;
  /// those of rank 0 count. The dataset is created with its first step, and replaces one of this name if it
  /// `may_replace` it. `file` must outlive it. Local.
  Companion(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store, cdf::SharedFile& file, Options options,
            const std::string& format, bool may_replace);
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// Collective: continues the dataset of a file that was opened for writing. If it is missing, or has other
  /// fields or times than the file, a message says so, and there is no dataset; a file without records gets a
  /// new one, which replaces one of its variables.
  Status resume();
  /// Collective: the definitions of the file have changed. kOutOfMemory.
  Status take_definition();

  /// Local: this rank has put values, or wrote them in part.
  void note(std::span<const cdf::Access> accesses);
  /// The same for a variable from a record on; -1: a fixed one.
  void note(int variable, Index record);

  /// Collective, in a collective put of this rank's `accesses`: writes the records before the last one, and
  /// that one if the accesses of all ranks cover it.
  Status follow(std::span<const cdf::Access> accesses);
  /// Collective: writes all records; where times are put, those whose times were put.
  Status commit();
  /// Collective: writes what is not written, or not as the file has it now, and closes the dataset.
  Status close();
  /// Collective: closes the dataset, without records that are not in the file.
  Status abandon();

  /// On rank 0: what the user should know, without the messages that were taken before. Local.
  std::vector<std::string> take_messages();

 private:
  /// What a commit does.
  struct Work {
    ChosenVariables chosen;
    Index num_steps = 0;        ///< that the dataset has then
    Index first = 0;            ///< the first step to be written
    bool is_again = false;      ///< the dataset is made again
    std::vector<double> times;  ///< from `first` on
  };
  /// Numbers of records, [first, end).
  struct Records {
    Index first = 0, end = 0;
  };
  Status write_or_end(Index num_records, bool at_end);
  Status write(Index num_records, bool at_end);
  Status agree_on_puts();
  [[nodiscard]] ChosenVariables choose() const;
  [[nodiscard]] bool has_any(const ChosenVariables& chosen, bool of_records) const;
  [[nodiscard]] bool has_times(const ChosenVariables& chosen) const;
  [[nodiscard]] bool is_ready(const ChosenVariables& chosen, Index num_records, bool at_end) const;
  [[nodiscard]] Index first_to_write(bool at_end) const;
  Status find_times(Work& work);

  [[nodiscard]] bool may_have_records() const;
  [[nodiscard]] ChosenVariables wanted() const;
  Status write_brought(const std::vector<BroughtBox>& brought);
  Result<bool> cover(const std::vector<BroughtBox>& brought, const ChosenVariables& chosen, Index step);

  Status begin(const ChosenVariables& chosen);
  Status describe(const ChosenVariables& chosen);
  void tell_differences();
  Result<std::shared_ptr<WriterLock>> borrow_lock();
  Result<std::map<int, AttributeValue>> share_coordinates(const ChosenVariables& chosen);
  Status drop_all();
  Status match_existing();
  [[nodiscard]] ChosenVariables variables_of(const Schema& existing) const;

  Result<std::vector<double>> share_times(const ChosenVariables& chosen, Index first, Index end);
  Status write_step(double time, const std::vector<BroughtBox>* brought = nullptr);
  Status add_patches(StepInput& input, const std::vector<BroughtBox>* brought);
  Status read_shares(StepInput& input, const std::vector<bool>& is_read);
  Status read_share(int variable, Index record, const Box& box, std::byte* target);
  Status read_values(int variable, const Records& records, cdf::Type type, std::byte* target);

  Status finish();
  Status end(const Status& status);
  void tell(const std::string& text);
  [[nodiscard]] Index num_steps() const {
    return pipeline_ ? static_cast<Index>(pipeline_->times().size()) : 0;
  }

  static constexpr Index kNone = std::numeric_limits<Index>::max();

  std::shared_ptr<Comm> comm_;
  std::shared_ptr<Store> store_;
  cdf::SharedFile& file_;
  Result<Options> options_;  // as the pipeline takes them: no copy is made between collective calls
  std::string path_;
  bool is_over_ = false;
  std::unique_ptr<WritePipeline> pipeline_;  // from the first step on
  CompanionSchema schema_;
  ChosenVariables chosen_;      // of the dataset
  bool numbers_steps_ = false;  // the times of the file do not grow

  ChosenVariables put_;          // by this rank; at the last commit: by any
  Index first_changed_ = kNone;  // the first step of the dataset that was put to
  bool has_changed_fixed_ = false;
  Index last_time_ = -1;               // the last record whose time was put
  std::vector<std::string> messages_;  // rank 0
};

}  // namespace esker
