#include "esker/writer.hpp"

#include <cmath>
#include <exception>
#include <map>
#include <optional>

#include "base/counting.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/memory_overlap.h"
#include "model/field_facts.h"
#include "store/store.h"
#include "write/boxes.h"
#include "write/buffered_patch.h"
#include "write/pipeline.h"

namespace esker {

/// The state of one rank: definitions and put calls. The pipeline does everything collective.
class Writer::Impl {
 public:
  /// A pipeline that appends knows the definitions already.
  explicit Impl(std::unique_ptr<WritePipeline> opened)
      : pipeline(std::move(opened)), schema(pipeline->schema()), defined(!schema.fields().empty()) {}

  [[nodiscard]] Status check_defining() const {
    if (closed) return error(Code::kWrongOrder, "the writer is closed");
    if (!defined) return {};
    return error(Code::kWrongOrder, "definitions and attributes must come before the first end_step");
  }

  /// Keeps the first error of a local call for the next collective one.
  template <class T>
  T remember(T result) {
    const Status status = status_of(result);
    if (local.ok() && !status.ok()) local = status;
    return result;
  }

  void set_stream(void* of_program) { stream = of_program; }

  void fail(const Status& reason) {
    if (local.ok()) local = guarded("fail", [&] { return reason; });
  }

  Status put_attribute(Attributes* attributes, const std::string& name, AttributeValue value) {
    ESKER_RETURN_IF_ERROR(check_defining());
    ESKER_RETURN_IF_ERROR(remember(check_attribute(name, value)));
    (*attributes)[name] = std::move(value);
    return {};
  }

  Status begin_step(double time) {
    if (closed) return error(Code::kWrongOrder, "begin_step: the writer is closed");
    if (input) return error(Code::kWrongOrder, "begin_step: step {} is still open", counted(input->step));
    if (!std::isfinite(time))
      return error(Code::kInvalidArgument, "begin_step: time {} is not a finite number", time);
    const auto& times = pipeline->times();
    if (!times.empty() && time <= times.back()) {
      return error(Code::kInvalidArgument,
                   "begin_step: time {} does not follow {}, the time of the previous step", time,
                   times.back());
    }
    ESKER_ASSIGN_OR_RETURN(const double stored, as_stored(time));
    input.emplace();
    put_last_on_grid.clear();
    input->step = static_cast<Index>(times.size());
    input->time = stored;
    input->patches.resize(schema.fields().size());
    return {};
  }

  /// The time as a value of the type that times have.
  [[nodiscard]] Result<double> as_stored(double time) const {
    if (schema.time_name().empty() && (time != 0 || !pipeline->times().empty())) {
      return error(Code::kInvalidArgument,
                   "begin_step: a dataset without times has one step, at time 0; time {} was given", time);
    }
    const auto typed = to_type(std::vector{time}, schema.time_type());
    if (typed.ok()) return to_reals(*typed).front();
    return error(Code::kInvalidArgument, "begin_step: time {} does not fit the type of the times, {}", time,
                 name(schema.time_type()));
  }

  Status put(FieldId id, std::optional<int> level, const Patch& patch) {
    ESKER_ASSIGN_OR_RETURN(const Field* field, field_to_put("put", id));
    const auto checked = [&]() -> Status {
      if (patch.type == field->type) return check_patch(*field, level, patch);
      return error(Code::kInvalidArgument,
                   "expected a patch of type {}, found {}; put_buffered converts types", name(field->type),
                   name(patch.type));
    };
    ESKER_RETURN_IF_ERROR(checked().with_context("put '" + field->name + "'"));
    Patch found = with_components(patch);
    if (!patch.box.empty()) {
      ESKER_RETURN_IF_ERROR(
          pipeline->device_patches().find(found, stream).with_context("put '" + field->name + "'"));
    }
    add(id.index, level, found);
    return {};
  }

