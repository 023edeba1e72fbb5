#include "read/rebuild.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "format/idx/commit_record.h"
#include "format/idx/dataset_parts.h"
#include "read/idx_part.h"
#include "read/stored_paths.h"
#include "store/commit.h"

namespace esker {
namespace {

using namespace idx;

/// What an .idx says apart from its steps.
struct Form {
  Header header;                       ///< without (esker)
  std::optional<CommitRecord> record;  ///< of Esker's datasets; its steps are those of the source
};

std::string name_of(const std::string& stem) { return std::filesystem::path(stem).filename().string(); }

Result<Form> form_of_text(const std::string& text, const std::string& name) {
  Form form;
  ESKER_ASSIGN_OR_RETURN(form.header, parse_header(text, name));
  if (const std::string* json = form.header.find_other(kRecordKey)) {
    ESKER_ASSIGN_OR_RETURN(form.record, parse_commit_record(*json));
  }
  std::erase_if(form.header.other, [](const auto& entry) { return entry.first == kRecordKey; });
  return form;
}

/// The other dataset's blocks lie in a directory of its name; these do in one of theirs.
Result<Form> form_like(Store& store, const std::string& like, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, like, kMaxHeaderBytes));
  const std::string other = name_of(dataset_stem(like));
  auto form = form_of_text(text, other);
  if (!form.ok()) return form.status().with_context(like);
  std::string& files = form->header.filename_template;
  const std::string directory = "./" + other + "/";
  if (files.starts_with(directory)) {
    files = "./" + name_of(paths.stem) + "/" + files.substr(directory.size());
  }
  if (form->record) form->record->times.clear();
  return form;
}

Result<Form> form_of_schema(Store& store, const DatasetPaths& paths, const RebuildRequest& request) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, paths.single_schema(), kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const Schema schema, parse_schema(text));
  if (!is_single(schema)) return error(Code::kUnsupported, "the schema is that of several .idx files");
  Options options;
  options.bits_per_block = request.bits_per_block;
  options.blocks_per_file = request.blocks_per_file;
  ESKER_ASSIGN_OR_RETURN(const auto parts, make_parts(paths, schema, [&](const std::string&) {
                           return PartOptions{options, {}};
                         }));
  const Part& part = parts.front();
  CommitRecord record;
  record.alignment_bytes = part.alignment_bytes;
  record.checksums = part.checksums;
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    const Field& field = schema.fields()[part.columns[c].field];
    if (part.header.fields[c].name != field.name)
      record.split[field.name].push_back(part.header.fields[c].name);
  }
  return Form{part.header, std::move(record)};
}

/// Whether they hold the same samples, by what their headers say.
bool are_alike(const FieldEntry& a, const FieldEntry& b) {
  return a.name == b.name && a.type == b.type && a.components == b.components;
}

/// A schema file that is left has the last word on box and fields.
Status check_like(Store& store, const DatasetPaths& paths, const RebuildRequest& request, const Form& like) {
  ESKER_ASSIGN_OR_RETURN(const bool has_schema, store.exists(paths.single_schema()));
  if (!has_schema) return {};
  const auto form = form_of_schema(store, paths, request);
  if (!form.ok()) return {};  // a damaged one says nothing
  const Header &from_schema = form->header, &from_like = like.header;
  const bool same_box = from_schema.box == from_like.box;
  const bool same_fields = std::equal(from_schema.fields.begin(), from_schema.fields.end(),
                                      from_like.fields.begin(), from_like.fields.end(), are_alike);
  if (same_box && same_fields) return {};
  return error(Code::kInvalidArgument, "{} has {} than {}", request.like,
               same_box ? "other fields" : "another box", paths.single_schema());
}

/// The first of these that says all: --like, an .idx with its record, the schema file, an .idx without.
Result<Form> find_form(Store& store, const DatasetPaths& paths, const RebuildRequest& request,
                       RebuildReport& report) {
  std::optional<Form> own;
  const auto text = read_text(store, report.path, kMaxHeaderBytes);
  std::string why = text.status().code() == Code::kNotFound ? "it is missing" : text.status().message();
  if (text.ok()) {
    auto found = form_of_text(*text, name_of(paths.stem));
    if (found.ok()) own = std::move(*found);
    why = found.status().message();
  }
  if (!request.like.empty()) {
    report.source = request.like;
    ESKER_ASSIGN_OR_RETURN(Form form, form_like(store, request.like, paths));
    if (own && own->record && form.record) form.record->times = own->record->times;
    ESKER_RETURN_IF_ERROR(check_like(store, paths, request, form));
    return form;
  }
  report.source = report.path;
  if (own && own->record) return *own;
  ESKER_ASSIGN_OR_RETURN(const bool has_schema, store.exists(paths.single_schema()));
  if (has_schema) {
    report.source = paths.single_schema();
    auto form = form_of_schema(store, paths, request);
    if (!form.ok()) return form.status().with_context(report.source);
    return form;
  }
  if (own) return *own;
  return error(Code::kInvalidArgument,
               "{}: {}, and there is no {}: give an .idx of the same box, fields and blocks (--like)",
               report.path, why, paths.single_schema());
}

