// IdxWriter: an IDX dataset as a FormatWriter.
//
// Commit: the data and headers of a step's block files are written. Then each .idx is checked to be the one
// that this writer left. Then the .idx of fixed fields (first step only) and each grid's .idx are replaced by
// rename. In a dataset of several parts, esker.json is replaced last.
//
// If partitions are stored separately, the leader of a partition checks and replaces its .idx files, before
// rank 0 replaces esker.json. For that, all ranks know what each step holds; the text of an .idx follows from
// it. A file for OpenVisus that shows the union of the .idx files of a grid is written once (midx.h).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "formats/idx/committed_steps.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/existing.h"
#include "formats/idx/index_file.h"
#include "formats/idx/leftovers.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::idx {

class IdxWriter final : public FormatWriter {
 public:
  /// `stem`: dataset_stem() of the dataset's path. `lock` protects everything that is written there.
  /// `other_suffix`: suffix of the file of another format that also receives the steps, if any; it is
  /// recorded in the schema file of a new dataset.
  IdxWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
            std::shared_ptr<WriterLock> lock, std::string other_suffix = "");

  Status check_target() override;
  [[nodiscard]] bool replaces_existing() const override { return replaces_existing_; }
  Status define(const Schema& schema) override;
  Status create(bool durable) override;
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  Status check_ours() override;
  Status check_step_place(Index step) override;
  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] const std::vector<double>& times() const override { return steps_.times; }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  [[nodiscard]] Status check_sparse(int field) const override;
  [[nodiscard]] const BlockGrid* blocks_of(int field) const override;
  [[nodiscard]] std::vector<int> choices_of_block_bits(int field) const override;
  Status set_block_bits(int field, int bits) override;
  Status reset_block_bits() override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out_sparse(const std::vector<bool>& present,
                                                            const StepHints& hints,
                                                            const KeptFields& kept) const override;
  Result<std::vector<SmallFile>> small_files(Index step, const std::vector<bool>& present,
                                             const KeptFields& kept, const PatchesOfMeshes& patches) override;
  [[nodiscard]] int num_own_indexes() const override;
  Status commit_partitions(const StoredStep& stored, std::span<const int> led, bool durable) override;
  [[nodiscard]] std::vector<std::string> indexes_of(int partition) const override;
  void settle_indexes(Index num_steps) override;
  void doubt_indexes(const StoredStep& stored) override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override { is_protected_ = true; }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override;
  [[nodiscard]] std::vector<std::string> metadata_paths() const override;
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return paths_.stem; }

 private:
  [[nodiscard]] Status check_directory() const;
  [[nodiscard]] Status check_replaceable() const;
  [[nodiscard]] std::vector<PartFiles> part_files() const;
  void find_sum(std::size_t part);
  [[nodiscard]] std::string text_of_part(std::size_t part, Index num_steps) const {
    return steps_.text_of(schema_, parts_[part], part, num_steps);
  }
  void take_step(const StoredStep& stored);
  Status write_part(std::size_t part, Index num_steps, bool durable);
  Status write_catalog(bool durable);
  [[nodiscard]] const Part& part_of(int field) const;
  [[nodiscard]] bool is_created() const {
    return catalog_.exists() ||
           std::any_of(idx_.begin(), idx_.end(), [](const IndexFile& idx) { return idx.exists(); });
  }
  Status make_parts_of_schema();
  [[nodiscard]] bool is_single() const { return esker::idx::is_single(schema_, parts_); }
  Status write_unions(bool durable);
  void forget_files();
  void print_directory() const;

  std::shared_ptr<Store> store_;
  DatasetPaths paths_;
  Options options_;
  std::string other_suffix_;
  Schema schema_;
  std::vector<Part> parts_;
  std::vector<IndexFile> idx_;  // per part
  IndexFile catalog_;
  std::map<std::string, std::string> format_options_;  // that the dataset was created with
  CommittedSteps steps_;
  CommittedSteps::SetSums new_set_sums_;   // of the last small_files()
  std::map<std::string, int> block_bits_;  // chosen by set_block_bits(), by name of the part
  bool replaces_existing_ = false;
  bool is_protected_ = false;  // a replacement of an index is durable before the rename
  std::shared_ptr<WriterLock> lock_;
};

}  // namespace esker::idx
