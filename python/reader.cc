#include "reader.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "buffer.h"
#include "errors.h"
#include "esker/reader.hpp"
#include "query.h"
#include "writer.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

Reader open_reader(const std::string& path, const OptionTexts& texts,
                   const std::optional<Communicator>& communicator, bool verify) {
  const nb::gil_scoped_release release;
  return value_or_no_dataset(Reader::open(path, communicator ? *communicator : Communicator::serial(),
                                          make_options(texts), {verify}));
}

void request(Reader& reader, const std::string& field, nb::handle out, Index step,
             const std::optional<BoxCorners>& box, std::optional<int> level, std::optional<int> bits,
             std::optional<int> mesh_level) {
  Query query = make_query(field, step, box, level);
  query.mesh_level = mesh_level;
  query.bits = bits;
  const Output output(reader.dataset(), query, out);
  reader.set_stream(output.stream);
  reader.request(query, output.patch).check();
}

}  // namespace

void bind_reader(nb::module_& m) {
  nb::class_<ReadReport>(m, "ReadReport")
      .def_ro("data_bytes", &ReadReport::data_bytes)
      .def_ro("loaded_bytes", &ReadReport::loaded_bytes)
      .def_ro("seconds", &ReadReport::seconds)
      .def_ro("aggregated", &ReadReport::aggregated)
      .def_ro("readers", &ReadReport::readers)
      .def_ro("most_loaded_bytes", &ReadReport::most_loaded_bytes)
      .def_ro("least_loaded_bytes", &ReadReport::least_loaded_bytes)
      .def_ro("buffer_bytes", &ReadReport::buffer_bytes)
      .def("__str__", &ReadReport::to_string);
  nb::class_<Reader>(m, "Reader", "The caller must keep requested arrays alive until read() returns.")
      .def_prop_ro("dataset", &Reader::dataset, nb::rv_policy::reference_internal)
      .def("request", &request, "field"_a, "out"_a, "step"_a, "box"_a = nb::none(), "level"_a = nb::none(),
           "bits"_a = nb::none(), "mesh_level"_a = nb::none(),
           "`out`: a NumPy array or a DeviceArray of exactly the selected samples.")
      .def(
          "fail", [](Reader& reader, nb::handle exception) { reader.fail(status_of_exception(exception)); },
          "exception"_a, "Makes the next read() fail on all ranks with the exception's message.")
      .def(
          "read", [](Reader& reader) { reader.read().check(); }, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("last_read", [](const Reader& reader) { return reader.last_read(); })
      .def(
          "tuning_json", [](const Reader& reader) { return reader.tuning_json().value(); },
          nb::call_guard<nb::gil_scoped_release>(), "Collective.");
  m.def("open_parallel", &open_reader, "path"_a, "options"_a = OptionTexts(), "communicator"_a = nb::none(),
        "verify"_a = false, "Collective.");
}

}  // namespace esker::python
