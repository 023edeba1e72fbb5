// esker._core: bindings of the C++ library. The Python files of the package implement the public API on top.
//
// Axes are in the library's order (x first) here; esker/dataset reverses them. Long calls release the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dlpack.h"
#include "errors.h"
#include "esker/dataset.hpp"
#include "esker/esker.h"
#include "esker/types/sample_type.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "esker/version.h"
#include "names.h"
#include "planning.h"
#include "query.h"
#include "reader.h"
#include "reading.h"
#include "source.h"
#include "values.h"
#include "verification.h"
#include "viewing.h"
#include "writer.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using esker::Code;
using esker::Index;
using esker::python::BoxCorners;
using esker::python::corners;
using esker::python::first;
using esker::python::Indices;
using esker::python::to_python;

esker::Dataset open_dataset(const std::string& path, bool verify, int threads, Index cache_bytes,
                            nb::object files) {
  const esker::OpenOptions options{verify, threads, cache_bytes,
                                   esker::python::make_source(std::move(files))};
  const nb::gil_scoped_release release;
  return esker::python::value_or_no_dataset(esker::Dataset::open(path, options));
}

constexpr const char* kAttributes = "def attributes(self) -> dict[str, " ESKER_PYTHON_VALUE "]";

/// Dimension name to coordinates, with their stored types.
nb::dict coords_of(const esker::Grid& grid) {
  nb::dict coords;
  for (const auto& [dim, values] : grid.coords) {
    const auto typed = grid.typed_coords.find(dim);
    coords[nb::str(dim.c_str())] =
        to_python(typed == grid.typed_coords.end() ? esker::Numbers(values) : typed->second);
  }
  return coords;
}

/// (extent, ratios, at nodes, origin, spacing, nested), x first.
using MeshFacts = std::tuple<std::vector<esker::Index>, std::vector<std::vector<esker::Index>>, bool,
                             std::vector<double>, std::vector<double>, bool>;

std::optional<MeshFacts> mesh_of(const esker::Grid& grid) {
  if (!grid.mesh) return std::nullopt;
  const auto per_axis = [&](const auto& values) {
    return std::vector(values.begin(), values.begin() + grid.mesh->rank());
  };
  std::vector<std::vector<esker::Index>> ratios;
  for (const esker::Point& ratio : grid.mesh->ratios) ratios.push_back(per_axis(ratio));
  return MeshFacts{per_axis(grid.mesh->extent),
                   ratios,
                   grid.mesh->centering == esker::Centering::kNodes,
                   per_axis(grid.mesh->origin),
                   per_axis(grid.mesh->spacing),
                   grid.mesh->nested};
}

void bind_schema(nb::module_& m) {
  nb::class_<esker::Dimension>(m, "Dimension")
      .def_ro("name", &esker::Dimension::name)
      .def_ro("size", &esker::Dimension::size)
      .def_ro("implicit", &esker::Dimension::implicit)
      .def_prop_ro(
          "attributes", [](const esker::Dimension& d) { return to_python(d.attributes); },
          nb::sig(kAttributes));
  nb::class_<esker::Grid>(m, "Grid")
      .def_ro("name", &esker::Grid::name)
      .def_ro("dims", &esker::Grid::dims)
      .def_prop_ro("mesh", &mesh_of,
                   "Extent, ratios, whether at nodes, origin, spacing, nested; x first. Or None.")
      .def_prop_ro("coords", &coords_of, nb::sig("def coords(self) -> dict[str, " ESKER_PYTHON_NUMBERS "]"))
      .def_prop_ro(
          "attributes", [](const esker::Grid& g) { return to_python(g.attributes); }, nb::sig(kAttributes));
  nb::class_<esker::Scalar>(m, "Scalar")
      .def_ro("name", &esker::Scalar::name)
      .def_prop_ro(
          "value", [](const esker::Scalar& s) { return to_python(s.value); },
          nb::sig("def value(self) -> " ESKER_PYTHON_VALUE))
      .def_prop_ro(
          "attributes", [](const esker::Scalar& s) { return to_python(s.attributes); }, nb::sig(kAttributes));
  nb::class_<esker::Field>(m, "Field")
      .def_ro("name", &esker::Field::name)
      .def_ro("grid", &esker::Field::grid)
      .def_prop_ro("type", [](const esker::Field& f) { return std::string(esker::name(f.type)); })
      .def_ro("components", &esker::Field::components)
      .def_ro("fixed", &esker::Field::fixed)
      .def_ro("every", &esker::Field::every)
      .def_ro("compression", &esker::Field::compression)
      .def_ro("stored_bits", &esker::Field::stored_bits)
      .def_prop_ro(
          "attributes", [](const esker::Field& f) { return to_python(f.attributes); }, nb::sig(kAttributes));
}

