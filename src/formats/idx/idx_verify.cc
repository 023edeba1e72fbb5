#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/block_comparison.h"
#include "formats/idx/existing.h"
#include "formats/idx/idx_dataset.h"
#include "formats/idx/joined_parts.h"
#include "formats/idx/leftovers.h"
#include "read/findings.h"

namespace esker::idx {
namespace {

/// Checks the stored files of one .idx, and that none is missing.
class PartVerifier {
 public:
  /// `comparison`: with the original; null: none.
  PartVerifier(const IdxPart& part, Index num_steps, const BlockComparison* comparison, VerifyReport& report)
      : part_(part), num_steps_(num_steps), comparison_(comparison), report_(report), findings_(report) {}

  /// The cost depends on the stored files, not on what the header allows. `done` is called after each file.
  /// kUnsupported: the store cannot list directories, and only a list shows which blocks another program has
  /// left out.
  Status run(const std::function<void()>& done) {
    const auto check = [&](const BlockFiles::OnStorage& file) {
      check_file(file);
      done();
      return Status();
    };
    const auto times = std::span(part_.times()).first(static_cast<std::size_t>(num_steps_));
    find_blocks();
    const Status listed = part_.files().for_each_stored(part_.blocks(), times, check);
    const bool is_blind = listed.code() == Code::kUnsupported && !part_.files().store().is_local();
    if (is_blind && !part_.is_ours()) return listed.with_context(part_.idx_path());
    if (!listed.ok() && !is_blind) findings_.error(part_.idx_path(), listed);
    if (!part_.is_ours()) return {};
    const bool is_unlisted = is_blind || listed.code() == Code::kIoError;
    for_each_unchecked([&](const BlockFiles::OnStorage& file) {
      const auto found = is_unlisted ? part_.files().store().exists(file.path) : Result<bool>(false);
      if (!found.ok()) return findings_.error(file.path, found.status());
      if (*found) return static_cast<void>(check(file));
      findings_.error(file.path, "the file is missing");
    });
    return {};
  }

 private:
  void check_file(const BlockFiles::OnStorage& file) {
    const BlockGrid& blocks = part_.blocks();
    const bool is_arco = part_.header().arco != 0;
    const Index step = part_.step_at(file.time);
    checked_.insert({step, file.first_block});
    ++report_.files;
    const auto any = part_.files().find(file.field, file.first_block, file.time);
    if (!any.ok()) return findings_.error(file.path, any.status());
    if (!any->file) {
      // Another program may have begun it; Esker's files are written completely.
      return findings_.add(part_.is_ours(), file.path, "the file is shorter than its table of blocks");
    }
    check_table(*any->file, file.path);
    const Status identity = part_.files().check_identity(*any->file, file.first_block, file.time);
    if (!identity.ok()) findings_.error(file.path, identity);

    const Index end_block = std::min(file.first_block + part_.header().blocks_per_file, blocks.num_blocks());
    const int end_field = is_arco ? file.field + 1 : static_cast<int>(part_.header().fields.size());
    const Index first = blocks.num_existing_before(file.first_block);
    const Index end = blocks.num_existing_before(end_block);
    for (int field = file.field; field < end_field; ++field) {
      for (Index n = first; n < end; ++n) check_block(field, blocks.nth_existing(n), step, file);
    }
  }

  void check_table(const BlockFile& file, const std::string& path) {
    if (file.table == TableCheck::kChanged) {
      findings_.warning(path,
                        "the table of blocks differs from the one that was written: it is damaged, or "
                        "another program changed it");
    }
    if (const auto both = find_overlap(file.entries)) {
      findings_.error(path,
                      fmt::format("the blocks of entries {} and {} overlap", both->first, both->second));
    }
  }

  void check_block(int field, Index block, Index step, const BlockFiles::OnStorage& file) {
    const std::string& name = part_.header().fields[field].name;
    const auto stored = part_.files().find(field, block, file.time);
    if (!stored.ok()) {
      return findings_.error(file.path, stored.status(), fmt::format("field '{}'", name));
    }
    const bool ours = part_.is_ours();
    const auto sparse = sets_.find(step);
    const bool is_known = sparse == sets_.end() || sparse->second;
    const BlockSet* named = blocks_of(field, step);
    const bool expected = is_known ? named && named->contains(block) : stored.ok() && !stored->absent;
    if (stored->absent) {
      if (!ours) ++report_.blocks_left_out;
      if (ours && expected) findings_.error(file.path, missing(block, name));
      return;
    }
    if (!expected) {
      findings_.warning(
          file.path,
          fmt::format("block {} of field '{}' is stored, but the step does not contain it", block, name));
    }
    ++report_.blocks;
    report_.bytes += stored->size_bytes;
    report_.blocks_with_checksum += stored->checksum ? 1 : 0;
    const auto loaded = part_.load_block({field, step, block}, *stored);
    if (!loaded.ok()) {
      return findings_.error(file.path, loaded.status(), fmt::format("field '{}'", name));
    }
    check_recorded(field, block, step, *stored, file);
    if (comparison_) compare(field, block, step, *stored, *loaded, file);
  }