  /// Adds a patch that has been checked to the open step.
  void add(int field, std::optional<int> level, const Patch& patch) {
    if (patch.box.empty()) return;
    if (level) {
      input->mesh_patches.resize(schema.fields().size());
      input->mesh_patches[field].push_back({*level, patch});
      return;
    }
    PatchList& patches = input->patches[field];
    if (patches.empty()) patches.expect(probable_boxes(field));
    patches.push_back(patch);
    put_last_on_grid[schema.fields()[field].grid] = field;
  }

  /// The boxes of the last field put on this grid, or of this field in the step before.
  [[nodiscard]] PatchBoxes probable_boxes(int field) {
    const auto last = put_last_on_grid.find(schema.fields()[field].grid);
    if (last != put_last_on_grid.end()) return input->patches[last->second].boxes();
    boxes_before.resize(schema.fields().size());
    return boxes_before[field];
  }

  /// Fields of a grid that turn out to have equal boxes share them, also with the next step.
  Status share_boxes() {
    if (!input) return {};
    std::map<int, PatchBoxes> of_grid;
    for (std::size_t f = 0; f < input->patches.size(); ++f) {
      PatchList& patches = input->patches[f];
      if (patches.empty()) continue;
      PatchBoxes& before = of_grid[schema.fields()[f].grid];
      if (before == patches.boxes()) patches.share(before);
      before = patches.boxes();
      boxes_before.resize(schema.fields().size());
      boxes_before[f] = patches.boxes();
    }
    return {};
  }

  Status put_buffered(FieldId id, std::optional<int> level, const Patch& patch) {
    ESKER_ASSIGN_OR_RETURN(const Field* field, field_to_put("put_buffered", id));
    const auto copy = [&]() -> Status {
      ESKER_RETURN_IF_ERROR(check_patch(*field, level, patch));
      if (field->stored_bits > 0 && patch.type != field->type) {
        return error(Code::kInvalidArgument,
                     "the field has stored_bits: expected a patch of type {}, found {}", name(field->type),
                     name(patch.type));
      }
      if (patch.box.empty()) return {};
      ESKER_RETURN_IF_ERROR(check_room(buffered_bytes(*field, patch)));
      ESKER_ASSIGN_OR_RETURN(BufferedPatch copied, copy_of(*field, with_components(patch)));
      add(id.index, level, copied.patch);
      input->copied_bytes += buffered_bytes(*field, patch);
      input->copies.push_back(std::move(copied.memory));
      return {};
    };
    return copy().with_context("put_buffered '" + field->name + "'");
  }

  /// A copy in the type of the field.
  Result<BufferedPatch> copy_of(const Field& field, Patch patch) {
    DevicePatches& devices = pipeline->device_patches();
    ESKER_RETURN_IF_ERROR(devices.find(patch, stream));
    if (!patch.is_on_device) {
      ESKER_RETURN_IF_ERROR(devices.finish_streams());
      return copy_patch(field, patch);
    }
    if (patch.type != field.type) {  // two copies, for a moment
      Field as_put = field;
      as_put.type = patch.type;
      ESKER_RETURN_IF_ERROR(check_room(buffered_bytes(field, patch) + buffered_bytes(as_put, patch)));
    }
    ESKER_ASSIGN_OR_RETURN(BufferedPatch on_host, devices.copy_to_host(patch, field.components));
    if (patch.type == field.type) return on_host;
    return copy_patch(field, on_host.patch);
  }

