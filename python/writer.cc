// The writer: arrays with any strides are written without a copy.
//
// An error is raised immediately on the rank where it occurs, and on all ranks by the next collective call.
// esker/writing/writer.py ensures that each rank makes that call.
#include "writer.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "buffer.h"
#include "errors.h"
#include "esker/writer.hpp"
#include "query.h"
#include "values.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {

Result<Options> make_options(const OptionTexts& texts) try {
  Result<Options> options = Options::load();
  for (const auto& [name, value] : texts) {
    if (!options.ok()) break;
    if (const Status status = options->set(name, value); !status.ok()) options = status;
  }
  return options;
} catch (const std::bad_alloc&) {
  return Status(Code::kOutOfMemory, "out of memory");
}

namespace {

/// A writer and the arrays of its open step.
struct StepWriter {
  Writer writer;
  std::vector<Buffer> held = {};
  std::vector<nb::object> held_on_device = {};
};

using Open = Result<Writer> (*)(const std::string&, const Communicator&, const Result<Options>&);

template <Open open>
StepWriter open_writer(const std::string& path, const OptionTexts& texts,
                       const std::optional<Communicator>& communicator) {
  const nb::gil_scoped_release release;
  return {value_or_no_dataset(
      open(path, communicator ? *communicator : Communicator::serial(), make_options(texts)))};
}

/// Ends a step with `ending` and releases its arrays, whether it succeeds or fails.
template <class Ending>
void end_step(StepWriter& w, const Ending& ending) {
  Status status;
  {
    const nb::gil_scoped_release release;
    status = ending();
  }
  w.held.clear();
  w.held_on_device.clear();
  status.check();
}

int def_grid(StepWriter& w, const std::string& name, const std::vector<int>& dims) {
  std::vector<DimId> ids;
  for (const int dim : dims) ids.push_back({dim});
  return w.writer.def_grid(name, ids).value().index;
}

/// The first values of each axis, x first.
template <class Value>
void copy_axes(const std::vector<Value>& values, const std::string& what, std::size_t rank,
               std::array<Value, kMaxRank>& axes) {
  if (values.size() != rank || rank > axes.size()) {
    throw Error(Code::kInvalidArgument, "mesh: " + what + ": expected " + std::to_string(rank) +
                                            " values, found " + std::to_string(values.size()));
  }
  std::copy(values.begin(), values.end(), axes.begin());
}

int def_mesh(StepWriter& w, const std::string& name, const std::vector<std::string>& axes,
             const std::vector<Index>& extent, const std::vector<std::vector<Index>>& ratios, bool at_nodes,
             const std::vector<double>& origin, const std::vector<double>& spacing, bool nested) {
  Mesh mesh;
  mesh.axes = axes;
  copy_axes(extent, "dims", axes.size(), mesh.extent);
  for (const std::vector<Index>& ratio : ratios) {
    copy_axes(ratio, "ratios", axes.size(), mesh.ratios.emplace_back());
  }
  if (at_nodes) mesh.centering = Centering::kNodes;
  copy_axes(origin, "origin", axes.size(), mesh.origin);
  copy_axes(spacing, "spacing", axes.size(), mesh.spacing);
  mesh.nested = nested;
  return w.writer.def_mesh(name, mesh).value().index;
}

int def_field(StepWriter& w, int grid, const std::string& name, const std::string& type, int components,
              bool fixed, int every, const std::string& compression, int stored_bits) {
  const auto parsed = parse_sample_type(type);
  if (!parsed.ok()) w.writer.fail(parsed.status());
  const FieldOptions options{components, fixed, every, compression, stored_bits};
  return w.writer.def_field({grid}, name, parsed.value(), options).value().index;
}

const Field& field_to_put(const StepWriter& w, int number) {
  const auto& fields = w.writer.schema().fields();
  if (number < 0 || number >= static_cast<int>(fields.size())) {
    throw Error(Code::kInvalidArgument, "put: no field with number " + std::to_string(number));
  }
  return fields[number];
}

/// What `make()` returns; errors name the field.
template <class Make>
Patch patch_of(const Field& field, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(error.code(), "put '" + field.name + "': " + error.what());
  }
}

void put_patch(StepWriter& w, int field_number, const Patch& patch, bool buffered, std::optional<int> level) {
  const FieldId id{field_number};
  if (buffered) {
    (level ? w.writer.put_buffered(id, *level, patch) : w.writer.put_buffered(id, patch)).check();
    return;
  }
  (level ? w.writer.put(id, *level, patch) : w.writer.put(id, patch)).check();
}

