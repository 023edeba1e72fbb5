#include <algorithm>

#include "adaptive/level_covers.h"
#include "api/dataset_impl.h"
#include "api/dense_copy.h"
#include "api/within_memory.h"
#include "base/clock.h"
#include "base/counting.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/run_tasks.h"
#include "base/text.h"
#include "device/device_memory.h"
#include "formats/registry/open_dataset.h"
#include "grid/copy_samples.h"
#include "grid/memory_overlap.h"
#include "grid/num_samples.h"
#include "grid/selection.h"
#include "model/prior_errors.h"
#include "store/source_store.h"

namespace esker {

std::shared_ptr<Store> Dataset::Impl::store_of(const OpenOptions& options) {
  return options.source ? source_store(options.source) : posix_store();
}

Result<Dataset> Dataset::Impl::open(const std::shared_ptr<Store>& store, const std::string& path,
                                    const OpenOptions& options) {
  ESKER_ASSIGN_OR_RETURN(auto opened, open_dataset(store, path));
  return Dataset(std::make_unique<Impl>(std::move(opened), options));
}

Result<int> Dataset::Impl::find(const std::string& name) const {
  const Field* field = data->schema.find_field(name);
  if (!field) return error(Code::kNotFound, "no field '{}'; available: {}", excerpt(name), known_fields());
  return static_cast<int>(field - data->schema.fields().data());
}

Result<int> Dataset::Impl::locate(const std::string& name) const {
  ESKER_ASSIGN_OR_RETURN(const int field, find(name));
  if (data->has_samples(field)) return field;
  return error(Code::kNotFound,
               "field '{}' is fixed and is written with the first step; the dataset has no steps yet", name);
}

Result<int> Dataset::Impl::at_mesh_level(int field, const Query& query) const {
  return query.mesh_level ? data->level_field(field, *query.mesh_level) : Result<int>(field);
}

Result<Dataset::Impl::Resolved> Dataset::Impl::resolve_step(const Query& query) const {
  Resolved resolved;
  ESKER_ASSIGN_OR_RETURN(resolved.field, locate(query.field));
  ESKER_ASSIGN_OR_RETURN(resolved.field, at_mesh_level(resolved.field, query));
  const bool fixed = data->field_at(resolved.field).fixed;
  ESKER_ASSIGN_OR_RETURN(resolved.step, step_of(query, fixed));
  if (!data->has(resolved.field, resolved.step)) {
    return error(Code::kNotFound, "field '{}' was not written at step {}", query.field,
                 counted_step(resolved.step));
  }
  return resolved;
}

Result<Dataset::Impl::Resolved> Dataset::Impl::resolve(const Query& query) const {
  ESKER_ASSIGN_OR_RETURN(Resolved resolved, resolve_step(query));
  ESKER_RETURN_IF_ERROR(select(query, resolved));
  ESKER_RETURN_IF_ERROR(choose_bits(query, resolved));
  return resolved;
}

Status Dataset::Impl::choose_bits(const Query& query, Resolved& resolved) const {
  if (!query.bits) return {};
  const int stored = data->field_at(resolved.field).stored_bits;
  if (stored == 0) {
    return error(Code::kInvalidArgument,
                 "field '{}': {} bits requested, but its samples are stored as they are; only fields written "
                 "with stored_bits can be read with fewer",
                 query.field, *query.bits);
  }
  if (*query.bits < 1 || *query.bits > stored) {
    return error(Code::kOutOfRange, "field '{}': {} bits requested, expected 1 to {}", query.field,
                 *query.bits, stored);
  }
  resolved.bits = *query.bits == stored ? 0 : *query.bits;  // all: no other copy in the cache
  return {};
}

Result<Dataset::Impl::Resolved> Dataset::Impl::resolve_samples(const Query& query) const {
  Resolved resolved;
  ESKER_ASSIGN_OR_RETURN(resolved.field, find(query.field));
  ESKER_ASSIGN_OR_RETURN(resolved.field, at_mesh_level(resolved.field, query));
  if (is_at_some_step(resolved.field)) return resolve(query);
  ESKER_RETURN_IF_ERROR(select(query, resolved));
  ESKER_RETURN_IF_ERROR(choose_bits(query, resolved));
  return resolved;
}

bool Dataset::Impl::is_at_some_step(int field) const {
  const auto num_steps = static_cast<Index>(data->times.size());
  for (Index step = 0; step < num_steps; ++step) {
    if (data->has(field, step)) return true;
  }
  return false;
}

Status Dataset::Impl::select(const Query& query, Resolved& resolved) const {
  const auto found = data->bitmask(resolved.field);
  const bool is_plain = !query.level && !query.stride && query.start_level == 0;
  if (!found.ok() && !is_plain) return found.status();
  const Box grid = data->box(resolved.field);
  resolved.box = query.box.value_or(grid);
  if (resolved.box.rank != grid.rank) {
    return error(Code::kInvalidArgument, "field '{}': box has {} axes, the grid has {}", query.field,
                 resolved.box.rank, grid.rank);
  }
  if (!spans_within(resolved.box, grid)) {
    return error(Code::kOutOfRange, "field '{}': the box {} exceeds the grid {}", query.field,
                 resolved.box.to_string(), grid.to_string());
  }
  const Box box = clip(resolved.box, grid);
  if (!found.ok()) {
    resolved.level = OpenedDataset::kEveryLevel;
    ESKER_ASSIGN_OR_RETURN(resolved.selection, data->samples_up_to(resolved.field, box, resolved.level));
    return {};
  }
  const Bitmask& mask = *found;
  if (query.stride) {
    if (query.level)
      return error(Code::kInvalidArgument, "field '{}': a level and strides are given; set only one of them",
                   query.field);
    for (int a = 0; a < box.rank; ++a) {
      if ((*query.stride)[a] >= 1) continue;
      return error(Code::kInvalidArgument, "field '{}': stride {} on axis {}, expected at least 1",
                   query.field, (*query.stride)[a], a);
    }
    Point stride = *query.stride;  // outside the grid there are no samples except its first one
    for (int a = 0; a < box.rank; ++a) stride[a] = std::min(stride[a], std::max<Index>(1, grid.hi[a]));
    resolved.selection = select_every(box, stride);
    resolved.level = coarsest_level_with(mask, resolved.selection);
  } else {
    resolved.level = query.level.value_or(mask.max_level());
    if (resolved.level < 0 || resolved.level > mask.max_level()) {
      return error(Code::kOutOfRange, "field '{}': level {}, expected 0 to {}", query.field, resolved.level,
                   mask.max_level());
    }
    resolved.selection = select_samples(mask, box, resolved.level);
  }
  resolved.start_level = query.start_level;
  if (resolved.start_level >= 0 && resolved.start_level <= resolved.level) return {};
  return error(Code::kOutOfRange, "field '{}': start level {}, expected 0 to {}", query.field,
               resolved.start_level, resolved.level);
}

Result<Dataset::Impl::Resolved> Dataset::Impl::resolve(const Query& query, MutablePatch& out) const {
  ESKER_ASSIGN_OR_RETURN(Resolved resolved, resolve(query));
  const Box expected = resolved.selection.all_indices(), found = out.box;
  if (expected.rank != found.rank || expected.extents() != found.extents()) {
    return error(Code::kInvalidArgument, "field '{}': expected memory with the extents of {}, found {}",
                 query.field, expected.to_string(), found.to_string());
  }
  ESKER_RETURN_IF_ERROR(complete(data->field_at(resolved.field), out));
  return resolved;
}

Result<MutablePatch> Dataset::Impl::dense(const Query& query, const Resolved& resolved, void* out,
                                          std::size_t out_bytes) const {
  const Field& field = data->field_at(resolved.field);
  const auto needed = static_cast<std::size_t>(resolved.selection.num_samples() * field.sample_bytes());
  if (needed != out_bytes) {
    return error(Code::kInvalidArgument, "field '{}': expected a buffer of {} bytes, found {} bytes",
                 query.field, needed, out_bytes);
  }
  MutablePatch memory{resolved.selection.all_indices(), out, field.type, {}, size_bytes(field.type)};
  Index stride = field.sample_bytes();
  for (int a = 0; a < memory.box.rank; stride *= memory.box.extent(a), ++a) memory.stride_bytes[a] = stride;
  return memory;
}

Status Dataset::Impl::complete(const Field& field, MutablePatch& out) {
  if (out.type != field.type) {
    return error(Code::kInvalidArgument, "field '{}': expected memory of type {}, found {}", field.name,
                 esker::name(field.type), esker::name(out.type));
  }
  if (!out.data && !out.box.empty()) {
    return error(Code::kInvalidArgument,
                 "field '{}': the destination is NULL; expected memory for the samples", field.name);
  }
  if (out.component_stride_bytes == 0) out.component_stride_bytes = size_bytes(field.type);
  out.repeats = false;
  if (out.box.empty()) return {};
  return check_memory(out, field.components).with_context("field '" + field.name + "'");
}

bool Dataset::Impl::has_whole_samples(const Field& field, const MutablePatch& out) {
  return field.components == 1 || out.component_stride_bytes == size_bytes(field.type);
}

std::string Dataset::Impl::known_fields() const {
  constexpr std::size_t kMostNamed = 50;
  const auto& fields = data->schema.fields();
  std::string text;
  for (std::size_t f = 0; f < std::min(fields.size(), kMostNamed); ++f) {
    text += (f == 0 ? "" : ", ") + fields[f].name;
  }
  return fields.size() > kMostNamed ? fmt::format("{} and {} more", text, fields.size() - kMostNamed) : text;
}

Result<Index> Dataset::Impl::step_of(const Query& query, bool fixed) const {
  if (fixed) return Index{0};
  const auto num_steps = static_cast<Index>(data->times.size());
  const Index step = query.step < 0 ? query.step + num_steps : query.step;
  if (step < 0 || step >= num_steps) {
    return error(Code::kOutOfRange, "field '{}': step {} does not exist; the dataset has {} steps",
                 query.field, counted_step(query.step), num_steps);
  }
  return step;
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Result<Dataset> Dataset::open(const std::string& path, const OpenOptions& options) {
  return within_memory([&] { return Impl::open(Impl::store_of(options), path, options); });
}

const Schema& Dataset::schema() const { return impl_->data->schema; }
const std::vector<double>& Dataset::steps() const { return impl_->data->times; }
const std::vector<PartInfo>& Dataset::parts() const { return impl_->data->infos; }
const std::vector<std::string>& Dataset::warnings() const { return impl_->data->warnings; }

Result<bool> Dataset::has(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const int number, impl_->locate(field));
  if (step < 0 || step >= static_cast<Index>(steps().size())) {
    return error(Code::kOutOfRange, "step {} does not exist; the dataset has {} steps", counted_step(step),
                 steps().size());
  }
  return impl_->data->has(number, step);
}

Result<int> Dataset::max_level(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const int number, impl_->find(field));
  ESKER_ASSIGN_OR_RETURN(const Bitmask mask, impl_->data->bitmask(number));
  return mask.max_level();
}

