#include "formats/idx/rebuild.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/field_errors.h"
#include "formats/idx/idx_part.h"
#include "formats/idx/merge.h"
#include "formats/idx/record_sum.h"
#include "formats/idx/step_check.h"
#include "formats/idx/stored_paths.h"
#include "store/commit.h"

namespace esker {
namespace {

using namespace idx;

/// The contents of an .idx except its steps.
struct Form {
  Header header;                       ///< without (esker)
  std::optional<CommitRecord> record;  ///< of Esker's datasets; its steps are those of the source
  bool is_sealed = true;               ///< the record's checksum matches, or there is none
  /// For the damaged .idx that the time values are from: matches the rebuilt .idx if they are right.
  std::optional<std::uint64_t> lost_sum = {};
};

/// The .idx, and the files around it that describe it.
struct Subject {
  DatasetPaths paths;              ///< of the .idx, as if it were the only one of its dataset
  DatasetPaths dataset;            ///< the same, or the directory whose part the .idx is
  std::optional<Catalog> catalog;  ///< of that directory
  bool fixed = false;              ///< the part has no steps
  std::vector<Index> corner;       ///< CommitRecord::corner
  std::string schema_path;
  Result<Schema> schema = Status(Code::kNotFound, "");  ///< of that file

  [[nodiscard]] bool has_schema_file() const { return schema.status().code() != Code::kNotFound; }
};

std::string name_of(const std::string& stem) { return std::filesystem::path(stem).filename().string(); }

Result<Form> form_of_text(const std::string& text, const std::string& name) {
  Form form;
  ESKER_ASSIGN_OR_RETURN(form.header, parse_header(text, name));
  if (const std::string* json = form.header.find_other(kRecordKey)) {
    ESKER_ASSIGN_OR_RETURN(form.record, parse_commit_record(*json));
    form.is_sealed = check_record_sum(form.header, *form.record).ok();
  }
  std::erase_if(form.header.other, [](const auto& entry) { return entry.first == kRecordKey; });
  return form;
}

/// The other dataset's blocks are in a directory of its name; these are in one of their name.
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
  if (!form->is_sealed && like != paths.single_idx()) {
    return error(Code::kInvalidArgument, "{} was edited or damaged: the checksum in (esker) does not match",
                 like);
  }
  if (form->record) form->record->times.clear();
  return form;
}

Result<Form> form_of_schema(const Subject& subject, const RebuildRequest& request) {
  ESKER_RETURN_IF_ERROR(subject.schema.status());
  const Schema& schema = *subject.schema;
  Options options;
  if (subject.catalog) {
    for (const auto& [name, value] : subject.catalog->options) {
      ESKER_RETURN_IF_ERROR(options.set(name, value, subject.dataset.catalog()));
    }
  }
  if (request.bits_per_block != 0) options.bits_per_block = request.bits_per_block;
  if (request.blocks_per_file != 0) options.blocks_per_file = request.blocks_per_file;
  ESKER_ASSIGN_OR_RETURN(const auto parts, make_parts(subject.dataset, schema, [&](const std::string&) {
                           return PartOptions{options, {}};
                         }));
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& candidate) {
    return candidate.idx_path == subject.paths.single_idx();
  });
  if (part == parts.end()) {
    return error(Code::kDataLoss, "the schema does not define {}", subject.paths.single_idx());
  }
  CommitRecord record;
  record.alignment_bytes = part->alignment_bytes;
  record.checksums = part->checksums;
  for (std::size_t c = 0; c < part->columns.size(); ++c) {
    const Field& field = schema.fields()[part->columns[c].field];
    if (part->header.fields[c].name != field.name)
      record.split[field.name].push_back(part->header.fields[c].name);
  }
  return Form{part->header, std::move(record)};
}

/// Whether they hold the same samples, according to their headers. zfp decodes with another accuracy to other
/// values.
bool are_alike(const FieldEntry& a, const FieldEntry& b) {
  return a.name == b.name && a.type == b.type && a.components == b.components &&
         a.compression == b.compression && a.stored_bits == b.stored_bits;
}

/// A remaining schema file decides box and fields.
Status check_like(const Subject& subject, const RebuildRequest& request, const Form& like) {
  const auto form = form_of_schema(subject, request);
  if (!form.ok()) return {};  // none, or a damaged one, says nothing
  const Header &from_schema = form->header, &from_like = like.header;
  const bool same_box = from_schema.box == from_like.box;
  const bool same_fields = std::equal(from_schema.fields.begin(), from_schema.fields.end(),
                                      from_like.fields.begin(), from_like.fields.end(), are_alike);
  if (same_box && same_fields) return {};
  return error(Code::kInvalidArgument, "{} does not match: it has {} than {}", request.like,
               same_box ? "other fields" : "another box", subject.schema_path);
}