  Status keep(KeepCall call) {
    if (!input) return error(Code::kWrongOrder, "keep: no step is open");
    const auto num_grids = static_cast<int>(schema.grids().size());
    if (call.grid < 0 || call.grid >= num_grids) {
      return error(Code::kInvalidArgument, "keep: no grid has the handle {}", counted(call.grid));
    }
    const std::string where = call.field < 0 ? "keep grid '" + schema.grids()[call.grid].name + "'"
                                             : "keep '" + schema.fields()[call.field].name + "'";
    ESKER_RETURN_IF_ERROR(check_rule(schema, call).with_context(where));
    if (schema.grids()[call.grid].mesh) {
      return error(Code::kInvalidArgument, "{}: a mesh keeps what its patches have", where);
    }
    if (call.rule.levels.data != nullptr) {
      Patch levels = call.rule.levels;
      ESKER_RETURN_IF_ERROR(pipeline->device_patches().find(levels, stream).with_context(where));
      if (levels.is_on_device)
        return error(Code::kUnsupported, "{}: levels must be in memory of the host, found that of a GPU",
                     where);
    }
    input->keep.push_back(std::move(call));
    return {};
  }

  Status keep_field(FieldId id, const KeepRule& rule) {
    ESKER_ASSIGN_OR_RETURN(const Field* field, field_to_put("keep", id));
    return keep({field->grid, id.index, rule});
  }

  /// The field, for a put in the open step.
  Result<const Field*> field_to_put(const char* operation, FieldId id) {
    if (!input) return error(Code::kWrongOrder, "{}: no step is open", operation);
    if (id.index < 0 || id.index >= static_cast<int>(schema.fields().size())) {
      return error(Code::kInvalidArgument, "{}: no field has the handle {}", operation, counted(id.index));
    }
    input->patches.resize(schema.fields().size());
    return &schema.fields()[id.index];
  }

  static Patch with_components(Patch patch) {
    if (patch.component_stride_bytes == 0) patch.component_stride_bytes = size_bytes(patch.type);
    return patch;
  }

  /// Whether the step may keep this many additional bytes.
  [[nodiscard]] Status check_room(Index bytes) const {
    const Index needed = input->copied_bytes + bytes;
    if (needed <= pipeline->most_copied_bytes()) return {};
    return error(Code::kOutOfMemory,
                 "the copies of this step need {} bytes, but half of memory_budget is {}; set memory_budget "
                 "to {} bytes, or use put with memory that stays valid until end_step",
                 needed, pipeline->most_copied_bytes(), 2 * needed);
  }

  /// All but its type.
  [[nodiscard]] Status check_patch(const Field& field, std::optional<int> level, const Patch& patch) const {
    const std::optional<Mesh>& mesh = schema.grids()[field.grid].mesh;
    ESKER_RETURN_IF_ERROR(check_level(mesh, level));
    const Box grid = mesh ? mesh->domain(*level) : schema.box_of(schema.grids()[field.grid]);
    if (patch.box.rank != grid.rank) {
      return error(Code::kInvalidArgument, "the patch {} has {} axes, the grid has {}", patch.box.to_string(),
                   patch.box.rank, grid.rank);
    }
    if (!is_due(field, input->step)) {
      return error(Code::kWrongOrder, "the field is not due at step {} ({})", counted(input->step),
                   field.fixed ? fmt::format("fixed: put in step {}", counted(0))
                               : fmt::format("every {} steps", field.every));
    }
    if (patch.box.empty()) return {};
    if (!grid.contains(patch.box)) {
      return error(Code::kOutOfRange, "the patch {} exceeds the {} {}", patch.box.to_string(),
                   mesh ? fmt::format("level {},", *level) : "grid", grid.to_string());
    }
    if (patch.is_coarser()) {
      return error(Code::kInvalidArgument,
                   "Patch::repeat is for meshes, which set it: put the patch at a level");
    }
    if (patch.data == nullptr) {
      return error(Code::kInvalidArgument, "the patch {} has no data: its pointer is NULL",
                   patch.box.to_string());
    }
    return check_memory(with_components(patch), field.components);
  }

  static Status check_level(const std::optional<Mesh>& mesh, std::optional<int> level) {
    if (!mesh && !level) return {};
    if (!mesh) return error(Code::kInvalidArgument, "level {}: the field is not on a mesh", *level);
    if (!level) {
      return error(Code::kInvalidArgument, "the field is on a mesh: put its patches with a level");
    }
    if (*level >= 0 && *level < mesh->num_levels()) return {};
    return error(Code::kOutOfRange, "level {}, the mesh has 0 to {}", *level, mesh->num_levels() - 1);
  }

