#include "verification.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <string>

#include "errors.h"
#include "esker/merge.hpp"
#include "esker/rebuild.hpp"
#include "esker/repair.hpp"
#include "esker/verify.hpp"
#include "query.h"
#include "source.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

void repair(const std::string& path, const std::optional<double>& to_time) {
  const Status repaired = esker::repair(path, to_time);
  if (repaired.code() == Code::kNotFound) throw NoSuchDataset(Code::kNotFound, repaired.message());
  repaired.check();
}

/// Calls `read`, which must outlive the result.
ReadOriginal original_of(nb::handle read) {
  return [read](const std::string& field, Index step, const Lattice& samples,
                std::span<std::byte> out) -> Result<bool> {
    const nb::gil_scoped_acquire gil;
    const auto memory = nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(out.data()),
                                                          static_cast<Py_ssize_t>(out.size()), PyBUF_WRITE));
    if (!memory.is_valid()) throw nb::python_error();
    return nb::cast<bool>(read(field, step, first(samples.origin, samples.rank),
                               first(samples.stride, samples.rank), first(samples.count, samples.rank),
                               memory));
  };
}

}  // namespace

void bind_verification(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Finding>(m, "Finding")
      .def_ro("is_error", &Finding::is_error)
      .def_ro("path", &Finding::path)
      .def_ro("text", &Finding::text);
  nb::class_<VerifyReport>(m, "VerifyReport")
      .def_ro("findings", &VerifyReport::findings)
      .def_ro("num_errors", &VerifyReport::num_errors)
      .def_ro("num_warnings", &VerifyReport::num_warnings)
      .def_ro("num_unreadable", &VerifyReport::num_unreadable)
      .def_ro("steps", &VerifyReport::steps)
      .def_ro("files", &VerifyReport::files)
      .def_ro("blocks", &VerifyReport::blocks)
      .def_ro("bytes", &VerifyReport::bytes)
      .def_ro("blocks_with_checksum", &VerifyReport::blocks_with_checksum)
      .def_ro("blocks_left_out", &VerifyReport::blocks_left_out)
      .def_ro("blocks_compared", &VerifyReport::blocks_compared);
  m.def(
      "verify",
      [](const std::string& path, const std::function<void(double)>& progress, nb::object files) {
        auto source = make_source(std::move(files));
        const nb::gil_scoped_release release;
        return value_or_no_dataset(verify(path, progress, std::move(source)));
      },
      "path"_a, "progress"_a.none(), "files"_a = nb::none());
  m.def(
      "verify_against",
      [](const std::string& path, const Dataset& original, const std::function<void(double)>& progress,
         nb::object files) {
        auto source = make_source(std::move(files));
        const nb::gil_scoped_release release;
        return value_or_no_dataset(verify_against(path, original, progress, std::move(source)));
      },
      "path"_a, "original"_a, "progress"_a.none(), "files"_a = nb::none());
  m.def(
      "verify_against",
      [](const std::string& path, const nb::callable& original, const std::function<void(double)>& progress,
         nb::object files) {
        auto source = make_source(std::move(files));
        const ReadOriginal read = original_of(original);
        const nb::gil_scoped_release release;
        return value_or_no_dataset(verify_against(path, read, progress, std::move(source)));
      },
      "path"_a, "original"_a, "progress"_a.none(), "files"_a = nb::none(),
      "`original(field, step, origin, stride, count, out)`: stores samples in the memory `out`; False if "
      "there are none.");
  nb::class_<MergeReport>(m, "MergeReport")
      .def_ro("steps", &MergeReport::steps)
      .def_ro("blocks", &MergeReport::blocks)
      .def_ro("bytes", &MergeReport::bytes);
  m.def(
      "merge", [](const std::string& path) { return value_or_no_dataset(merge(path)); }, "path"_a, Release());
  m.def("repair", &repair, "path"_a, "to_time"_a = nb::none(), Release());
  m.def(
      "renamed_idx",
      [](const std::string& path, const std::string& name) {
        return value_or_no_dataset(renamed_idx(path, name));
      },
      "path"_a, "name"_a, Release());
  m.def(
      "renamed_series",
      [](const std::string& path, const std::string& name) {
        return value_or_no_dataset(renamed_series(path, name));
      },
      "path"_a, "name"_a, Release());
  nb::class_<RebuildReport>(m, "RebuildReport")
      .def_ro("path", &RebuildReport::path)
      .def_ro("source", &RebuildReport::source)
      .def_ro("deduced", &RebuildReport::deduced)
      .def_ro("given_up", &RebuildReport::given_up)
      .def_ro("text", &RebuildReport::text)
      .def_ro("steps", &RebuildReport::steps)
      .def_ro("written", &RebuildReport::written)
      .def_ro("old_file", &RebuildReport::old_file);
  m.def(
      "rebuild",
      [](const std::string& path, const std::string& like, const std::vector<double>& times,
         int bits_per_block, Index blocks_per_file, bool write) {
        return value_or_no_dataset(rebuild_idx({path, like, times, bits_per_block, blocks_per_file, write}));
      },
      "path"_a, "like"_a, "times"_a, "bits_per_block"_a, "blocks_per_file"_a, "write"_a, Release());
}

}  // namespace esker::python