Result<bool> Dataset::has_whole_levels(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const int number, impl_->find(field));
  return impl_->data->has_whole_levels(number);
}

Result<Box> Dataset::box(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const int number, impl_->find(field));
  return impl_->data->box(number);
}

Result<Lattice> Dataset::select(const Query& query) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve_samples(query));
  return resolved.selection;
}

Result<int> Dataset::level_of(const Query& query) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve_samples(query));
  return resolved.level;
}

Status Dataset::Impl::read(const Resolved& resolved, ReadTarget target, const ReadOptions& how) {
  const Stopwatch stopwatch;
  target.start_level = resolved.start_level;
  target.is_stored = how.is_stored;
  if (how.is_stored) std::fill_n(how.is_stored, target.samples.num_samples(), std::uint8_t{1});
  ReadCounters counters;
  const ReadContext context{options.verify,
                            num_threads(),
                            options.cache_bytes > 0 ? &cache : nullptr,
                            how.missing,
                            how.progress,
                            &counters,
                            {},
                            resolved.bits};
  ESKER_RETURN_IF_ERROR(data->read(resolved.field, resolved.step, target, context));
  if (how.statistics) {
    *how.statistics = {counters.blocks, counters.cached_blocks, counters.missing_blocks,
                       counters.reads,  counters.bytes,         stopwatch.elapsed_s()};
  }
  return {};
}