void put(StepWriter& w, int field_number, nb::handle array, const std::vector<Index>& offset, bool buffered,
         std::optional<int> level) {
  const Field& field = field_to_put(w, field_number);
  Buffer buffer(array);
  const Patch patch = patch_of(field, [&] { return buffer.patch(field, offset); });
  if (!buffered) w.held.push_back(std::move(buffer));
  put_patch(w, field_number, patch, buffered, level);
}

/// `array`: a DeviceArray of esker/base/device_arrays.py; `type`: NumPy's name.
void put_on_device(StepWriter& w, int field_number, nb::handle array, const std::string& type,
                   const std::vector<Index>& offset, bool buffered, std::optional<int> level) {
  const Field& field = field_to_put(w, field_number);
  const Patch patch =
      patch_of(field, [&] { return make_device_patch(field, array, named_type(type), offset); });
  if (!buffered) w.held_on_device.emplace_back(nb::borrow(array.attr("owner")));
  w.writer.set_stream(stream_of(array));
  put_patch(w, field_number, patch, buffered, level);
}

/// Values of a field, low and high.
using ValueRange = std::tuple<int, double, double>;

/// The rule's region is given by one of `boxes`, `values` and `levels`, or is everywhere.
void keep(StepWriter& w, int grid, int field, int level, const std::optional<std::vector<BoxCorners>>& boxes,
          const std::optional<ValueRange>& values, nb::handle levels, const std::vector<Index>& offset,
          Index dilate, bool drop_nan) {
  KeepRule rule = KeepRule::everywhere(level);
  if (boxes) {
    std::vector<Box> made;
    for (const BoxCorners& box : *boxes) made.push_back(make_box(box));
    rule = KeepRule::inside(std::move(made), level);
  } else if (values) {
    const auto& [number, low, high] = *values;
    rule = KeepRule::in_range(FieldId{number}, low, high, level);
  } else if (!levels.is_none()) {
    Field as_field;
    as_field.name = "levels";
    as_field.type = SampleType::kInt8;
    Buffer buffer(levels);
    rule = KeepRule::by_levels(buffer.patch(as_field, offset));
    w.held.push_back(std::move(buffer));
  }
  rule.dilate = dilate;
  rule.drop_nan = drop_nan;
  (field < 0 ? w.writer.keep(GridId{grid}, rule) : w.writer.keep(FieldId{field}, rule)).check();
}

void bind_definitions(nb::class_<StepWriter>& writer) {
  writer
      .def("def_dim", [](StepWriter& w, const std::string& name,
                         Index n) { return w.writer.def_dim(name, n).value().index; })
      .def("def_grid", &def_grid, "name"_a, "dims"_a)
      .def("def_mesh", &def_mesh, "name"_a, "axes"_a, "extent"_a, "ratios"_a, "at_nodes"_a, "origin"_a,
           "spacing"_a, "nested"_a, "All x first; `extent`: cells of the coarsest level.")
      .def(
          "def_coords",
          [](StepWriter& w, int grid, const std::string& dim, nb::handle values) {
            w.writer.def_coords({grid}, dim, to_numbers(values)).check();
          },
          "grid"_a, "dim"_a, "values"_a,
          nb::sig("def def_coords(self, grid: int, dim: str, values: " ESKER_PYTHON_NUMBERS ") -> None"))
      .def(
          "def_time",
          [](StepWriter& w, const std::string& name, const std::string& type) {
            w.writer.def_time(name, parse_sample_type(type).value()).check();
          },
          "name"_a, "type"_a)
      .def(
          "def_scalar",
          [](StepWriter& w, const std::string& name, nb::handle value) {
            return w.writer.def_scalar(name, to_attribute_value(value)).value().index;
          },
          "name"_a, "value"_a,
          nb::sig("def def_scalar(self, name: str, value: " ESKER_PYTHON_VALUE ") -> int"))
      .def("def_field", &def_field, "grid"_a, "name"_a, "type"_a, "components"_a = 1, "fixed"_a = false,
           "every"_a = 1, "compression"_a = "", "stored_bits"_a = 0)
      .def(
          "put_att",
          [](StepWriter& w, const std::string& name, nb::handle value) {
            w.writer.put_att(name, to_attribute_value(value)).check();
          },
          "name"_a, "value"_a, nb::sig("def put_att(self, name: str, value: " ESKER_PYTHON_VALUE ") -> None"))
      .def(
          "put_time_att",
          [](StepWriter& w, const std::string& name, nb::handle value) {
            w.writer.put_time_att(name, to_attribute_value(value)).check();
          },
          "name"_a, "value"_a,
          nb::sig("def put_time_att(self, name: str, value: " ESKER_PYTHON_VALUE ") -> None"))
      .def(
          "put_dim_att",
          [](StepWriter& w, int dim, const std::string& name, nb::handle value) {
            w.writer.put_att(DimId{dim}, name, to_attribute_value(value)).check();
          },
          "dim"_a, "name"_a, "value"_a,
          nb::sig("def put_dim_att(self, dim: int, name: str, value: " ESKER_PYTHON_VALUE ") -> None"))
      .def(
          "put_field_att",
          [](StepWriter& w, int field, const std::string& name, nb::handle value) {
            w.writer.put_att(FieldId{field}, name, to_attribute_value(value)).check();
          },
          "field"_a, "name"_a, "value"_a,
          nb::sig("def put_field_att(self, field: int, name: str, value: " ESKER_PYTHON_VALUE ") -> None"))
      .def(
          "put_scalar_att",
          [](StepWriter& w, int scalar, const std::string& name, nb::handle value) {
            w.writer.put_att(ScalarId{scalar}, name, to_attribute_value(value)).check();
          },
          "scalar"_a, "name"_a, "value"_a,
          nb::sig("def put_scalar_att(self, scalar: int, name: str, value: " ESKER_PYTHON_VALUE ") -> None"))
      .def("field",
           [](const StepWriter& w, const std::string& name) { return w.writer.field(name).value().index; })
      .def_prop_ro("time_name", [](const StepWriter& w) { return w.writer.schema().time_name(); })
      .def_prop_ro("dims", [](const StepWriter& w) { return w.writer.schema().dims(); })
      .def_prop_ro("grids", [](const StepWriter& w) { return w.writer.schema().grids(); })
      .def_prop_ro("fields", [](const StepWriter& w) { return w.writer.schema().fields(); });
}

