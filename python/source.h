// Reads the bytes of a dataset through a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "esker/types/byte_source.hpp"

namespace esker::python {

/// A source that calls `files`: size(path) -> int, read(path, offset, size) -> bytes, list(path) -> list of
/// str. Returns null for None. Python exceptions become errors; FileNotFoundError becomes kNotFound.
std::shared_ptr<const ByteSource> make_source(nanobind::object files);

}  // namespace esker::python
