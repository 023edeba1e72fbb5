#include "formats/zarr/zarr_writer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/no_stored_bits.h"
#include "format/schema_json.h"
#include "formats/zarr/creation.h"
#include "formats/zarr/existing.h"
#include "formats/zarr/small_values.h"
#include "formats/zarr/step_errors.h"
#include "formats/zarr/zarr_step_layouts.h"
#include "model/field_facts.h"
#include "store/commit.h"

namespace esker::zarr {
namespace {

/// Of an array whose files have several steps.
Index bytes_of_step(const Array& array) {
  Index bytes = size_bytes(array.type);
  for (std::size_t a = 1; a < array.file.size(); ++a) bytes *= array.file[a];
  return bytes;
}

}  // namespace

ZarrWriter::ZarrWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
                       std::shared_ptr<WriterLock> lock, std::string other_suffix)
    : store_(std::move(store)),
      stem_(std::move(stem)),
      paths_(Paths::of_stem(stem_)),
      options_(options),
      lock_(std::move(lock)),
      other_suffix_(std::move(other_suffix)) {}

Status ZarrWriter::check_target() {
  ESKER_RETURN_IF_ERROR(
      make_directories(*store_, directory_of(paths_.directory), options_.fsync != Fsync::kNone));
  ESKER_RETURN_IF_ERROR(lock_->acquire());
  ESKER_ASSIGN_OR_RETURN(replaces_existing_, store_->exists(paths_.group()));
  if (!replaces_existing_) {
    ESKER_ASSIGN_OR_RETURN(const auto names, store_->list(paths_.directory));
    ESKER_ASSIGN_OR_RETURN(const bool has_begun, is_begun(*store_, paths_));
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(paths_.directory));
    if (has_begun || (names.empty() && !exists)) return {};
    ESKER_ASSIGN_OR_RETURN(const bool is_directory, store_->is_directory(paths_.directory));
    if (is_directory && names.empty()) return {};
    return error(Code::kAlreadyExists, "{} exists and is not a Zarr group; choose another path",
                 paths_.directory);
  }
  if (!options_.overwrite) {
    return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite",
                 paths_.directory);
  }
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store_, paths_.group(), kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const bool is_ours, is_of_esker(text));
  if (is_ours) return finish_existing(text);
  return error(Code::kAlreadyExists, "{} was not written by Esker and is not overwritten", paths_.directory);
}

/// Of a dataset whose creation was killed; the next one may be, too.
Status ZarrWriter::finish_existing(const std::string& text) {
  const auto group = parse_group(text);
  if (!group.ok()) return group.status().code() == Code::kOutOfMemory ? group.status() : Status();
  return finish_creation(*store_, paths_, *group, options_.fsync != Fsync::kNone);
}

Status ZarrWriter::define(const Schema& schema) {
  ESKER_RETURN_IF_ERROR(check_no_stored_bits(schema, "Zarr arrays"));
  if (options_.chunks.by_decomposition)
    return error(Code::kUnsupported,
                 "chunks=decomposition: Zarr files do not depend on the ranks; set extents X,Y,Z");
  ESKER_ASSIGN_OR_RETURN(model_, describe_group(schema, options_));
  ESKER_RETURN_IF_ERROR(check_means());
  model_.group.other_suffix = other_suffix_;
  schema_ = schema;
  return {};
}

/// A cell without its first sample would belong to no patch.
Status ZarrWriter::check_means() const {
  if (!model_.group.has_means || !options_.partial) return {};
  return error(Code::kUnsupported,
               "level_values=mean: not with partial=true; put every sample, with {} where there is none",
               "_FillValue");
}

Status ZarrWriter::stage(bool durable) {
  set_num_steps(model_.group, 0);
  return stage_group(*store_, paths_, model_, durable);
}

Status ZarrWriter::publish(bool durable) {
  ESKER_RETURN_IF_ERROR(publish_group(*store_, paths_, model_.group, replaces_existing_, durable));
  committed_ = print_group(model_.group);
  return {};
}

Result<std::string> ZarrWriter::read_staged() {
  ESKER_ASSIGN_OR_RETURN(const bool is_complete, store_->exists(paths_.staged_mark()));
  if (!is_complete) return std::string();
  const auto staged = zarr::read_staged(*store_, paths_);
  if (staged.ok()) return print_existing(*staged);
  const Code code = staged.status().code();
  return code == Code::kIoError || code == Code::kOutOfMemory ? staged.status()
                                                              : Result<std::string>(std::string());
}

