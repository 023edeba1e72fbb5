#include "formats/idx/merge.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "base/scratch.h"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/entries.h"
#include "formats/idx/idx_part.h"
#include "formats/idx/merge_journal.h"
#include "formats/idx/merged_blocks.h"
#include "formats/idx/record_sum.h"
#include "store/commit.h"
#include "store/lock.h"

namespace esker::idx {
namespace {

/// The table of a block file.
struct Table {
  std::vector<BlockEntry> entries;
  std::optional<FileIdentity> identity;
};

/// Merges the steps of one .idx.
class PartMerger {
 public:
  PartMerger(std::shared_ptr<Store> store, const DatasetPaths& paths, const IdxPart& part,
             MergeReport& report)
      : store_(std::move(store)), paths_(paths), part_(part), record_(*part.record()), report_(report) {}

  [[nodiscard]] Index num_steps() const { return static_cast<Index>(part_.times().size()); }
  [[nodiscard]] Index num_merged() const { return record_.merged; }
  [[nodiscard]] std::string name() const { return std::filesystem::path(part_.idx_path()).stem().string(); }

  Status run() {
    for (Index step = num_merged(); step < num_steps(); ++step) {
      ESKER_RETURN_IF_ERROR(write_journal(step));
      ESKER_RETURN_IF_ERROR(apply_journal());
      ESKER_RETURN_IF_ERROR(commit(step + 1));
    }
    return num_steps() == 0 ? commit(0) : Status();
  }

  /// Finishes the step of a complete journal.
  Status finish(Index step) {
    if (step < num_merged()) return store_->remove(paths_.merge_journal());  // the last commit succeeded
    if (step > num_merged() || step >= num_steps()) {
      return error(Code::kDataLoss, "{}: is about step {}, but {} steps of {} are merged",
                   paths_.merge_journal(), step, num_merged(), part_.idx_path());
    }
    ESKER_RETURN_IF_ERROR(apply_journal());
    return commit(step + 1);
  }

 private:
  [[nodiscard]] const BlockGrid& bricks() const { return part_.blocks(); }
  [[nodiscard]] Index per_file() const { return part_.header().blocks_per_file; }
  [[nodiscard]] std::string path_of(Index first_block, Index step) const {
    return part_.files().path(0, first_block, part_.times()[static_cast<std::size_t>(step)]);
  }
  [[nodiscard]] Index end_of_first_blocks(Index first_block) const {
    return std::min(first_block + per_file(), bricks().num_first_blocks());
  }

  Result<Table> read_table(const File& file, Index first_block, Index step) const;
  Status check_entry(const BlockEntry& entry, int field) const;
  Status write_journal(Index step);
  Status add_blocks(MergeJournalWriter& journal, int field, Index step, std::vector<Table>& tables);
  Status add_tables(MergeJournalWriter& journal, MergeKind kind, const std::vector<Table>& tables) const;
  Status apply_journal();
  Status apply(const MergeRecord& record, std::span<const std::byte> bytes, Index step);
  Status close_file();
  Status commit(Index num_merged);

  std::shared_ptr<Store> store_;
  const DatasetPaths& paths_;
  const IdxPart& part_;
  CommitRecord record_;
  MergeReport& report_;
  Scratch of_bricks_, block_;   // of add_blocks()
  std::unique_ptr<File> open_;  // of apply()
  std::pair<MergeKind, Index> open_for_{MergeKind::kEnd, 0};
};

Result<Table> PartMerger::read_table(const File& file, Index first_block, Index step) const {
  const auto num_fields = static_cast<Index>(part_.header().fields.size());
  const Index num_entries = per_file() * num_fields;
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  std::vector<std::byte> bytes(static_cast<std::size_t>(headers_bytes(per_file(), num_fields)));
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, 0));
  Table table{{}, identity_of(bytes)};
  const Index time = part_.times()[static_cast<std::size_t>(step)];
  const bool is_its_own =
      !table.identity ||
      *table.identity == file_identity(part_.header(), time, first_block, table.identity->version);
  if (check_table(bytes) == TableCheck::kChanged || !is_its_own) {
    return error(Code::kDataLoss, "the table of blocks is damaged, or that of another file");
  }
  ESKER_ASSIGN_OR_RETURN(table.entries, decode_headers(bytes, num_entries, file_bytes));
  return table;
}

Status PartMerger::check_entry(const BlockEntry& entry, int field) const {
  const FieldEntry& of = part_.header().fields[static_cast<std::size_t>(field)];
  const Index expected = bricks().samples_per_block() * of.sample_bytes();
  if (entry.absent() || !entry.is_of_brick() || entry.codec_bits() != 0 || entry.size_bytes != expected) {
    return error(Code::kDataLoss, "expected {} raw bytes of one brick, found {} bytes with flags {:#x}",
                 expected, entry.size_bytes, entry.flags);
  }
  return {};
}

