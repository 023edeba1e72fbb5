// Values of small variables in the form of a schema: coordinates, times, scalars. For use within
// run_session().
#pragma once

#include "esker/types/schema.hpp"
#include "formats/netcdf/hdf5/contents.h"

namespace esker::hdf5 {

/// A netcdf::ReadValues for numbers of at most one dimension, and for texts; caches the last one. Failures
/// are thrown, except kDataLoss for more values than the file can hold.
class VariableValues {
 public:
  VariableValues(hid_t file, Index file_bytes, const Contents& contents)
      : file_(file), file_bytes_(file_bytes), contents_(contents) {}

  Result<AttributeValue> operator()(int variable, Index step);

 private:
  Status read(std::size_t variable, Index n);
  /// All of it (-1), or a step.
  Result<AttributeValue> read_text(std::size_t variable, Index step);

  hid_t file_;
  Index file_bytes_;
  const Contents& contents_;
  int kept_ = -1;
  AttributeValue values_;
  int kept_text_ = -1;
  std::string text_;
};

}  // namespace esker::hdf5
