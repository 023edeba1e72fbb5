#include "reading.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "buffer.h"
#include "query.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

using StoredFlags = nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>;

/// Runs Python's signal handlers and calls the progress function, several times per second. An exception from
/// either ends the read.
class Progress {
 public:
  explicit Progress(nb::handle function) : function_(function) {}

  bool operator()(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (fraction < 1 && now - last_ < std::chrono::milliseconds(100)) return true;
    last_ = now;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!function_.is_none()) function_(fraction);
    return true;
  }

 private:
  nb::handle function_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

MissingBlocks missing_of(const std::optional<std::string>& name) {
  if (!name) return MissingBlocks::kAuto;
  if (*name == "fill") return MissingBlocks::kFill;
  if (*name == "nearest") return MissingBlocks::kNearest;
  if (*name == "linear") return MissingBlocks::kLinear;
  if (*name == "nan") return MissingBlocks::kNan;
  throw Error(Code::kInvalidArgument,
              "missing: expected None, 'fill', 'nan', 'nearest' or 'linear', found '" + *name + "'");
}

/// The samples and the level of a query.
struct Selection {
  Lattice samples;
  int level = 0;
};

Selection select(const Dataset& dataset, const std::string& field, Index step,
                 const std::optional<BoxCorners>& box, std::optional<int> level,
                 const std::optional<Indices>& stride, std::optional<int> mesh_level) {
  Query query = make_query(field, step, box, level, stride);
  query.mesh_level = mesh_level;
  return {dataset.select(query).value(), dataset.level_of(query).value()};
}

void read_into(const Dataset& dataset, const std::string& field, nb::handle out, Index step,
               const std::optional<BoxCorners>& box, std::optional<int> level,
               const std::optional<Indices>& stride, std::optional<int> bits, int start_level,
               const std::optional<std::string>& missing, const std::optional<StoredFlags>& is_stored,
               nb::object progress, ReadStatistics* statistics, std::optional<int> mesh_level) {
  Query query = make_query(field, step, box, level, stride);
  query.mesh_level = mesh_level;
  query.bits = bits;
  query.start_level = start_level;
  ReadOptions options;
  options.missing = missing_of(missing);
  options.progress = Progress(progress);
  options.statistics = statistics;
  const Output output(dataset, query, out);
  options.stream = output.stream;
  if (is_stored) {
    const Index samples = output.patch.box.num_samples();
    if (static_cast<Index>(is_stored->size()) != samples) {
      throw Error(Code::kInvalidArgument, "is_stored: expected " + std::to_string(samples) +
                                              " bytes, one per sample, found " +
                                              std::to_string(is_stored->size()));
    }
    options.is_stored = is_stored->data();
  }
  const nb::gil_scoped_release release;
  dataset.read(query, output.patch, options).check();
}

void levels_into(const Dataset& dataset, const std::string& field,
                 nb::ndarray<std::int8_t, nb::c_contig, nb::device::cpu> out, Index step,
                 const std::optional<BoxCorners>& box, std::optional<int> level,
                 const std::optional<Indices>& stride) {
  const Query query = make_query(field, step, box, level, stride);
  const nb::gil_scoped_release release;
  dataset.levels(query, out.data(), out.size()).check();
}

}  // namespace

void bind_reading(nb::module_& m, nb::class_<Dataset>& dataset) {
  nb::class_<ReadStatistics>(
      m, "ReadStatistics",
      "The cost of a read; `field.read(..., statistics=esker.ReadStatistics())` sets it.")
      .def(nb::init<>())
      .def_ro("blocks", &ReadStatistics::blocks, "Blocks that were read; 0 for files without blocks.")
      .def_ro("cached_blocks", &ReadStatistics::cached_blocks, "Blocks that were already in memory.")
      .def_ro("missing_blocks", &ReadStatistics::missing_blocks, "Blocks that the dataset does not store.")
      .def_ro("reads", &ReadStatistics::reads, "Calls to the file system, or to the HDF5 library.")
      .def_ro("bytes", &ReadStatistics::bytes, "Bytes read by these calls.")
      .def_ro("seconds", &ReadStatistics::seconds, "Elapsed time.")
      .def("__repr__", [](const ReadStatistics& s) {
        return nb::str(
                   "<esker.ReadStatistics {} bytes in {} reads, {} blocks, {} cached, {} missing, {:.3g} s>")
            .format(s.bytes, s.reads, s.blocks, s.cached_blocks, s.missing_blocks, s.seconds);
      });
  nb::class_<Selection>(m, "Selection")
      .def_prop_ro("origin", [](const Selection& s) { return first(s.samples.origin, s.samples.rank); })
      .def_prop_ro("stride", [](const Selection& s) { return first(s.samples.stride, s.samples.rank); })
      .def_prop_ro("count", [](const Selection& s) { return first(s.samples.count, s.samples.rank); })
      .def_ro("level", &Selection::level);
  dataset
      .def("select", &select, "field"_a, "step"_a, "box"_a = nb::none(), "level"_a = nb::none(),
           "stride"_a = nb::none(), "mesh_level"_a = nb::none())
      .def("read_into", &read_into, "field"_a, "out"_a, "step"_a, "box"_a = nb::none(),
           "level"_a = nb::none(), "stride"_a = nb::none(), "bits"_a = nb::none(), "start_level"_a = 0,
           "missing"_a = nb::none(), "is_stored"_a.noconvert() = nb::none(), "progress"_a = nb::none(),
           "statistics"_a = nb::none(), "mesh_level"_a = nb::none(),
           "Fills `out`, a NumPy array or a DeviceArray of exactly the selected samples. Releases the GIL.")
      .def("levels_into", &levels_into, "field"_a, "out"_a.noconvert(), "step"_a, "box"_a = nb::none(),
           "level"_a = nb::none(), "stride"_a = nb::none(),
           "Fills `out` with the finest level that is stored at the place of each selected sample.");
}

}  // namespace esker::python