/// The blocks of a field, from those of the bricks. `tables` get their entries.
Status PartMerger::add_blocks(MergeJournalWriter& journal, int field, Index step,
                              std::vector<Table>& tables) {
  const FieldEntry& of = part_.header().fields[static_cast<std::size_t>(field)];
  const MergedBlocks merged(bricks(), of);
  const auto block_bytes = static_cast<std::size_t>(merged.block_bytes());
  const Index num_blocks = bricks().num_first_blocks();
  const auto of_bricks = of_bricks_.get(num_blocks * merged.block_bytes());
  const auto block = block_.get(merged.block_bytes());
  const auto entry_of = [&](Index b) -> BlockEntry& {
    return tables[static_cast<std::size_t>(b / per_file())]
        .entries[static_cast<std::size_t>(entry_number(field, b, per_file()))];
  };
  std::unique_ptr<File> file;
  for (Index b = 0; b < num_blocks; ++b) {
    const std::string path = path_of(b - b % per_file(), step);
    if (b % per_file() == 0) {
      ESKER_ASSIGN_OR_RETURN(file, store_->open(path, OpenMode::kRead));
    }
    const BlockEntry& entry = entry_of(b);
    const auto bytes = of_bricks.subspan(static_cast<std::size_t>(b) * block_bytes, block_bytes);
    Status read = check_entry(entry, field);
    if (read.ok()) read = file->read_at(bytes, entry.offset_bytes);
    if (read.ok() && entry.checksum &&
        *entry.checksum != block_checksum(field, b, entry.flags, bytes, entry.sum_version)) {
      read = error(Code::kDataLoss, "the checksum does not match");
    }
    if (!read.ok()) return read.with_context(fmt::format("{}: field '{}', block {}", path, of.name, b));
  }
  for (Index b = 0; b < num_blocks; ++b) {
    BlockEntry& entry = entry_of(b);
    merged.make(b, entry.order(), of_bricks, block);
    entry.flags &= ~kBrickFlag;
    if (entry.checksum) {
      entry.checksum = block_checksum(field, b, entry.flags, block, entry.sum_version);
    }
    ESKER_RETURN_IF_ERROR(journal.add(MergeKind::kBlocks, b - b % per_file(), entry.offset_bytes, block));
  }
  return {};
}

/// kInvalidate: without the first blocks.
Status PartMerger::add_tables(MergeJournalWriter& journal, MergeKind kind,
                              const std::vector<Table>& tables) const {
  for (std::size_t f = 0; f < tables.size(); ++f) {
    const Index first_block = static_cast<Index>(f) * per_file();
    std::vector<BlockEntry> entries = tables[f].entries;
    for (Index b = first_block; b < end_of_first_blocks(first_block) && kind == MergeKind::kInvalidate; ++b) {
      for (int field = 0; field < static_cast<int>(part_.header().fields.size()); ++field) {
        entries[static_cast<std::size_t>(entry_number(field, b, per_file()))] = {};
      }
    }
    ESKER_RETURN_IF_ERROR(journal.add(kind, first_block, 0, encode_headers(entries, tables[f].identity)));
  }
  return {};
}

Status PartMerger::write_journal(Index step) {
  std::vector<Table> tables;
  std::vector<int> fields;
  for (int field = 0; field < static_cast<int>(part_.header().fields.size()); ++field) {
    if (part_.has(field, step)) fields.push_back(field);
  }
  for (Index b = 0; b < bricks().num_first_blocks() && !fields.empty(); b += per_file()) {
    const std::string path = path_of(b, step);
    ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path, OpenMode::kRead));
    auto table = read_table(*file, b, step);
    if (!table.ok()) return table.status().with_context(path);
    tables.push_back(std::move(*table));
  }
  const auto write = [&](File& file) -> Status {
    MergeJournalWriter journal(file);
    ESKER_RETURN_IF_ERROR(journal.begin(step, name()));
    ESKER_RETURN_IF_ERROR(add_tables(journal, MergeKind::kInvalidate, tables));
    for (const int field : fields) ESKER_RETURN_IF_ERROR(add_blocks(journal, field, step, tables));
    ESKER_RETURN_IF_ERROR(add_tables(journal, MergeKind::kTable, tables));
    return journal.end();
  };
  ESKER_RETURN_IF_ERROR(stage_file(*store_, paths_.merge_journal(), write, true));
  return publish_file(*store_, paths_.merge_journal(), true);
}