Status Dataset::Impl::read(const Resolved& resolved, const MutablePatch& out, const ReadOptions& how) {
  using device::Access, device::DeviceMemory;
  const Field& field = data->field_at(resolved.field);
  auto access = Access::kHost;
  if (!out.box.empty()) {
    ESKER_ASSIGN_OR_RETURN(access, DeviceMemory::access_to(out.data));
    if (access == Access::kHost && out.is_on_device) return DeviceMemory::no_access();
  }
  if (access == Access::kBoth) ESKER_RETURN_IF_ERROR(DeviceMemory::finish_stream(out.data, how.stream));
  if (access == Access::kDevice || !has_whole_samples(field, out)) {
    return read_and_copy(resolved, out, access == Access::kDevice, how);
  }
  return read(resolved,
              ReadTarget::strided(resolved.selection, resolved.level, static_cast<std::byte*>(out.data),
                                  field.sample_bytes(), out.stride_bytes),
              how);
}

/// Through a dense copy on the host.
Status Dataset::Impl::read_and_copy(const Resolved& resolved, const MutablePatch& out, bool to_device,
                                    const ReadOptions& how) {
  const Field& field = data->field_at(resolved.field);
  DenseCopy copy(field, out, to_device, how.stream);
  if (resolved.start_level > 0) ESKER_RETURN_IF_ERROR(copy.fetch());
  ESKER_RETURN_IF_ERROR(
      read(resolved,
           ReadTarget::dense(resolved.selection, resolved.level, copy.samples(), field.sample_bytes()), how));
  return copy.deliver();
}