/// The time values of an edited or damaged .idx are the best that is available.
void take_times(const Form& own, Form& form) {
  if (!own.record || !form.record) return;
  form.record->times = own.record->times;
  if (!own.is_sealed && !own.record->times.empty()) form.lost_sum = own.record->sum;
}

void record_uncertain_times(const Form& form, const RebuildRequest& request, RebuildReport& report) {
  if (!form.lost_sum || !request.times.empty()) return;
  if (*form.lost_sum == record_sum(form.header, *form.record)) return;
  report.given_up.push_back("certainty of the time values, because " + report.path +
                            " was edited or damaged: the checksum in (esker) does not match (--time)");
}

Index num_merged(const Form& form) { return form.record ? form.record->merged : 0; }

/// The first complete source: --like, an .idx with its record, the schema file, an .idx without a record. An
/// edited or damaged .idx is used if the schema file has the same box and fields.
Result<Form> find_form(Store& store, const Subject& subject, const RebuildRequest& request,
                       RebuildReport& report) {
  std::optional<Form> own;
  const auto text = read_text(store, report.path, kMaxHeaderBytes);
  std::string why = text.status().code() == Code::kNotFound ? "it is missing" : text.status().message();
  if (text.ok()) {
    auto found = form_of_text(*text, name_of(subject.paths.stem));
    if (found.ok()) own = std::move(*found);
    why = found.status().message();
  }
  if (own) ESKER_RETURN_IF_ERROR(check_not_partly_merged(num_merged(*own), report.path));
  if (!request.like.empty()) {
    report.source = request.like;
    ESKER_ASSIGN_OR_RETURN(Form form, form_like(store, request.like, subject.paths));
    ESKER_RETURN_IF_ERROR(check_not_partly_merged(num_merged(form), request.like));
    if (own) take_times(*own, form);
    ESKER_RETURN_IF_ERROR(check_like(subject, request, form));
    return form;
  }
  report.source = report.path;
  const bool is_certain =
      own && (own->is_sealed || (subject.schema.ok() && check_like(subject, request, *own).ok()));
  if (is_certain && own->record) {
    take_times(*own, *own);
    return *own;
  }
  if (subject.has_schema_file()) {
    report.source = subject.schema_path;
    auto form = form_of_schema(subject, request);
    if (!form.ok()) return form.status().with_context(report.source);
    if (own) take_times(*own, *form);
    return form;
  }
  if (is_certain) return *own;
  if (own) why = "it was edited or damaged: the checksum in (esker) does not match";
  return error(Code::kInvalidArgument,
               "{}: {}, and {} does not exist; give an .idx of the same box, fields and blocks (--like)",
               report.path, why, subject.schema_path);
}

/// Integer times that have block files, or a file of block sets.
Result<std::vector<Index>> stored_times(const Store& store, const Header& header,
                                        const std::string& directory) {
  if (!header.time) return std::vector<Index>{0};
  ESKER_ASSIGN_OR_RETURN(const auto files,
                         FilenameTemplate::parse(header.filename_template, header.time->path_template));
  const Index num_blocks = Index{1} << (header.block_mask().max_level() - header.bits_per_block);
  std::set<Index> times;
  ESKER_RETURN_IF_ERROR(
      for_each_path(store, directory, files.patterns(num_blocks - 1), [&](const PathMatch& match) {
        times.insert(match.time.value_or(0));
        return Status();
      }));
  std::string sets = files.patterns(0).front();
  sets = sets.substr(0, sets.rfind('/') + 1) + std::string(kBlockSetsName);
  ESKER_RETURN_IF_ERROR(for_each_path(store, directory, {sets}, [&](const PathMatch& match) -> Status {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(match.path));
    if (exists) times.insert(match.time.value_or(0));
    return {};
  }));
  return std::vector<Index>(times.begin(), times.end());
}

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

/// Records which fields a step does not hold, and which of these the schema requires.
void record_absent(const Subject& subject, Index step, const std::vector<std::string>& absent,
                   CommitRecord& record, RebuildReport& report) {
  if (absent.empty()) return;
  record.absent[step] = absent;
  if (!subject.schema.ok()) return;
  const auto whole_of = fields_of_columns(record);
  for (const std::string& column : absent) {
    const auto whole = whole_of.find(column);
    const Field* field = subject.schema->find_field(whole == whole_of.end() ? column : whole->second);
    if (field && step % field->every == 0) {
      report.given_up.push_back(fmt::format("step {}: field '{}' has no blocks", step, column));
    }
  }
}