Status PartMerger::close_file() {
  if (!open_) return {};
  ESKER_RETURN_IF_ERROR(open_->sync());
  return std::exchange(open_, nullptr)->close();
}

/// Keeps the file open for the next record. A file is synced before the next kind of records is written to
/// it.
Status PartMerger::apply(const MergeRecord& record, std::span<const std::byte> bytes, Index step) {
  const bool is_file = record.first_block >= 0 && record.first_block < bricks().num_first_blocks() &&
                       record.first_block % per_file() == 0;
  if (!is_file || record.offset_bytes < 0) {
    return error(Code::kDataLoss, "a record is about no file with blocks of bricks");
  }
  const std::pair wanted(record.kind, record.first_block);
  if (!open_ || open_for_ != wanted) {
    ESKER_RETURN_IF_ERROR(close_file());
    ESKER_ASSIGN_OR_RETURN(open_, store_->open(path_of(record.first_block, step), OpenMode::kWrite));
    open_for_ = wanted;
  }
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, open_->size_bytes());
  if (record.offset_bytes > file_bytes || record.size_bytes > file_bytes - record.offset_bytes) {
    return error(Code::kDataLoss, "a record exceeds {}", path_of(record.first_block, step));
  }
  if (record.kind == MergeKind::kBlocks) {
    ++report_.blocks;
    report_.bytes += record.size_bytes;
  }
  return open_->write_at(bytes, record.offset_bytes);
}

/// Reads the journal twice: nothing is changed if it is damaged.
Status PartMerger::apply_journal() {
  ESKER_ASSIGN_OR_RETURN(const auto journal, store_->open(paths_.merge_journal(), OpenMode::kRead));
  const auto apply_all = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(const MergeJournalHead head, read_merge_head(*journal));
    ESKER_RETURN_IF_ERROR(
        for_each_merge_record(*journal, head, [](const auto&, const auto&) { return Status(); }));
    return for_each_merge_record(*journal, head,
                                 [&](const MergeRecord& record, std::span<const std::byte> bytes) {
                                   return apply(record, bytes, head.step);
                                 });
  };
  const Status applied = apply_all();
  const Status closed = close_file();
  return applied.ok() ? closed : applied.with_context(paths_.merge_journal());
}

/// With all steps merged, the .idx is that of the global order.
Status PartMerger::commit(Index num_merged) {
  Header header = part_.header();
  record_.merged = num_merged;
  CommitRecord record = record_;
  if (num_merged == num_steps()) {
    header.version = 6;
    header.brick_digits = 0;
    record.merged = 0;
  }
  for (auto& [key, value] : header.other) {
    if (key == kRecordKey)
      value = record.sum ? print_sealed_record(header, record) : print_commit_record(record);
  }
  ESKER_RETURN_IF_ERROR(replace_file(*store_, part_.idx_path(), print_header(header), true));
  if (num_steps() == 0) return {};
  ++report_.steps;
  return store_->remove(paths_.merge_journal());
}

// ---- the dataset ----

struct Dataset {
  DatasetPaths paths;
  std::optional<Catalog> catalog;
  std::vector<std::string> idx_paths;
};

/// Links and parts of a dataset are refused: their names are not those of the lock and the journal. The
/// blocks of a single .idx may be behind a link.
Status check_name(const Store& store, const DatasetPaths& paths, const std::string& path) {
  const auto refuse_link = [&](const std::string& name) -> Status {
    ESKER_ASSIGN_OR_RETURN(const std::string target, store.follow_link(name));
    if (target == name) return {};
    return error(Code::kInvalidArgument, "{} is a symbolic link; merge {} instead", name, target);
  };
  ESKER_RETURN_IF_ERROR(refuse_link(paths.single_idx()));
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  if (has_catalog) return refuse_link(paths.directory());
  const std::string around = (std::filesystem::path(paths.stem).parent_path() / kCatalogName).string();
  ESKER_ASSIGN_OR_RETURN(const bool is_part, store.exists(around));
  if (!is_part) return {};
  return error(Code::kInvalidArgument, "{} is a part of a dataset; merge {} instead", path,
               directory_of(around));
}

/// Of a dataset that is locked.
Result<Dataset> find_dataset(Store& store, const DatasetPaths& paths) {
  Dataset dataset{paths, {}, {}};
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  if (!has_catalog) {
    dataset.idx_paths.push_back(paths.single_idx());
    return dataset;
  }
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, paths.catalog(), kMaxSidecarBytes));
  auto catalog = parse_catalog(text);
  if (!catalog.ok()) return catalog.status().with_context(paths.catalog());
  dataset.catalog = std::move(*catalog);
  for (const CatalogPart& part : dataset.catalog->parts) {
    const std::string idx_path = paths.directory() + "/" + part.name + ".idx";
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(idx_path));
    if (exists) dataset.idx_paths.push_back(idx_path);
  }
  return dataset;
}

