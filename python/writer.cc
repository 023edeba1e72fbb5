// A writer of one process: arrays of any strides are written in place, without a copy.
#include "writer.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <vector>

#include "errors.h"
#include "esker/verify.hpp"
#include "esker/writer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using OptionTexts = std::map<std::string, std::string>;

/// A writer and the arrays that were put in its open step.
struct StepWriter {
  Writer writer;
  std::vector<Array> held = {};
};

Options make_options(const OptionTexts& texts) {
  Options options;
  for (const auto& [name, value] : texts) options.set(name, value).check();
  return options;
}

StepWriter create(const std::string& path, const OptionTexts& options) {
  return {Writer::create(path, Communicator::serial(), make_options(options)).value()};
}

StepWriter append(const std::string& path, const OptionTexts& options) {
  return {value_or_no_dataset(Writer::append(path, Communicator::serial(), make_options(options)))};
}

/// The step is over, well or not: its arrays are no longer needed.
void end_step(StepWriter& w) {
  Status status;
  {
    const nb::gil_scoped_release release;
    status = w.writer.end_step();
  }
  w.held.clear();
  status.check();
}

int def_grid(StepWriter& w, const std::string& name, const std::vector<int>& dims) {
  std::vector<DimId> ids;
  for (const int dim : dims) ids.push_back({dim});
  return w.writer.def_grid(name, ids).value().index;
}

int def_field(StepWriter& w, int grid, const std::string& name, const std::string& type, int components,
              bool fixed, int every) {
  return w.writer.def_field({grid}, name, parse_sample_type(type).value(), {components, fixed, every})
      .value()
      .index;
}

SampleType type_of(const Array& array) {
  const nb::dlpack::dtype dtype = array.dtype();
  const char* kind = dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)  ? "float"
                     : dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)  ? "int"
                     : dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ? "uint"
                                                                                             : "other";
  return parse_sample_type(kind + std::to_string(dtype.bits)).value();
}

/// `array` is (z, y, x), with a last axis for the components of a field that has several; `offset` x first.
void put(StepWriter& w, int field_number, const Array& array, const std::vector<Index>& offset) {
  const auto& fields = w.writer.schema().fields();
  if (field_number < 0 || field_number >= static_cast<int>(fields.size())) {
    throw Error(Code::kInvalidArgument, "put: no such field");
  }
  const bool has_components = fields[field_number].components > 1;
  const int rank = static_cast<int>(array.ndim()) - (has_components ? 1 : 0);
  if (rank != static_cast<int>(offset.size()) || rank < 1 || rank > kMaxRank ||
      (has_components && static_cast<int>(array.shape(rank)) != fields[field_number].components)) {
    throw Error(Code::kInvalidArgument, "put '" + fields[field_number].name +
                                            "': the array must have the grid's axes, slowest first, and then "
                                            "one for the components if there are several");
  }
  Patch patch;
  patch.type = type_of(array);
  patch.data = array.data();
  patch.box.rank = rank;
  const Index item_bytes = size_bytes(patch.type);
  for (int a = 0; a < rank; ++a) {
    const int axis = rank - 1 - a;
    constexpr Index kFarthest = Index{1} << 62;
    if (offset[a] < 0 || offset[a] > kFarthest)
      throw Error(Code::kOutOfRange, "put: the offset leaves the grid");
    patch.box.lo[a] = offset[a];
    patch.box.hi[a] = offset[a] + static_cast<Index>(array.shape(axis));
    patch.stride_bytes[a] = array.stride(axis) * item_bytes;
  }
  patch.component_stride_bytes = has_components ? array.stride(rank) * item_bytes : item_bytes;
  w.writer.put({field_number}, patch).check();
  w.held.push_back(array);
}

void repair(const std::string& path, const std::optional<double>& to_time) {
  Options options;
  options.report = "none";
  Writer writer = value_or_no_dataset(Writer::append(path, Communicator::serial(), options));
  if (to_time) writer.rewind(*to_time).check();
  writer.close().check();
}

}  // namespace

void bind_writer(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<StepWriter>(m, "Writer", "Collective calls of one process. Arrays are kept until end_step.")
      .def("def_dim", [](StepWriter& w, const std::string& name,
                         Index n) { return w.writer.def_dim(name, n).value().index; })
      .def("def_grid", &def_grid, "name"_a, "dims"_a)
      .def("def_field", &def_field, "grid"_a, "name"_a, "type"_a, "components"_a = 1, "fixed"_a = false,
           "every"_a = 1)
      .def("field",
           [](const StepWriter& w, const std::string& name) { return w.writer.field(name).value().index; })
      .def("components",
           [](const StepWriter& w, int field) { return w.writer.schema().fields().at(field).components; })
      .def("begin_step", [](StepWriter& w, double time) { w.writer.begin_step(time).check(); })
      .def("put", &put, "field"_a, "array"_a, "offset"_a)
      .def("end_step", &end_step)
      .def(
          "rewind", [](StepWriter& w, double time) { w.writer.rewind(time).check(); }, Release())
      .def(
          "close", [](StepWriter& w) { w.writer.close().check(); }, Release())
      .def_prop_ro("num_steps", [](const StepWriter& w) { return w.writer.num_steps(); });
  m.def("create", &create, "path"_a, "options"_a = OptionTexts());
  m.def("append", &append, "path"_a, "options"_a = OptionTexts());
  m.def("repair", &repair, "path"_a, "to_time"_a = nb::none(), Release());

  nb::class_<Finding>(m, "Finding")
      .def_ro("is_error", &Finding::is_error)
      .def_ro("path", &Finding::path)
      .def_ro("text", &Finding::text);
  nb::class_<VerifyReport>(m, "VerifyReport")
      .def_ro("findings", &VerifyReport::findings)
      .def_ro("num_errors", &VerifyReport::num_errors)
      .def_ro("num_warnings", &VerifyReport::num_warnings)
      .def_ro("steps", &VerifyReport::steps)
      .def_ro("files", &VerifyReport::files)
      .def_ro("blocks", &VerifyReport::blocks)
      .def_ro("bytes", &VerifyReport::bytes)
      .def_ro("blocks_with_checksum", &VerifyReport::blocks_with_checksum)
      .def_ro("blocks_left_out", &VerifyReport::blocks_left_out);
  m.def(
      "verify",
      [](const std::string& path, const std::function<void(double)>& progress) {
        return value_or_no_dataset(verify(path, progress));
      },
      "path"_a, "progress"_a.none(), Release());
}

}  // namespace esker::python
