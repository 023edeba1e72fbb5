// IdxWriter: an IDX dataset as a FormatWriter.
//
// Commit: data and headers of a step's block files are in place -> each .idx is checked to have the
// generation that this writer gave it -> the .idx of fixed fields (first step only), then each grid's .idx,
// are replaced by rename -> last, in a dataset of several parts, esker.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "format/format_writer.h"
#include "format/idx/commit_record.h"
#include "format/idx/dataset_parts.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::idx {

class IdxWriter final : public FormatWriter {
 public:
  IdxWriter(std::shared_ptr<Store> store, const std::string& path, const Options& options);

  Status check_target() override;
  [[nodiscard]] bool replaces_existing() const override { return replaces_existing_; }
  Status define(const Schema& schema) override;
  Status create(bool durable) override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present) const override;
  Status commit(Index step, double time, const std::vector<bool>& present, bool durable) override;
  Status rewind(Index num_steps) override;
  [[nodiscard]] std::vector<std::string> metadata_paths() const override;
  Status release() override;
  [[nodiscard]] std::string stem() const override { return paths_.stem; }

 private:
  /// What a file that this writer replaces says now.
  struct OnStorage {
    Index generation = 0;  // 0: not written yet
    Index num_steps = 0;
  };
  [[nodiscard]] OnStorage& state_of(const Part& part) { return on_storage_[index_of(part)]; }
  [[nodiscard]] const OnStorage& state_of(const Part& part) const { return on_storage_[index_of(part)]; }
  [[nodiscard]] std::size_t index_of(const Part& part) const {
    return static_cast<std::size_t>(&part - parts_.data());
  }

  Status remove_replaced();
  [[nodiscard]] Result<Index> part_generation(const Part& part) const;
  [[nodiscard]] Result<Index> catalog_generation() const;
  [[nodiscard]] Status check_generation(const Part& part) const;
  Status write_part(const Part& part, Index num_steps, bool durable);
  Status write_catalog(bool durable);
  [[nodiscard]] CommitRecord record_of(const Part& part, Index num_steps) const;

  std::shared_ptr<Store> store_;
  DatasetPaths paths_;
  Options options_;
  Schema schema_;
  std::vector<Part> parts_;
  std::vector<OnStorage> on_storage_;  // per part
  OnStorage catalog_;
  std::vector<double> times_;
  std::vector<std::vector<bool>> present_;  // per committed step
  bool replaces_existing_ = false;
  std::unique_ptr<WriterLock> lock_;
};

}  // namespace esker::idx