void bind_steps(nb::class_<StepWriter>& writer) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  writer.def("begin_step", [](StepWriter& w, double time) { w.writer.begin_step(time).check(); })
      .def("put", &put, "field"_a, "array"_a, "offset"_a, "buffered"_a = false, "level"_a = nb::none(),
           "Keeps the array, (z, y, x[, component]), or a copy until the step ends; `offset` is x first.")
      .def("put_on_device", &put_on_device, "field"_a, "array"_a, "type"_a, "offset"_a, "buffered"_a = false,
           "level"_a = nb::none(), "The same for a DeviceArray; keeps its owner.")
      .def("keep", &keep, "grid"_a, "field"_a, "level"_a, "boxes"_a = nb::none(), "values"_a = nb::none(),
           "levels"_a = nb::none(), "offset"_a = std::vector<Index>(), "dilate"_a = 0, "drop_nan"_a = false,
           "Adds a rule for one field, or for all of the grid (field -1).")
      .def(
          "fail", [](StepWriter& w, nb::handle exception) { w.writer.fail(status_of_exception(exception)); },
          "exception"_a, "Makes the next collective call fail on all ranks with the exception's message.")
      .def(
          "end_step",
          [](StepWriter& w, bool wait) {
            end_step(w, [&] { return wait ? w.writer.end_step() : w.writer.end_step_async(); });
          },
          "wait"_a = true)
      .def(
          "flush", [](StepWriter& w) { w.writer.flush().check(); }, Release())
      .def(
          "rewind", [](StepWriter& w, double time) { w.writer.rewind(time).check(); }, Release())
      .def("close", [](StepWriter& w) { end_step(w, [&] { return w.writer.close(); }); })
      .def(
          "abandon",
          [](StepWriter& w, nb::handle exception) {
            const Status reason = status_of_exception(exception);
            end_step(w, [&] { return w.writer.abandon(reason); });
          },
          "exception"_a, "Ends the writer, whichever call the other ranks are in.")
      .def(
          "report_text", [](const StepWriter& w) { return w.writer.report_text().value(); }, Release())
      .def(
          "report_json", [](const StepWriter& w) { return w.writer.report_json().value(); }, Release())
      .def_prop_ro("num_steps", [](const StepWriter& w) { return w.writer.num_steps(); });
}

}  // namespace

void bind_writer(nb::module_& m) {
  nb::class_<Communicator>(m, "Communicator", "A group of ranks; `_mpi` converts an MPI communicator to one.")
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size);
  nb::class_<StepWriter> writer(m, "Writer", "Arrays are kept until the step ends.");
  bind_definitions(writer);
  bind_steps(writer);
  m.def("create", &open_writer<&Writer::create>, "path"_a, "options"_a = OptionTexts(),
        "communicator"_a = nb::none(), "Collective.");
  m.def("append", &open_writer<&Writer::append>, "path"_a, "options"_a = OptionTexts(),
        "communicator"_a = nb::none(), "Collective.");
}

}  // namespace esker::python