Result<std::string> ZarrWriter::read_existing() {
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(paths_.directory));
  const auto text = read_text(*store_, paths_.group(), kMaxSidecarBytes);
  if (!text.ok()) return text.status().with_context("no dataset to append to");
  auto group = parse_group(*text);
  if (!group.ok()) return group.status().with_context(paths_.group());
  for (const std::string& level : group->level_names()) {
    const std::string directory = paths_.of_level(level).directory;
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store_->is_link(directory));
    if (is_link)
      return error(Code::kAlreadyExists, "{} is a symbolic link; move what it leads to there", directory);
  }
  ESKER_RETURN_IF_ERROR(finish_creation(*store_, paths_, *group, options_.fsync != Fsync::kNone));
  ESKER_ASSIGN_OR_RETURN(const Existing existing, zarr::read_existing(*store_, paths_));
  return print_existing(existing);
}

Status ZarrWriter::restore(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(text));
  schema_ = std::move(existing.schema);
  model_ = std::move(existing.model);
  times_ = std::move(existing.times);
  committed_ = std::move(existing.text);
  num_ahead_ = model_.group.arrays.size();
  return check_means();
}

/// Arrays that are ahead of the group are set back; files of later steps are removed.
Status ZarrWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(std::ssize(times_), durable));
  for (const Array& array : model_.group.arrays) {
    ESKER_RETURN_IF_ERROR(store_->remove(temporary_of(paths_.metadata_of(array))));
    if (array.errors_of.empty()) continue;
    ESKER_RETURN_IF_ERROR(
        store_->remove(temporary_of(paths_.file_of(array, std::ssize(times_) / kStepsPerFile))));
  }
  for (const std::string& level : model_.group.level_names()) {
    ESKER_RETURN_IF_ERROR(store_->remove(temporary_of(paths_.of_level(level).group())));
  }
  for (const Level& level : model_.levels) {
    if (level.stored.time_variable < 0) continue;
    const Array& times = model_.array(level, level.stored.time_variable);
    ESKER_RETURN_IF_ERROR(
        store_->remove(temporary_of(paths_.file_of(times, std::ssize(times_) / kStepsPerFile))));
  }
  return store_->remove(temporary_of(paths_.group()));
}

Status ZarrWriter::check_ours() { return read_ours().status(); }

Result<std::string> ZarrWriter::read_ours() {
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  ESKER_ASSIGN_OR_RETURN(std::string text, read_text(*store_, paths_.group(), kMaxSidecarBytes));
  if (text == committed_ || (!attempted_.empty() && text == attempted_)) return text;
  return error(Code::kDataLoss, "{} differs from what this writer wrote: another program changed it",
               paths_.group());
}

Status ZarrWriter::check_step_place(Index /*step*/) {
  for (const Array& array : model_.group.arrays) {
    ESKER_ASSIGN_OR_RETURN(const std::string link, find_link(array));
    if (!link.empty())
      return error(Code::kAlreadyExists, "{} is a symbolic link; remove it, or move it away", link);
  }
  return {};
}

std::unique_ptr<StepLayouts> ZarrWriter::lay_out(const std::vector<bool>& present,
                                                 const StepHints& /*hints*/) const {
  return std::make_unique<ZarrStepLayouts>(model_, present, paths_);
}

/// Files of several steps have the length that readers expect from the first step on.
Status ZarrWriter::complete_series(Index step, const std::vector<bool>& present, bool durable) {
  for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
    const Field& field = schema_.fields()[f];
    if (!is_series(schema_, field)) continue;
    const Index steps = step % kStepsPerFile + (present[f] ? 1 : 0);
    ESKER_RETURN_IF_ERROR(
        fill_file(model_.array_of_field(model_.levels[0], f), step / kStepsPerFile, steps, false, durable));
  }
  return {};
}

/// Gives a file with several steps fill values behind the first `steps`; unless `always`, only if it is too
/// short.
Status ZarrWriter::fill_file(const Array& array, Index number, Index steps, bool always, bool durable) {
  const Index step_bytes = bytes_of_step(array), expected = array.file.front() * step_bytes;
  const auto fill = [&](File& file) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Index size, file.size_bytes());
    if (size >= expected && !always) return {};
    const Index values = (expected - steps * step_bytes) / std::ssize(array.fill);
    return file.write_at(repeated(array.fill, values), steps * step_bytes);
  };
  return edit_file(*store_, paths_.file_of(array, number), fill, durable);
}