/// Integer times of which there are block files.
Result<std::vector<Index>> stored_times(const Store& store, const Header& header,
                                        const std::string& directory) {
  if (!header.time) return std::vector<Index>{0};
  ESKER_ASSIGN_OR_RETURN(const auto files,
                         FilenameTemplate::parse(header.filename_template, header.time->path_template));
  const Index num_blocks = Index{1} << (header.bitmask.max_level() - header.bits_per_block);
  std::set<Index> times;
  ESKER_RETURN_IF_ERROR(
      for_each_path(store, directory, files.patterns(num_blocks - 1), [&](const PathMatch& match) {
        times.insert(match.time.value_or(0));
        return Status();
      }));
  return std::vector<Index>(times.begin(), times.end());
}

/// Judges the steps of a dataset by their blocks.
class StepCheck {
 public:
  StepCheck(const IdxPart& part, bool ours, bool checksums)
      : part_(part), ours_(ours), checksums_(checksums) {}

  /// Fields without any block at that time. kDataLoss: the step is not whole.
  Result<std::vector<std::string>> run(Index time) {
    std::vector<std::string> absent;
    const auto& fields = part_.header().fields;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      auto held = count_blocks(static_cast<int>(f), time);
      if (!held.ok()) return held.status().with_context("field '" + fields[f].name + "'");
      if (*held == 0) absent.push_back(fields[f].name);
      if (ours_ && *held != 0 && *held != part_.blocks().num_existing()) {
        return error(Code::kDataLoss, "field '{}': {} of {} blocks are there", fields[f].name, *held,
                     part_.blocks().num_existing());
      }
    }
    if (absent.size() == fields.size()) return error(Code::kDataLoss, "no block is there");
    return absent;
  }

  /// Whether files say that Esker wrote them.
  [[nodiscard]] bool tagged() const { return tagged_; }

 private:
  Result<Index> count_blocks(int field, Index time) {
    Index held = 0;
    for (Index n = 0; n < part_.blocks().num_existing(); ++n) {
      const Index block = part_.blocks().nth_existing(n);
      auto stored = part_.files().find(field, block, time);
      Status whole = stored.status();
      if (whole.ok() && stored->file && stored->file != checked_) {
        whole = check_file(*stored->file, block, time);
        checked_ = stored->file;
      }
      if (whole.ok() && !stored->absent) whole = part_.check_block(field, block, *stored);
      if (!whole.ok()) return whole.with_context(part_.files().path(field, block, time));
      held += stored->absent ? 0 : 1;
    }
    return held;
  }

  Status check_file(const BlockFile& file, Index block, Index time) {
    if (file.identity) tagged_ = true;
    const bool unchecked = ours_ && checksums_ && file.table == TableCheck::kUnchecked;
    if (unchecked || file.table == TableCheck::kChanged) {
      return error(Code::kDataLoss,
                   "its table is damaged, or not that of {} fields and {} blocks in a file (--like, "
                   "--bits-per-block, --blocks-per-file)",
                   part_.header().fields.size(), part_.header().blocks_per_file);
    }
    if (const auto both = find_overlap(file.entries)) {
      return error(Code::kDataLoss, "the blocks of entries {} and {} overlap", both->first, both->second);
    }
    ESKER_RETURN_IF_ERROR(check_within_box(file, block));
    return part_.files().check_identity(file, block, time);
  }

  /// Nobody stores blocks beyond the box: where there are some, it was larger.
  [[nodiscard]] Status check_within_box(const BlockFile& file, Index block) const {
    const BlockGrid& blocks = part_.blocks();
    const Index per_file = part_.header().blocks_per_file, first = block - block % per_file;
    for (std::size_t n = 0; n < file.entries.size(); ++n) {
      const Index stored = first + static_cast<Index>(n) % per_file;
      if (file.entries[n].absent()) continue;
      const bool exists = stored < blocks.num_blocks() && blocks.exists(stored);
      if (!exists) return error(Code::kDataLoss, "block {} lies outside of the box", stored);
    }
    return {};
  }

  const IdxPart& part_;
  bool ours_, checksums_;
  bool tagged_ = false;
  std::shared_ptr<const BlockFile> checked_;  // the last one
};

/// Ranges of (time) for ascending times: runs of consecutive ones.
std::vector<TimeRange> ranges_of(const std::vector<Index>& times) {
  std::vector<TimeRange> ranges;
  for (const Index time : times) {
    if (!ranges.empty() && ranges.back().last + 1 == time) {
      ranges.back().last = time;
    } else {
      ranges.push_back({time, time, 1});
    }
  }
  return ranges;
}