void bind_storage(nb::module_& m) {
  nb::class_<esker::PartInfo>(m, "Part")
      .def_ro("name", &esker::PartInfo::name)
      .def_ro("path", &esker::PartInfo::path)
      .def_ro("fields", &esker::PartInfo::fields)
      .def_prop_ro("box", [](const esker::PartInfo& p) { return corners(p.box); })
      .def_ro("bitmask", &esker::PartInfo::bitmask)
      .def_ro("bits_per_block", &esker::PartInfo::bits_per_block)
      .def_ro("blocks_per_file", &esker::PartInfo::blocks_per_file)
      .def_ro("num_blocks", &esker::PartInfo::num_blocks)
      .def_ro("num_steps", &esker::PartInfo::num_steps)
      .def_ro("local_partitions", &esker::PartInfo::local_partitions)
      .def_ro("hybrid_bricks", &esker::PartInfo::hybrid_bricks)
      .def_ro("has_checksums", &esker::PartInfo::has_checksums);
  nb::class_<esker::StorageInfo>(m, "Storage")
      .def_ro("files", &esker::StorageInfo::files)
      .def_ro("bytes", &esker::StorageInfo::bytes);
  nb::class_<esker::FieldErrors>(m, "FieldErrors")
      .def_ro("largest", &esker::FieldErrors::largest)
      .def_ro("rms", &esker::FieldErrors::rms);
  nb::class_<esker::StoredSamples>(m, "StoredSamples")
      .def_ro("primary", &esker::StoredSamples::primary)
      .def_ro("secondary", &esker::StoredSamples::secondary)
      .def_ro("padding", &esker::StoredSamples::padding)
      .def_ro("blocks", &esker::StoredSamples::blocks);
}

void bind_dataset(nb::module_& m) {
  using esker::Dataset;
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Dataset> dataset(m, "Dataset");
  dataset.def_prop_ro("dims", [](const Dataset& d) { return d.schema().dims(); })
      .def_prop_ro("grids", [](const Dataset& d) { return d.schema().grids(); })
      .def_prop_ro("fields", [](const Dataset& d) { return d.schema().fields(); })
      .def_prop_ro("scalars", [](const Dataset& d) { return d.schema().scalars(); })
      .def_prop_ro(
          "attributes", [](const Dataset& d) { return to_python(d.schema().attributes()); },
          nb::sig(kAttributes))
      .def_prop_ro(
          "time_attributes", [](const Dataset& d) { return to_python(d.schema().time_attributes()); },
          nb::sig("def time_attributes(self) -> dict[str, " ESKER_PYTHON_VALUE "]"))
      .def_prop_ro("time_name", [](const Dataset& d) { return d.schema().time_name(); })
      .def_prop_ro("time_type", [](const Dataset& d) { return std::string(name(d.schema().time_type())); })
      .def_prop_ro("steps", [](const Dataset& d) { return d.steps(); })
      .def_prop_ro("parts", [](const Dataset& d) { return d.parts(); })
      .def_prop_ro("warnings", [](const Dataset& d) { return d.warnings(); })
      .def(
          "storage", [](const Dataset& d) { return d.storage().value(); }, Release())
      .def(
          "has",
          [](const Dataset& d, const std::string& field, Index step) { return d.has(field, step).value(); },
          "field"_a, "step"_a)
      .def(
          "errors",
          [](const Dataset& d, const std::string& field, Index step) {
            return d.errors(field, step).value();
          },
          "field"_a, "step"_a, Release())
      .def(
          "stored_samples",
          [](const Dataset& d, const std::string& field, Index step) {
            return d.stored_samples(field, step).value();
          },
          "field"_a, "step"_a)
      .def(
          "patches",
          [](const Dataset& d, const std::string& field, Index step) {
            std::vector<std::tuple<int, std::vector<Index>, std::vector<Index>>> found;
            const std::vector<esker::MeshBox> patches = d.patches(field, step).value();
            for (const esker::MeshBox& patch : patches) {
              const auto [lo, hi] = corners(patch.box);
              found.emplace_back(patch.level, lo, hi);
            }
            return found;
          },
          "field"_a, "step"_a)
      .def(
          "level_covers",
          [](const Dataset& d, const std::string& field, Index step) {
            std::vector<std::tuple<Index, Index, Index>> found;
            const std::vector<esker::LevelCover> covers = d.level_covers(field, step).value();
            for (const esker::LevelCover& cover : covers) {
              found.emplace_back(cover.patches, cover.samples, cover.covered);
            }
            return found;
          },
          "field"_a, "step"_a)
      .def(
          "largest_errors",
          [](const Dataset& d, const std::string& field) { return d.largest_errors(field).value(); },
          "field"_a, Release())
      .def(
          "has_whole_levels",
          [](const Dataset& d, const std::string& field) { return d.has_whole_levels(field).value(); },
          "field"_a)
      .def(
          "max_level", [](const Dataset& d, const std::string& field) { return d.max_level(field).value(); },
          "field"_a)
      .def(
          "box", [](const Dataset& d, const std::string& field) { return corners(d.box(field).value()); },
          "field"_a);
  esker::python::bind_reading(m, dataset);
}

}  // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(&esker::python::translate_error);
  bind_schema(m);
  bind_storage(m);
  bind_dataset(m);
  m.def("version", [] { return ESKER_VERSION; });
  m.def("build_facts", &esker_build_facts, "How the library was built: lines for people.");
  m.def("open", &open_dataset, "path"_a, "verify"_a = false, "threads"_a = 0,
        "cache_bytes"_a = esker::OpenOptions().cache_bytes, "files"_a = nb::none(),
        "`files`: an esker.integrations.remote.Files; None: local files.");
  esker::python::bind_options(m);
  esker::python::bind_writer(m);
  esker::python::bind_dlpack(m);
  esker::python::bind_reader(m);
  esker::python::bind_names(m);
  esker::python::bind_verification(m);
  esker::python::bind_planning(m);
  esker::python::bind_viewing(m);
}