  /// The largest error in the record is that of all blocks.
  void check_recorded(int field, Index block, Index step, const StoredBlock& stored,
                      const BlockFiles::OnStorage& file) {
    if (!stored.errors || !part_.record()) return;
    const std::string& name = part_.header().fields[field].name;
    const auto recorded = part_.record()->errors.find(name);
    if (recorded == part_.record()->errors.end()) return;
    if (step >= static_cast<Index>(recorded->second.size())) return;  // fixed fields have no steps
    const double largest = recorded->second[static_cast<std::size_t>(step)];
    if (stored.errors->largest <= largest) return;
    findings_.error(
        file.path,
        fmt::format("block {} of field '{}' has an error of {}, but {} records {} as the largest of step {}",
                    block, name, stored.errors->largest, part_.idx_path(), largest, step));
  }

  void compare(int field, Index block, Index step, const StoredBlock& stored,
               std::span<const std::byte> loaded, const BlockFiles::OnStorage& file) {
    const auto compared = comparison_->run(field, block, step, stored, loaded);
    if (!compared.ok()) return findings_.error(file.path, compared.status());
    report_.blocks_compared += *compared ? 1 : 0;
  }

  static std::string missing(Index block, const std::string& field) {
    return fmt::format("block {} of field '{}' is missing", block, field);
  }

  /// What each step holds. Without its file of block sets, a sparse step may hold anything.
  void find_blocks() {
    for (Index step = 0; step < num_steps_ && part_.is_ours(); ++step) {
      if (!part_.is_sparse(step)) continue;
      const auto sets = part_.sets_at(step);
      if (!sets.ok()) findings_.error(part_.block_sets_path(step), sets.status());
      sets_[step] = sets.ok() ? *sets : nullptr;
    }
  }

  /// The blocks that the step holds of a field; null: none, or it is not known.
  [[nodiscard]] const BlockSet* blocks_of(int field, Index step) const {
    const auto sparse = sets_.find(step);
    if (sparse == sets_.end()) return part_.has(field, step) ? &all_ : nullptr;
    return sparse->second ? sparse->second->columns[static_cast<std::size_t>(field)].blocks.get() : nullptr;
  }

  /// Files of committed steps that were not checked. Stops after a thousand findings, because a header can
  /// claim any number of files.
  template <class Visit>
  void for_each_unchecked(const Visit& visit) {
    const BlockGrid& blocks = part_.blocks();
    const Index per_file = part_.header().blocks_per_file;
    for (Index step = 0; step < num_steps_ && !findings_.full(); ++step) {
      const Index time = part_.times()[static_cast<std::size_t>(step)];
      const BlockSet* before = nullptr;  // fields mostly have the same blocks
      for (int field = 0; field < static_cast<int>(part_.header().fields.size()); ++field) {
        const BlockSet* held = blocks_of(field, step);
        if (!held || held == before) continue;
        before = held;
        for (Index n = 0; n < held->size() && !findings_.full();) {
          const Index first_block = held->nth(n) / per_file * per_file;
          if (checked_.insert({step, first_block}).second) {
            visit(BlockFiles::OnStorage{part_.files().path(field, first_block, time),
                                        part_.header().arco != 0 ? field : 0, first_block, time});
          }
          n = held->num_before(std::min(first_block + per_file, blocks.num_blocks()));
        }
      }
    }
  }

  const IdxPart& part_;
  Index num_steps_;
  const BlockComparison* comparison_;
  VerifyReport& report_;
  Findings findings_;
  std::set<std::pair<Index, Index>> checked_;  // step, first block of the file
  const BlockSet all_{part_.blocks()};
  std::map<Index, PartSets::Sets> sets_;  // of sparse steps; null: damaged
};

/// Files per step that a part may have; an estimate for the progress.
double expected_files(const IdxPart& part, Index num_steps) {
  const Index per_step = div_up(part.blocks().num_existing(), part.header().blocks_per_file);
  return static_cast<double>(per_step) * static_cast<double>(num_steps);
}

/// Checks the files around the blocks: whether they agree, and which of them should not exist.
void check_surroundings(const IdxDataset& dataset, Findings& findings) {
  Store& store = *dataset.store;
  std::vector<PartFiles> files;
  bool ours = !dataset.single;
  const auto add = [&](const IdxPart& part) {
    ours = ours || part.is_ours();
    files.push_back({part.idx_path(), !part.header().time.has_value()});
  };
  for (const auto& part : dataset.parts) {
    if (!part->is_ours() || part->partitions().empty()) add(*part);
    for (const JoinedPart& joined : part->partitions()) {
      if (part->is_ours()) add(*joined.part);
    }
  }
  const auto is_part =
      store.exists((std::filesystem::path(dataset.paths.stem).parent_path() / kCatalogName).string());
  if (!ours || (dataset.single && is_part.ok() && *is_part)) return;  // the files around are another's
  const auto texts = read_existing(store, dataset.paths);
  const Status goes_on = texts.ok() ? parse_existing(dataset.paths, *texts, {}).status() : texts.status();
  if (!goes_on.ok() && dataset.times.empty()) findings.warning(dataset.paths.stem, goes_on.message());
  if (!goes_on.ok() && !dataset.times.empty()) findings.error(dataset.paths.stem, goes_on);
  const auto leftovers =
      find_leftovers(store, dataset.paths, files, static_cast<Index>(dataset.times.size()));
  if (!leftovers.ok()) {
    findings.warning(dataset.paths.stem,
                     "the search for leftovers of killed runs failed: " + leftovers.status().message());
  }
  for (const std::string& path : leftovers.ok() ? *leftovers : std::vector<std::string>{}) {
    findings.warning(path, "left by a run that did not finish; appending or `esker repair` removes it");
  }
  const auto merging = store.exists(dataset.paths.merge_journal());
  if (merging.ok() && *merging) {
    findings.warning(dataset.paths.merge_journal(), "`esker merge` was interrupted; run it again");
  }
  const auto locked = store.exists(dataset.paths.lock());
  if (locked.ok() && *locked) findings.warning(dataset.paths.lock(), "a writer is active, or one was killed");
}

}  // namespace

Status IdxDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  return verify_blocks(nullptr, report, progress);
}