/// The steps that the new .idx lists.
struct FoundSteps {
  std::vector<Index> times;                 ///< integer times
  std::vector<std::vector<double>> errors;  ///< StepCheck::largest_errors() of each
};

/// Steps of Esker's datasets are numbered from 0 without gaps: steps after a gap are dropped.
Result<FoundSteps> find_whole_steps(const Subject& subject, StepCheck& check, std::size_t num_fields,
                                    std::optional<CommitRecord>& record, const std::vector<Index>& stored,
                                    RebuildReport& report) {
  FoundSteps whole;
  std::string first_reason = "no block files exist";
  for (const Index time : stored) {
    auto absent = check.run(time);
    if (absent.ok() && absent->size() == num_fields)
      absent = error(Code::kDataLoss, "all blocks are missing");
    if (absent.ok() && record && time != static_cast<Index>(whole.times.size())) {
      absent = error(Code::kDataLoss, "the earlier step {} is not complete", whole.times.size());
    }
    if (!absent.ok()) {
      if (absent.status().code() == Code::kIoError) return absent.status();
      if (report.given_up.empty()) first_reason = absent.status().message();
      report.given_up.push_back(fmt::format("step {}: {}", time, absent.status().message()));
      continue;
    }
    if (record) record_absent(subject, time, *absent, *record, report);
    if (record && check.sets_sum()) record->sets[time] = *check.sets_sum();
    whole.times.push_back(time);
    whole.errors.push_back(check.largest_errors());
  }
  if (!record && check.tagged()) {
    report.given_up.push_back("Esker's record: time values, absent and split fields, appending");
  }
  if (whole.times.empty()) {
    return error(Code::kDataLoss, "{}: no step is complete: {}", report.path, first_reason);
  }
  return whole;
}

/// The steps of a part are those of the catalog; lost ones are marked absent, so that the others remain.
Result<FoundSteps> check_steps_of_catalog(const Subject& subject, StepCheck& check, const Header& header,
                                          CommitRecord& record, RebuildReport& report) {
  FoundSteps found;
  std::vector<std::string> all;
  for (const FieldEntry& field : header.fields) all.push_back(field.name);
  const Index num_steps = subject.fixed ? 1 : static_cast<Index>(subject.catalog->times.size());
  for (Index step = 0; step < num_steps; ++step) {
    const auto absent = check.run(step);
    if (absent.status().code() == Code::kIoError) return absent.status();
    found.times.push_back(step);
    if (absent.ok()) {
      record_absent(subject, step, *absent, record, report);
      if (check.sets_sum()) record.sets[step] = *check.sets_sum();
      found.errors.push_back(check.largest_errors());
    } else {
      record.absent[step] = all;
      found.errors.emplace_back(all.size());
      report.given_up.push_back(fmt::format("step {}: {}", step, absent.status().message()));
    }
  }
  return found;
}

Status set_times(const Subject& subject, const RebuildRequest& request, std::size_t num_steps,
                 CommitRecord& record, RebuildReport& report) {
  record.generation = static_cast<Index>(num_steps) + 1;
  if (subject.catalog) {
    if (!request.times.empty()) {
      return error(Code::kInvalidArgument, "time values cannot be given: they are stored in {}",
                   subject.dataset.catalog());
    }
    record.times = subject.fixed ? std::vector<double>() : subject.catalog->times;
    return {};
  }
  if (!request.times.empty()) {
    if (request.times.size() != num_steps) {
      return error(Code::kInvalidArgument,
                   "{} time values given, expected one for each of the {} complete steps",
                   request.times.size(), num_steps);
    }
    const bool is_number = std::all_of(request.times.begin(), request.times.end(),
                                       [](double time) { return std::isfinite(time); });
    const auto not_later =
        std::adjacent_find(request.times.begin(), request.times.end(), std::greater_equal());
    if (!is_number || not_later != request.times.end()) {
      return error(Code::kInvalidArgument, "time values must be finite numbers in ascending order");
    }
    record.times = request.times;
  } else if (record.times.size() >= num_steps) {
    record.times.resize(num_steps);
    report.deduced.push_back("time values, from " + report.path);
  } else {
    report.given_up.push_back("time values: the step numbers are used instead (--time)");
    record.times.resize(num_steps);
    std::iota(record.times.begin(), record.times.end(), 0.0);
  }
  return {};
}

/// The old file is first renamed to an unused name.
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

Result<Schema> read_schema(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxSidecarBytes));
  return parse_schema(text);
}

