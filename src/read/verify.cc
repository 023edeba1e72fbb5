#include "read/verify.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "format/idx/leftovers.h"
#include "read/idx_dataset.h"
#include "read/pidx_partitions.h"

namespace esker::idx {
namespace {

class Verifier {
 public:
  Verifier(const IdxDataset& dataset, const std::function<void(double)>& progress)
      : dataset_(dataset), progress_(progress) {}

  VerifyReport run(Store& store) {
    report_.steps = static_cast<Index>(dataset_.times.size());
    for (const std::string& warning : dataset_.warnings) add(false, dataset_.paths.stem, warning);
    for (std::size_t p = 0; p < dataset_.parts.size(); ++p) {
      to_do_ += static_cast<double>(dataset_.infos[p].num_blocks * dataset_.infos[p].num_steps);
    }
    for (std::size_t p = 0; p < dataset_.parts.size(); ++p) check_part(p);
    check_leftovers(store);
    return std::move(report_);
  }

 private:
  void add(bool is_error, const std::string& path, const std::string& text) {
    ++(is_error ? report_.num_errors : report_.num_warnings);
    if (static_cast<Index>(report_.findings.size()) < VerifyReport::kMaxFindings) {
      report_.findings.push_back({is_error, path, text});
    }
  }

  void check_part(std::size_t number) {
    const IdxPart& part = *dataset_.parts[number];
    const Index num_steps = dataset_.infos[number].num_steps;
    if (static_cast<Index>(part.times().size()) > num_steps) {
      add(false, part.idx_path(),
          fmt::format("lists {} steps, the dataset has {}: a commit was cut short", part.times().size(),
                      num_steps));
    }
    for (Index step = 0; step < num_steps; ++step) {
      const Index time = part.times()[static_cast<std::size_t>(step)];
      for (const JoinedPartition& joined : part.partitions()) {
        check_step(*joined.part, joined.part->step_at(time));
      }
      if (part.partitions().empty()) check_step(part, step);
    }
  }

  void check_step(const IdxPart& part, Index step) {
    for (Index existing = 0; existing < part.blocks().num_existing();) {
      existing = check_file(part, step, existing);
    }
  }

  /// The file that holds existing block number `existing`; returns the number of the first one behind it.
  Index check_file(const IdxPart& part, Index step, Index existing) {
    const BlockGrid& blocks = part.blocks();
    const Index per_file = part.header().blocks_per_file;
    const Index file = blocks.nth_existing(existing) / per_file;
    const Index end = blocks.num_existing_before(std::min((file + 1) * per_file, blocks.num_blocks()));
    std::vector<Index> in_file;
    for (Index n = existing; n < end; ++n) in_file.push_back(blocks.nth_existing(n));
    Extents extents;
    for (int field = 0; field < static_cast<int>(part.header().fields.size()); ++field) {
      for (const Index block : in_file) {
        if (!check_block(part, step, field, block, extents)) break;
      }
    }
    // ARCO keeps each block in a file of its own.
    const Index time = part.times()[static_cast<std::size_t>(step)];
    if (part.header().arco == 0) check_overlap(part.files().path(0, in_file.front(), time), extents);
    done_ += static_cast<double>(in_file.size());
    if (progress_) progress_(std::min(1.0, done_ / to_do_));
    return end;
  }

  struct Extent {
    Index begin = 0, end = 0;
    std::string name;
  };
  using Extents = std::vector<Extent>;

  /// False when the whole file cannot be read, so that its other blocks need no findings of their own.
  bool check_block(const IdxPart& part, Index step, int field, Index block, Extents& extents) {
    const Index time = part.times()[static_cast<std::size_t>(step)];
    const FieldEntry& entry = part.header().fields[field];
    const std::string path = part.files().path(field, block, time);
    const auto stored = part.files().find(field, block, time);
    if (!stored.ok()) {
      if (path != unreadable_) add(true, path, stored.status().message());
      unreadable_ = path;
      return false;
    }
    note_file(path, *stored);
    const std::string name = fmt::format("block {} of field '{}'", block, entry.name);
    const bool ours = part.record().has_value();
    const bool expected = part.has(field, step);
    if (stored->absent) {
      if (!ours) ++report_.blocks_left_out;
      if (ours && expected) add(true, path, name + " is missing");
      return true;
    }
    if (!expected) add(false, path, name + " is there, though the step does not hold the field");
    extents.push_back({stored->offset_bytes, stored->offset_bytes + stored->size_bytes, name});
    ++report_.blocks;
    report_.bytes += stored->size_bytes;
    report_.blocks_with_checksum += stored->checksum ? 1 : 0;
    const Status loaded = part.check_block(field, block, *stored);
    if (!loaded.ok()) add(true, path, fmt::format("field '{}': {}", entry.name, loaded.message()));
    return true;
  }

  void note_file(const std::string& path, const StoredBlock& stored) {
    if (path == last_file_) return;
    last_file_ = path;
    if (stored.file && stored.file->file) ++report_.files;
    if (stored.file && stored.file->table == TableCheck::kChanged) {
      add(false, path, "the table of blocks is not the one that was written: another program changed it");
    }
  }

  void check_overlap(const std::string& path, Extents& extents) {
    std::sort(extents.begin(), extents.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].begin < extents[i - 1].end) {
        add(true, path, extents[i - 1].name + " and " + extents[i].name + " overlap");
      }
    }
  }

  void check_leftovers(Store& store) {
    std::vector<PartFiles> files;
    bool ours = !dataset_.single;
    for (std::size_t p = 0; p < dataset_.parts.size(); ++p) {
      const IdxPart& part = *dataset_.parts[p];
      ours = ours || part.record().has_value();
      files.push_back({part.idx_path(), !part.header().time.has_value()});
    }
    if (!ours) return;
    const auto leftovers = find_leftovers(store, dataset_.paths, files, report_.steps);
    if (!leftovers.ok()) return add(false, dataset_.paths.stem, leftovers.status().message());
    for (const std::string& path : *leftovers) {
      add(false, path, "left by a run that did not finish; appending or `esker repair` removes it");
    }
    const auto locked = store.exists(dataset_.paths.lock());
    if (locked.ok() && *locked) {
      add(false, dataset_.paths.lock(), "a writer is at work, or one was killed");
    }
  }

  const IdxDataset& dataset_;
  const std::function<void(double)>& progress_;
  VerifyReport report_;
  double done_ = 0, to_do_ = 0;
  std::string last_file_, unreadable_;
};

}  // namespace

Result<VerifyReport> verify(const std::shared_ptr<Store>& store, const std::string& path,
                            const std::function<void(double)>& progress) {
  ESKER_ASSIGN_OR_RETURN(const IdxDataset dataset, IdxDataset::open(store, path));
  return Verifier(dataset, progress).run(*store);
}

}  // namespace esker::idx