/// The file of the last time, in all levels.
Status ZarrWriter::write_times(bool durable) {
  if (times_.empty()) return {};
  const Index number = (std::ssize(times_) - 1) / kStepsPerFile;
  ESKER_ASSIGN_OR_RETURN(const Numbers values,
                         to_type(std::vector<double>(times_.begin() + number * kStepsPerFile, times_.end()),
                                 schema_.time_type()));
  for (const Level& level : model_.levels) {
    if (level.stored.time_variable < 0) continue;
    const Array& array = model_.array(level, level.stored.time_variable);
    const std::vector<std::byte> bytes = print_values(values, kStepsPerFile, array.fill);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string path = paths_.file_of(array, number);
    ESKER_RETURN_IF_ERROR(make_directories(*store_, directory_of(path), durable));
    ESKER_RETURN_IF_ERROR(replace_file(*store_, path, text, durable));
  }
  return {};
}

Status ZarrWriter::write_errors(const StoredStep& stored, bool durable) {
  for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
    const Array* errors = errors_of(model_, f);
    if (!errors || (schema_.fields()[f].fixed && !stored.present[f])) continue;
    const float error = stored.present[f] ? stored.max_errors[f] : std::numeric_limits<float>::quiet_NaN();
    const Index step = schema_.fields()[f].fixed ? 0 : stored.step;
    ESKER_RETURN_IF_ERROR(write_error(*store_, paths_, *errors, step, error, durable));
  }
  return {};
}

/// The metadata of the first arrays, of those with steps, and of the levels. Continues after an error, and
/// returns the first one.
Status ZarrWriter::write_arrays(const Group& group, std::size_t count, bool durable) {
  Status first;
  for (std::size_t n = 0; n < count; ++n) {
    const Array& array = group.arrays[n];
    if (!array.has_steps(group.time)) continue;
    num_ahead_ = std::max(num_ahead_, n + 1);
    const Status status = replace_file(*store_, paths_.metadata_of(array), print_array(array), durable);
    if (first.ok()) first = status;
  }
  if (count == 0) return first;
  for (const std::string& level : group.level_names()) {
    const Status status =
        replace_file(*store_, paths_.of_level(level).group(), print_level(group, level), durable);
    if (first.ok()) first = status;
  }
  return first;
}

/// After an error it may still have happened.
Status ZarrWriter::replace_group(Group next, bool durable) {
  attempted_ = print_group(next);
  ESKER_RETURN_IF_ERROR(replace_file(*store_, paths_.group(), attempted_, durable));
  committed_ = std::exchange(attempted_, {});
  model_.group = std::move(next);
  return {};
}

Status ZarrWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  durable = durable || is_protected_;
  times_.resize(static_cast<std::size_t>(stored.step));
  times_.push_back(stored.time);
  ESKER_RETURN_IF_ERROR(complete_series(stored.step, stored.present, durable));
  ESKER_RETURN_IF_ERROR(write_times(durable));
  ESKER_RETURN_IF_ERROR(write_errors(stored, durable));
  Group next = model_.group;
  set_num_steps(next, stored.step + 1);
  ESKER_RETURN_IF_ERROR(write_arrays(next, next.arrays.size(), durable));
  ESKER_RETURN_IF_ERROR(replace_group(std::move(next), durable));
  num_ahead_ = 0;
  return {};
}

// The group comes first: from then on the steps do not exist. Their files are removed next: a full disk then
// has room for the metadata of arrays.
Status ZarrWriter::rewind(Index num_steps, bool durable) {
  durable = durable || is_protected_;
  times_.resize(static_cast<std::size_t>(num_steps));
  ESKER_ASSIGN_OR_RETURN(const std::string visible, read_ours());
  committed_ = visible;  // the attempted one, if that is there
  attempted_.clear();
  Group next = model_.group;
  set_num_steps(next, num_steps);
  if (print_group(next) != visible) {
    num_ahead_ = next.arrays.size();
    ESKER_RETURN_IF_ERROR(replace_group(next, durable));
  }
  Status first = num_steps == 0 ? remove_fixed() : Status();
  for (const Array& array : next.arrays) {
    if (!array.has_steps(next.time)) continue;
    const Status status = remove_steps_from(num_steps, array, durable);
    if (first.ok()) first = status;
  }
  const Status written = write_arrays(next, num_ahead_, durable);
  if (written.ok()) num_ahead_ = 0;
  return first.ok() ? written : first;
}

