// NetcdfWriter: writes one NetCDF file, which gets its name once it is complete.
//
// create() writes the file without steps under a temporary name and renames it. A dataset in two formats does
// other work between these calls (dual_writer.h); a run that dies there leaves the temporary file.
#pragma once

#include <string>

#include "base/macros.h"
#include "format/format_writer.h"

namespace esker {

class NetcdfWriter : public FormatWriter {
 public:
  Status create(bool durable) final {
    ESKER_RETURN_IF_ERROR(stage(durable));
    return publish(durable);
  }
  /// Rank 0, after define: writes the file under its temporary name. Can be called again after a failure.
  virtual Status stage(bool durable) = 0;
  /// Rank 0: renames the staged file to its final name, replacing an existing file.
  virtual Status publish(bool durable) = 0;
  /// Rank 0: the result of read_existing() for the file that stage() wrote; "" if there is no complete one.
  virtual Result<std::string> read_staged() = 0;
};

}  // namespace esker