int Dataset::Impl::num_threads() const {
  constexpr int kRequestsAtOnce = 16;  // most of their time is spent waiting
  if (options.threads > 0) return options.threads;
  return options.source ? kRequestsAtOnce : num_processors();
}

namespace {

std::string context_of(const Query& query, Index step) {
  return fmt::format("read field '{}', step {}", query.field, counted_step(step));
}

}  // namespace

Status Dataset::read(const Query& query, void* out, std::size_t out_bytes, const ReadOptions& options) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(query));
  ESKER_ASSIGN_OR_RETURN(MutablePatch memory, impl_->dense(query, resolved, out, out_bytes));
  ESKER_RETURN_IF_ERROR(Impl::complete(impl_->data->field_at(resolved.field), memory));
  return within_memory([&] { return impl_->read(resolved, memory, options); })
      .with_context(context_of(query, resolved.step));
}

Status Dataset::read(const Query& query, const MutablePatch& out, const ReadOptions& options) const {
  MutablePatch memory = out;
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(query, memory));
  return within_memory([&] { return impl_->read(resolved, memory, options); })
      .with_context(context_of(query, resolved.step));
}

Status Dataset::levels(const Query& query, std::int8_t* out, std::size_t count) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(query));
  const auto needed = static_cast<std::size_t>(resolved.selection.num_samples());
  if (count != needed) {
    return error(Code::kInvalidArgument, "field '{}': expected room for {} levels, found {}", query.field,
                 needed, count);
  }
  return within_memory([&] {
    return impl_->data->stored_levels(resolved.field, resolved.step, resolved.selection, {out, count});
  });
}

Result<std::optional<StoredSamples>> Dataset::stored_samples(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(Query{.field = field, .step = step}));
  return within_memory([&] { return impl_->data->stored_samples(resolved.field, resolved.step); });
}

Result<std::vector<MeshBox>> Dataset::patches(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve_step(Query{.field = field, .step = step}));
  return within_memory([&] { return impl_->data->patches(resolved.field, resolved.step); });
}

Result<std::vector<LevelCover>> Dataset::level_covers(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const std::vector<MeshBox> of_step, patches(field, step));
  const int grid = schema().find_field(field)->grid;
  const std::optional<Mesh>& mesh = schema().grids()[static_cast<std::size_t>(grid)].mesh;
  if (!mesh) return std::vector<LevelCover>();
  if (!checked_num_samples(mesh->domain(mesh->num_levels() - 1))) {
    return error(Code::kUnsupported, "field '{}': the finest level has more cells than 64 bits can count",
                 field);
  }
  return within_memory([&] { return Result(covers_of(*mesh, of_step)); });
}

Result<std::optional<FieldErrors>> Dataset::errors(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(Query{.field = field, .step = step}));
  return within_memory([&]() -> Result<std::optional<FieldErrors>> {
    ESKER_ASSIGN_OR_RETURN(const auto here, impl_->data->errors(resolved.field, resolved.step));
    return sum_of(here, prior_errors(schema().fields()[static_cast<std::size_t>(resolved.field)]));
  });
}

Result<std::vector<double>> Dataset::largest_errors(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const int number, impl_->find(field));
  if (!impl_->data->has_samples(number)) return std::vector<double>();
  return within_memory([&]() -> Result<std::vector<double>> {
    ESKER_ASSIGN_OR_RETURN(std::vector<double> largest, impl_->data->largest_errors(number));
    const Field& of = schema().fields()[static_cast<std::size_t>(number)];
    const auto before = prior_errors(of);
    if (!before) return largest;
    largest.resize(of.fixed ? 1 : impl_->data->times.size());
    for (std::size_t step = 0; step < largest.size(); ++step) {
      if (!of.fixed && !impl_->data->has(number, static_cast<Index>(step))) continue;
      largest[step] = sum_of(FieldErrors{largest[step], 0}, before)->largest;
    }
    return largest;
  });
}

Result<StorageInfo> Dataset::storage() const {
  return within_memory([&] { return impl_->data->storage(); });
}

}  // namespace esker