/// The symbolic link that leads to the files of an array, which then are not of the dataset; empty: none.
Result<std::string> ZarrWriter::find_link(const Array& array) const {
  std::vector<std::string> directories{paths_.of_array(array), paths_.files_of(array)};
  if (!array.level.empty()) directories.push_back(paths_.of_level(array.level).directory);
  for (const std::string& path : directories) {
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store_->is_link(path));
    if (is_link) return path;
  }
  return std::string();
}

/// The samples of fixed fields, which are those of step 0, and their errors.
Status ZarrWriter::remove_fixed() {
  for (const Level& level : model_.levels) {
    for (std::size_t f = 0; f < level.schema.fields().size(); ++f) {
      if (!level.schema.fields()[f].fixed) continue;
      const Array& array = model_.array_of_field(level, f);
      ESKER_ASSIGN_OR_RETURN(const std::string link, find_link(array));
      if (link.empty()) ESKER_RETURN_IF_ERROR(store_->remove_all(paths_.files_of(array)));
    }
  }
  for (const Array& array : model_.group.arrays) {
    if (!array.errors_of.empty() && array.file.empty())
      ESKER_RETURN_IF_ERROR(store_->remove(paths_.file_of(array, 0)));
  }
  return {};
}

Status ZarrWriter::remove_steps_from(Index num_steps, const Array& array, bool durable) {
  const std::string directory = paths_.files_of(array);
  ESKER_ASSIGN_OR_RETURN(const std::string link, find_link(array));
  if (!link.empty()) return {};
  const Index per_file = array.file.front(), kept = num_steps % per_file;
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> names, store_->list(directory));
  for (const std::string& name : names) {
    const Index number = parse_integer(name).value_or(-1);
    if (number >= div_up(num_steps, per_file))
      ESKER_RETURN_IF_ERROR(store_->remove_all(directory + "/" + name));
    if (kept > 0 && number == num_steps / per_file)
      ESKER_RETURN_IF_ERROR(fill_file(array, number, kept, true, durable));
  }
  return {};
}

std::vector<std::string> ZarrWriter::data_paths(Index first, Index end) const {
  std::vector<std::string> paths;
  for (Index step = first; step < end; ++step) {
    std::vector<bool> present;
    for (const Level& level : model_.levels) {
      for (const Field& field : level.schema.fields()) present.push_back(is_due(field, step));
    }
    const ZarrStepLayouts layouts(model_, present, paths_);
    for (int n = 0; n < static_cast<int>(layouts.layouts.size()); ++n) {
      for (Index file = 0; file < layouts.layouts[static_cast<std::size_t>(n)]->num_files(); ++file) {
        paths.push_back(layouts.file_path(n, file, step));
      }
    }
  }
  return paths;
}

/// Of the series, the times and the errors.
std::vector<std::string> ZarrWriter::completed_paths(Index step) const {
  std::vector<std::string> paths;
  for (const Array& array : model_.group.arrays) {
    if (array.has_steps(model_.group.time) && array.chunk.empty())
      paths.push_back(paths_.file_of(array, step / array.file.front()));
  }
  return paths;
}

/// Also the values that are not those of fields.
std::vector<std::string> ZarrWriter::metadata_paths() const {
  std::vector<std::string> paths{paths_.group()};
  for (const Array& array : model_.group.arrays) paths.push_back(paths_.metadata_of(array));
  for (const std::string& level : model_.group.level_names()) paths.push_back(paths_.of_level(level).group());
  for (const Level& level : model_.levels) {
    const auto add_file = [&](int variable, Index number) {
      paths.push_back(paths_.file_of(model_.array(level, variable), number));
    };
    for (const auto& coordinate : level.stored.coordinates) add_file(coordinate.variable, 0);
    for (const int scalar : level.stored.variable_of_scalar) add_file(scalar, 0);
    const Index num_files = level.stored.time_variable < 0 ? 0 : div_up(std::ssize(times_), kStepsPerFile);
    for (Index number = 0; number < num_files; ++number) add_file(level.stored.time_variable, number);
  }
  for (const Array& array : model_.group.arrays) {
    if (array.errors_of.empty() || times_.empty()) continue;
    const Index files = array.has_steps(model_.group.time) ? div_up(std::ssize(times_), kStepsPerFile) : 1;
    for (Index number = 0; number < files; ++number) paths.push_back(paths_.file_of(array, number));
  }
  return paths;
}

}  // namespace esker::zarr