/// Of Esker's datasets the steps count from 0 without a gap: what is behind one is given up.
Result<std::vector<Index>> whole_times(const IdxPart& part, std::optional<CommitRecord>& record,
                                       const std::vector<Index>& stored, RebuildReport& report) {
  StepCheck check(part, record.has_value(), record && record->checksums);
  std::vector<Index> whole;
  std::string first_reason = "there are no block files";
  if (record) record->absent.clear();
  for (const Index time : stored) {
    auto absent = check.run(time);
    if (absent.ok() && record && time != static_cast<Index>(whole.size())) {
      absent = error(Code::kDataLoss, "step {} before it is not whole", whole.size());
    }
    if (!absent.ok()) {
      if (absent.status().code() == Code::kIoError) return absent.status();
      if (report.given_up.empty()) first_reason = absent.status().message();
      report.given_up.push_back(fmt::format("step {}: {}", time, absent.status().message()));
      continue;
    }
    if (record && !absent->empty()) record->absent[time] = *absent;
    whole.push_back(time);
  }
  if (record) record->checksums = check.tagged();
  if (!record && check.tagged()) {
    report.given_up.push_back("Esker's record: time values, absent and split fields, appending");
  }
  if (whole.empty()) return error(Code::kDataLoss, "{}: no step is whole: {}", report.path, first_reason);
  return whole;
}

Status set_times(const RebuildRequest& request, std::size_t num_steps, CommitRecord& record,
                 RebuildReport& report) {
  if (!request.times.empty()) {
    if (request.times.size() != num_steps) {
      return error(Code::kInvalidArgument, "{} time values for the {} steps that are whole",
                   request.times.size(), num_steps);
    }
    const bool is_number = std::all_of(request.times.begin(), request.times.end(),
                                       [](double time) { return std::isfinite(time); });
    const auto not_later =
        std::adjacent_find(request.times.begin(), request.times.end(), std::greater_equal());
    if (!is_number || not_later != request.times.end()) {
      return error(Code::kInvalidArgument,
                   "time values must be finite numbers, each larger than the one before");
    }
    record.times = request.times;
  } else if (record.times.size() >= num_steps) {
    record.times.resize(num_steps);
    report.deduced.push_back("time values, from " + report.path);
  } else {
    report.given_up.push_back("time values: the numbers of the steps stand for them (--times)");
    record.times.resize(num_steps);
    std::iota(record.times.begin(), record.times.end(), 0.0);
  }
  record.generation = static_cast<Index>(num_steps) + 1;
  return {};
}

/// The old file first gets a name that nothing has.
Status replace_idx(Store& store, RebuildReport& report) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(report.path));
  if (exists) {
    std::string old_file = report.path + ".old";
    for (int n = 1;; ++n) {
      ESKER_ASSIGN_OR_RETURN(const bool taken, store.exists(old_file));
      if (!taken) break;
      old_file = fmt::format("{}.old{}", report.path, n);
    }
    ESKER_RETURN_IF_ERROR(store.rename(report.path, old_file));
    report.old_file = old_file;
  }
  const Status replaced = replace_file(store, report.path, report.text, /*durable=*/true);
  if (!replaced.ok() && exists) (void)store.rename(report.old_file, report.path);
  report.written = replaced.ok();
  return replaced;
}

Status check_free(const Store& store, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool locked, store.exists(paths.lock()));
  if (locked) return error(Code::kAlreadyExists, "{}: a writer is at work, or one was killed", paths.lock());
  for (const std::string& path : {paths.catalog(), paths.schema()}) {
    ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.exists(path));
    if (is_directory) {
      return error(Code::kUnsupported, "{}: datasets of several .idx files are not rebuilt", path);
    }
  }
  return {};
}

}  // namespace

Result<RebuildReport> rebuild_idx_on(const std::shared_ptr<Store>& store, const RebuildRequest& request) {
  const DatasetPaths paths{dataset_stem(request.path)};
  RebuildReport report;
  report.path = paths.single_idx();
  ESKER_RETURN_IF_ERROR(check_free(*store, paths));
  ESKER_ASSIGN_OR_RETURN(Form form, find_form(*store, paths, request, report));
  if (form.header.arco != 0 || form.header.chunks) {
    return error(Code::kUnsupported, "{}: ARCO and PIDX' chunks are not rebuilt", report.source);
  }
  report.deduced.push_back("box, fields and blocks, from " + report.source);
  const std::string parent = std::filesystem::path(paths.stem).parent_path().string();
  ESKER_ASSIGN_OR_RETURN(const auto stored,
                         stored_times(*store, form.header, parent.empty() ? "" : parent + "/"));
  if (form.header.time) form.header.time->ranges = ranges_of(stored);
  ESKER_ASSIGN_OR_RETURN(const auto part, IdxPart::of_text(store, report.path, print_header(form.header)));
  ESKER_ASSIGN_OR_RETURN(const auto whole, whole_times(*part, form.record, stored, report));
  report.steps = static_cast<Index>(whole.size());
  report.deduced.push_back(fmt::format("{} steps, from their blocks", whole.size()));
  if (form.header.time) form.header.time->ranges = ranges_of(whole);
  if (form.record) {
    ESKER_RETURN_IF_ERROR(set_times(request, whole.size(), *form.record, report));
    form.header.other.emplace_back(kRecordKey, print_commit_record(*form.record));
  } else if (!request.times.empty()) {
    return error(Code::kInvalidArgument, "time values are kept in Esker's datasets alone");
  }
  report.text = print_header(form.header);
  if (request.write) ESKER_RETURN_IF_ERROR(replace_idx(*store, report));
  return report;
}

}  // namespace esker