  Status end_step(bool later) {
    if (closed) return error(Code::kWrongOrder, "end_step: the writer is closed");
    if (!input && local.ok()) local = error(Code::kWrongOrder, "end_step: no step is open");
    ESKER_RETURN_IF_ERROR(define_once());
    (void)remember(guarded("end_step", [&] { return share_boxes(); }));
    StepInput ended = input ? std::move(*input) : StepInput();
    input.reset();
    ended.patches.resize(schema.fields().size());  // fields may have been defined since begin_step
    ended.status = take_local();
    return pipeline->write_step(std::move(ended), later);
  }

  Status flush() {
    if (closed) return error(Code::kWrongOrder, "flush: the writer is closed");
    Status status = pipeline->flush();
    drop_if_misnumbered();
    return status;
  }

  /// A step that was begun after one that failed has to be begun again.
  void drop_if_misnumbered() {
    if (input && input->step != static_cast<Index>(pipeline->times().size())) input.reset();
  }

  Result<RunReport> report() {
    auto report = pipeline->report();
    drop_if_misnumbered();
    return report;
  }

  Status rewind(double time) {
    if (closed) return error(Code::kWrongOrder, "rewind: the writer is closed");
    if (input && local.ok())
      local = error(Code::kWrongOrder, "rewind: step {} is open", counted(input->step));
    if (std::isnan(time) && local.ok()) local = error(Code::kInvalidArgument, "rewind: time is not a number");
    ESKER_RETURN_IF_ERROR(define_once());
    return pipeline->rewind(take_local(), time);
  }

  Status close() {
    if (closed) return {};
    Status status, mismatch;
    if (!defined && !schema.fields().empty()) status = define_once();
    // Ranks that define nothing more may be in other calls; all ranks learn of that at the next collective
    // call.
    if (status.code() == Code::kMismatchedCall) std::swap(status, mismatch);
    Status ended = pipeline->close(take_local(), std::move(mismatch));
    closed = true;
    input.reset();
    return status.ok() ? ended : status;
  }

  // The definitions are not agreed on first: the ranks may be in any call, and only share the dataset.
  Status abandon(const Status& reason, double patience_s) {
    (void)remember(reason);
    const Status first = take_local();
    input.reset();
    if (closed) return {};
    closed = true;
    return pipeline->abandon(first, patience_s);
  }

  std::unique_ptr<WritePipeline> pipeline;
  Schema schema;
  bool closed = false;
  const int exceptions = std::uncaught_exceptions();  ///< in flight at construction

 private:
  static Status status_of(const Status& status) { return status; }
  template <class T>
  static Status status_of(const Result<T>& result) {
    return result.status();
  }

  Status take_local() { return std::exchange(local, Status()); }

  /// Collective: the definitions become final with the first end_step that gets this far.
  Status define_once() {
    if (defined) return {};
    Status status = pipeline->define(local, schema);
    defined = status.ok();
    if (!defined) {
      input.reset();
      local = Status();
    }
    return status;
  }