/// Examines the files around the .idx, which no writer may hold.
Result<Subject> find_subject(Store& store, const std::string& path) {
  Subject subject;
  subject.paths = {dataset_stem(path)};
  subject.dataset = subject.paths;
  const DatasetPaths around{std::filesystem::path(subject.paths.stem).parent_path().string()};
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.exists(subject.paths.catalog()));
  if (is_directory) {
    return error(Code::kInvalidArgument, "{} is a directory of several .idx files: name the one to rebuild",
                 subject.paths.directory());
  }
  subject.schema_path = subject.paths.single_schema();
  ESKER_ASSIGN_OR_RETURN(const bool is_part, store.exists(around.catalog()));
  if (is_part) {
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, around.catalog(), kMaxSidecarBytes));
    auto catalog = parse_catalog(text);
    if (!catalog.ok()) return catalog.status().with_context(around.catalog());
    for (const CatalogPart& part : catalog->parts) {
      if (part.name != name_of(subject.paths.stem)) continue;
      subject.fixed = part.fixed;
      if (part.place) {
        const Box& box = part.place->box;
        subject.corner.assign(box.lo.begin(), box.lo.begin() + box.rank);
      }
      subject.catalog = std::move(*catalog);
      subject.dataset = around;
      subject.schema_path = around.schema();
      break;
    }
  }
  const std::string lock = subject.dataset.lock();
  ESKER_ASSIGN_OR_RETURN(const bool locked, store.exists(lock));
  if (locked) return error(Code::kAlreadyExists, "{}: a writer is active, or one was killed", lock);
  ESKER_RETURN_IF_ERROR(check_not_merging(store, subject.dataset));
  subject.schema = read_schema(store, subject.schema_path);
  return subject;
}

}  // namespace

Result<RebuildReport> rebuild_idx_on(const std::shared_ptr<Store>& store, const RebuildRequest& request) {
  ESKER_ASSIGN_OR_RETURN(const Subject subject, find_subject(*store, request.path));
  RebuildReport report;
  report.path = subject.paths.single_idx();
  ESKER_ASSIGN_OR_RETURN(Form form, find_form(*store, subject, request, report));
  Header& header = form.header;
  if (header.arco != 0 || (header.cells && header.cells->is_pidx)) {
    return error(Code::kUnsupported, "{}: rebuilding is not supported for ARCO and for PIDX chunks",
                 report.source);
  }
  if (subject.catalog && !form.record) {
    return error(Code::kInvalidArgument, "{}: expected Esker's record, as in each part of {}, found none",
                 report.source, subject.dataset.catalog());
  }
  report.deduced.push_back("box, fields and blocks, from " + report.source);
  std::vector<Index> stored;
  if (subject.catalog) {
    stored.resize(subject.fixed ? 1 : subject.catalog->times.size());
    std::iota(stored.begin(), stored.end(), 0);
  } else {
    const std::string parent = std::filesystem::path(subject.paths.stem).parent_path().string();
    ESKER_ASSIGN_OR_RETURN(stored, stored_times(*store, header, parent.empty() ? "" : parent + "/"));
  }
  if (header.time) header.time->ranges = ranges_of(stored);
  ESKER_ASSIGN_OR_RETURN(const auto part, IdxPart::of_text(store, report.path, print_header(header)));
  StepCheck check(*part, form.record.has_value(), form.record && form.record->checksums);
  if (form.record) form.record->absent.clear(), form.record->sets.clear();
  if (form.record) form.record->corner = subject.corner;
  ESKER_ASSIGN_OR_RETURN(
      const FoundSteps found,
      subject.catalog ? check_steps_of_catalog(subject, check, header, *form.record, report)
                      : find_whole_steps(subject, check, header.fields.size(), form.record, stored, report));
  if (form.record) form.record->checksums = check.tagged();
  report.steps = static_cast<Index>(found.times.size());
  report.deduced.push_back(
      fmt::format("{} steps, from {}", report.steps,
                  subject.catalog ? subject.dataset.catalog() : std::string("their blocks")));
  if (header.time) header.time->ranges = ranges_of(found.times);
  if (form.record) {
    form.record->errors.clear();
    if (!subject.fixed) form.record->errors = recorded_errors(header, *form.record, found.errors);
    ESKER_RETURN_IF_ERROR(set_times(subject, request, found.times.size(), *form.record, report));
    record_uncertain_times(form, request, report);
    header.other.emplace_back(kRecordKey, print_sealed_record(header, *form.record));
  } else if (!request.times.empty()) {
    return error(Code::kInvalidArgument, "time values can only be stored in Esker datasets");
  }
  report.text = print_header(header);
  if (request.write) ESKER_RETURN_IF_ERROR(replace_idx(*store, report));
  return report;
}

}  // namespace esker