/// An .idx with the blocks of bricks that this process may change.
Status check_mergeable(const IdxPart& part) {
  if (!part.record()) {
    return error(Code::kUnsupported,
                 "{}: has (bricks), but its record (esker) is missing, which counts the merged steps; `esker "
                 "repair {} --rebuild --like` makes one from that of another dataset with the same bricks",
                 part.idx_path(), part.idx_path());
  }
  return check_blocks_directory(part.header(), part.idx_path());
}

/// A step that the catalog does not list was not committed.
Status check_committed(const IdxPart& part, const Dataset& dataset) {
  if (!dataset.catalog || !part.header().time) return {};
  if (part.times().size() <= dataset.catalog->times.size()) return {};
  return error(Code::kInvalidArgument, "{} lists a step that was not committed: run `esker repair {}` first",
               part.idx_path(), dataset.paths.directory());
}

Status merge_catalog(Store& store, const Dataset& dataset) {
  if (!dataset.catalog) return {};
  Catalog catalog = *dataset.catalog;
  const auto removed = catalog.options.erase("partition_index") + catalog.options.erase("partitions");
  return removed > 0 ? replace_file(store, dataset.paths.catalog(), print_catalog(catalog), true) : Status();
}

/// The head of the journal of an interrupted merge.
Result<std::optional<MergeJournalHead>> interrupted(Store& store, const DatasetPaths& paths) {
  ESKER_RETURN_IF_ERROR(store.remove(temporary_of(paths.merge_journal())));
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(paths.merge_journal()));
  if (!exists) return std::optional<MergeJournalHead>();
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(paths.merge_journal(), OpenMode::kRead));
  auto head = read_merge_head(*file);
  if (!head.ok()) return head.status().with_context(paths.merge_journal());
  return std::optional(std::move(*head));
}

}  // namespace

Status check_not_merging(Store& store, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(paths.merge_journal()));
  if (!exists) return {};
  return error(Code::kInvalidArgument, "{}: `esker merge` was interrupted; run it again first",
               paths.merge_journal());
}

Status check_not_partly_merged(Index num_steps, const std::string& name) {
  if (num_steps == 0) return {};
  return error(Code::kInvalidArgument,
               "{}: `esker merge` was interrupted after some steps; run it again first", name);
}

Result<MergeReport> merge_on(const std::shared_ptr<Store>& store, const std::string& path) {
  MergeReport report;
  const DatasetPaths paths{dataset_stem(path)};
  ESKER_RETURN_IF_ERROR(check_name(*store, paths, path));
  WriterLock lock(store, paths.lock());
  ESKER_RETURN_IF_ERROR(lock.acquire_for(paths.directory()));
  ESKER_ASSIGN_OR_RETURN(const Dataset dataset, find_dataset(*store, paths));
  ESKER_ASSIGN_OR_RETURN(auto unfinished, interrupted(*store, dataset.paths));
  for (const std::string& idx_path : dataset.idx_paths) {
    ESKER_ASSIGN_OR_RETURN(auto part, IdxPart::open_file(store, idx_path));
    ESKER_RETURN_IF_ERROR(check_committed(*part, dataset));
    const bool is_unfinished =
        unfinished && std::filesystem::path(idx_path).stem().string() == unfinished->name;
    if (part->header().brick_digits == 0) {
      if (is_unfinished) ESKER_RETURN_IF_ERROR(store->remove(dataset.paths.merge_journal()));
      if (is_unfinished) unfinished.reset();
      continue;
    }
    ESKER_RETURN_IF_ERROR(check_mergeable(*part));
    if (is_unfinished) {
      ESKER_RETURN_IF_ERROR(PartMerger(store, dataset.paths, *part, report).finish(unfinished->step));
      unfinished.reset();
      ESKER_ASSIGN_OR_RETURN(part, IdxPart::open_file(store, idx_path));
      if (part->header().brick_digits == 0) continue;
    }
    ESKER_RETURN_IF_ERROR(PartMerger(store, dataset.paths, *part, report).run());
  }
  if (unfinished) {
    return error(Code::kDataLoss, "{}: is about '{}', which is not in the dataset",
                 dataset.paths.merge_journal(), unfinished->name);
  }
  ESKER_RETURN_IF_ERROR(merge_catalog(*store, dataset));
  ESKER_RETURN_IF_ERROR(lock.release());
  return report;
}

}  // namespace esker::idx