  bool defined;
  Status local;
  std::optional<StepInput> input;
  void* stream = nullptr;                // in which the program fills patches on a device
  std::map<int, int> put_last_on_grid;   // of the open step
  std::vector<PatchBoxes> boxes_before;  // [field], when it was put last
};

namespace {

/// `opening` calls WritePipeline::create or append. Collective.
template <class Opening>
Result<std::unique_ptr<Writer::Impl>> open_impl(const Opening& opening, const std::string& path,
                                                const Communicator& comm, const Result<Options>& options) {
  std::shared_ptr<Store> store;  // the opening reports to all ranks if there is none
  (void)guarded("open", [&] {
    store = posix_store();
    return Status();
  });
  ESKER_ASSIGN_OR_RETURN(auto pipeline, opening(comm.get(), store, path, options));
  std::unique_ptr<Writer::Impl> impl;
  ESKER_RETURN_IF_ERROR(all_do(*comm.get(), "open", [&] {
    impl = std::make_unique<Writer::Impl>(std::move(pipeline));
    return Status();
  }));
  return impl;
}

}  // namespace

Result<Writer> Writer::create(const std::string& path, const Communicator& comm,
                              const Result<Options>& options) {
  const auto opening = [](auto&&... arguments) { return WritePipeline::create(arguments...); };
  ESKER_ASSIGN_OR_RETURN(auto impl, open_impl(opening, path, comm, options));
  return Writer(std::move(impl));
}

Result<Writer> Writer::append(const std::string& path, const Communicator& comm,
                              const Result<Options>& options) {
  const auto opening = [](auto&&... arguments) { return WritePipeline::append(arguments...); };
  ESKER_ASSIGN_OR_RETURN(auto impl, open_impl(opening, path, comm, options));
  return Writer(std::move(impl));
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

// The text of the exception is not known here: it is in flight, and not caught yet. The other ranks may wait
// for this one in a call of another writer that the exception has not reached yet.
Writer::~Writer() {
  if (!impl_ || impl_->closed || std::uncaught_exceptions() <= impl_->exceptions) return;
  constexpr double kPatience = 5;  // short: a rank that leaves does not learn the reason
  (void)guarded("abandon", [this] {
    return impl_->abandon({Code::kCancelled, "an exception left the writer's scope"}, kPatience);
  });
}

Result<DimId> Writer::def_dim(const std::string& name, Index size) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.add_dim(name, size));
}

Result<GridId> Writer::def_grid(const std::string& name, const std::vector<DimId>& dims) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.add_grid(name, dims));
}

Result<GridId> Writer::def_mesh(const std::string& name, const Mesh& mesh) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  const auto check = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(mesh.check());
    return impl_->pipeline->check_mesh(mesh);
  };
  ESKER_RETURN_IF_ERROR(impl_->remember(check().with_context("mesh '" + name + "'")));
  return impl_->remember(impl_->schema.add_mesh(name, mesh));
}

Status Writer::def_nested(GridId mesh) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_nested(mesh).with_context("def_nested"));
}

Status Writer::def_coords(GridId grid, const std::string& dim, std::vector<double> values) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_coords(grid, dim, std::move(values)));
}

Status Writer::def_coords(GridId grid, const std::string& dim, Numbers values) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_coords(grid, dim, std::move(values)));
}

Status Writer::def_time(const std::string& name, SampleType type) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_time(name, type));
}

Result<ScalarId> Writer::def_scalar(const std::string& name, AttributeValue value) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.add_scalar({name, std::move(value), {}}));
}

Result<FieldId> Writer::def_field(GridId grid, const std::string& name, SampleType type,
                                  const FieldOptions& options) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.add_field(Field{name,
                                                       grid.index,
                                                       type,
                                                       options.components,
                                                       options.fixed,
                                                       options.every,
                                                       {},
                                                       options.compression,
                                                       options.stored_bits}));
}

Status Writer::def_stored_bits(FieldId field, int bits) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_stored_bits(field, bits));
}

Status Writer::def_compression(FieldId field, const std::string& compression) {
  ESKER_RETURN_IF_ERROR(impl_->check_defining());
  return impl_->remember(impl_->schema.set_compression(field, compression));
}

Status Writer::put_att(const std::string& name, AttributeValue value) {
  return impl_->put_attribute(&impl_->schema.attributes(), name, std::move(value));
}

Status Writer::put_time_att(const std::string& name, AttributeValue value) {
  return impl_->put_attribute(&impl_->schema.time_attributes(), name, std::move(value));
}

