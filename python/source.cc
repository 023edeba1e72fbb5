#include "source.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <utility>

#include "errors.h"

namespace nb = nanobind;

namespace esker::python {
namespace {

Status error_of(nb::python_error& raised, const std::string& path) {
  if (raised.matches(PyExc_KeyboardInterrupt)) return {Code::kCancelled, path + ": interrupted"};
  const Status status = status_of_exception(raised.value());
  const bool is_absent = raised.matches(PyExc_FileNotFoundError);
  const bool is_known = status.code() == Code::kOutOfMemory || status.code() == Code::kUnsupported;
  const Code code = is_absent ? Code::kNotFound : is_known ? status.code() : Code::kIoError;
  return {code, path + ": " + status.message()};
}

class PythonSource final : public ByteSource {
 public:
  explicit PythonSource(nb::object files) : files_(std::move(files)) {}
  ~PythonSource() override {
    const nb::gil_scoped_acquire gil;
    files_.reset();
  }
  PythonSource(const PythonSource&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;

  Result<Index> size_bytes(const std::string& path) const override {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<Index>(files_.attr("size")(path));
    } catch (nb::python_error& raised) {
      return error_of(raised, path);
    }
  }

  Status read(const std::string& path, Index offset, std::span<std::byte> bytes) const override {
    const nb::gil_scoped_acquire gil;
    try {
      const auto found = nb::cast<nb::bytes>(files_.attr("read")(path, offset, bytes.size()));
      if (found.size() != bytes.size()) {
        return {Code::kDataLoss, path + ": expected " + std::to_string(bytes.size()) + " bytes at offset " +
                                     std::to_string(offset) + ", found " + std::to_string(found.size())};
      }
      std::memcpy(bytes.data(), found.data(), bytes.size());
      return {};
    } catch (nb::python_error& raised) {
      return error_of(raised, path);
    }
  }

  Result<std::vector<std::string>> list(const std::string& directory) const override {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<std::vector<std::string>>(files_.attr("list")(directory));
    } catch (nb::python_error& raised) {
      return error_of(raised, directory);
    }
  }

 private:
  nb::object files_;
};

}  // namespace

std::shared_ptr<const ByteSource> make_source(nb::object files) {
  if (files.is_none()) return nullptr;
  return std::make_shared<PythonSource>(std::move(files));
}

}  // namespace esker::python
