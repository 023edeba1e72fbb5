// Datasets whose bytes a Python object has.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "esker/byte_source.hpp"

namespace esker::python {

/// A source that asks `files`: size(path) -> int, read(path, offset, size) -> bytes, list(path) -> list of
/// str. None gives null. Exceptions become errors: FileNotFoundError says that there is no such file.
std::shared_ptr<const ByteSource> make_source(nanobind::object files);

}  // namespace esker::python