Status Writer::put_att(DimId dim, const std::string& name, AttributeValue value) {
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, impl_->remember(impl_->schema.attributes_of(dim)));
  return impl_->put_attribute(attributes, name, std::move(value));
}

Status Writer::put_att(GridId grid, const std::string& name, AttributeValue value) {
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, impl_->remember(impl_->schema.attributes_of(grid)));
  return impl_->put_attribute(attributes, name, std::move(value));
}

Status Writer::put_att(FieldId field, const std::string& name, AttributeValue value) {
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, impl_->remember(impl_->schema.attributes_of(field)));
  return impl_->put_attribute(attributes, name, std::move(value));
}

Status Writer::put_att(ScalarId scalar, const std::string& name, AttributeValue value) {
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, impl_->remember(impl_->schema.attributes_of(scalar)));
  return impl_->put_attribute(attributes, name, std::move(value));
}

Result<FieldId> Writer::field(const std::string& name) const {
  const auto& fields = schema().fields();
  std::string known;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name == name) return FieldId{static_cast<int>(f)};
    known += (known.empty() ? "" : ", ") + fields[f].name;
  }
  return error(Code::kNotFound, "no field '{}'; available: {}", name, known);
}

Status Writer::rewind(double time) {
  return guarded("rewind", [&] { return impl_->rewind(time); });
}
Status Writer::begin_step(double time) {
  return impl_->remember(guarded("begin_step", [&] { return impl_->begin_step(time); }));
}
Status Writer::put(FieldId field, const Patch& patch) {
  return impl_->remember(guarded("put", [&] { return impl_->put(field, std::nullopt, patch); }));
}
Status Writer::put(FieldId field, int level, const Patch& patch) {
  return impl_->remember(guarded("put", [&] { return impl_->put(field, level, patch); }));
}
Status Writer::put_buffered(FieldId field, const Patch& patch) {
  return impl_->remember(
      guarded("put_buffered", [&] { return impl_->put_buffered(field, std::nullopt, patch); }));
}
Status Writer::put_buffered(FieldId field, int level, const Patch& patch) {
  return impl_->remember(guarded("put_buffered", [&] { return impl_->put_buffered(field, level, patch); }));
}
Status Writer::keep(GridId grid, const KeepRule& rule) {
  return impl_->remember(guarded("keep", [&] { return impl_->keep({grid.index, -1, rule}); }));
}
Status Writer::keep(FieldId field, const KeepRule& rule) {
  return impl_->remember(guarded("keep", [&] { return impl_->keep_field(field, rule); }));
}
Status Writer::end_step() {
  return guarded("end_step", [&] { return impl_->end_step(false); });
}
Status Writer::end_step_async() {
  return guarded("end_step_async", [&] { return impl_->end_step(true); });
}
Status Writer::flush() {
  return guarded("flush", [&] { return impl_->flush(); });
}
void Writer::fail(const Status& reason) { impl_->fail(reason); }
void Writer::set_stream(void* stream) { impl_->set_stream(stream); }
Status Writer::close() {
  return guarded("close", [&] { return impl_->close(); });
}
Status Writer::abandon(const Status& reason) {
  return guarded("abandon", [&] { return impl_->abandon(reason, WritePipeline::kPatience); });
}

const Schema& Writer::schema() const { return impl_->schema; }
Index Writer::num_steps() const { return static_cast<Index>(impl_->pipeline->times().size()); }

const std::vector<double>& Writer::steps() const { return impl_->pipeline->times(); }

const StepReport& Writer::last_step() const {
  static const StepReport kNone;
  const auto& steps = impl_->pipeline->steps();
  return steps.empty() ? kNone : steps.back();
}

Result<std::string> Writer::report_text() const {
  ESKER_ASSIGN_OR_RETURN(const RunReport report, impl_->report());
  return report_to_text(report);
}

Result<std::string> Writer::report_json() const {
  ESKER_ASSIGN_OR_RETURN(const RunReport report, impl_->report());
  return report_to_json(report);
}

}  // namespace esker