Status IdxDataset::verify_against(const ReadOriginal& original, VerifyReport& report,
                                  const std::function<void(double)>& progress) const {
  for (const auto& part : parts) {
    if (part->partitions().empty()) continue;
    return error(Code::kUnsupported,
                 "{}: comparing the blocks of partitions with their own .idx is not supported; compare the "
                 "samples with `esker diff`",
                 part->idx_path());
  }
  return verify_blocks(&original, report, progress);
}

std::vector<BlockComparison::Column> IdxDataset::columns_of(std::size_t part) const {
  std::vector<BlockComparison::Column> columns(parts[part]->header().fields.size());
  for (std::size_t f = 0; f < places.size(); ++f) {
    if (places[f].part != static_cast<int>(part)) continue;
    int component = 0;
    for (const int column : places[f].columns) {
      columns[static_cast<std::size_t>(column)] = {&schema.fields()[f], component};
      component += parts[part]->header().fields[static_cast<std::size_t>(column)].components;
    }
  }
  return columns;
}

Status IdxDataset::verify_blocks(const ReadOriginal* original, VerifyReport& report,
                                 const std::function<void(double)>& progress) const {
  struct Task {
    const IdxPart* part;
    Index num_steps;
    std::optional<BlockComparison> comparison = {};
  };
  Findings findings(report);
  double done = 0, to_do = 0;
  std::vector<Task> tasks;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const IdxPart& part = *parts[p];
    const Index num_steps = infos[p].num_steps;
    const auto warn_if_ahead = [&](const IdxPart& of) {
      const auto listed = static_cast<Index>(of.times().size());
      if (listed <= num_steps) return;
      findings.warning(
          of.idx_path(),
          fmt::format("lists {} steps, but the dataset has {}: a commit was interrupted", listed, num_steps));
    };
    if (part.partitions().empty() || !part.is_ours()) warn_if_ahead(part);
    if (part.partitions().empty()) tasks.push_back({&part, num_steps});
    if (original) tasks.back().comparison.emplace(part, columns_of(p), *original);
    for (const JoinedPart& joined : part.partitions()) {
      if (part.is_ours()) warn_if_ahead(*joined.part);
      tasks.push_back({joined.part.get(), joined.part->num_steps_within(num_steps)});
    }
  }
  for (const Task& task : tasks) to_do += expected_files(*task.part, task.num_steps);
  for (const Task& task : tasks) {
    const BlockComparison* comparison = task.comparison ? &*task.comparison : nullptr;
    ESKER_RETURN_IF_ERROR(PartVerifier(*task.part, task.num_steps, comparison, report).run([&] {
      if (progress) progress(std::min(1.0, ++done / to_do));
    }));
  }
  verify_patches(findings);
  check_surroundings(*this, findings);
  return {};
}

/// Of the steps whose file of block sets is intact; PartVerifier reports the others.
void IdxDataset::verify_patches(Findings& findings) const {
  for (std::size_t f = 0; f < places.size() && !findings.full(); ++f) {
    const auto field = static_cast<int>(f);
    if (!mesh_of(field) || !has_samples(field)) continue;
    const IdxPart& part = *part_of(field);
    const Index num_steps = infos[static_cast<std::size_t>(places[f].part)].num_steps;
    for (Index step = 0; step < num_steps; ++step) {
      if (!part.is_sparse(step) || !part.sets_at(step).ok()) continue;
      const Status in_mesh = mesh_sets(field, step).status();
      if (!in_mesh.ok()) findings.error(part.block_sets_path(step), in_mesh);
    }
  }
}

}  // namespace esker::idx
