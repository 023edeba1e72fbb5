// NetcdfWriter: a writer of one NetCDF file, which appears under its name when it is whole.
//
// create() writes the file without steps under a temporary name and renames it. A dataset in two formats does
// something else in between (dual_writer.h); a run that dies there leaves the temporary file.
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
  /// Rank 0, after define: writes the file under its temporary name. May be called again after a failure.
  virtual Status stage(bool durable) = 0;
  /// Rank 0: gives the staged file its name; an existing file is replaced.
  virtual Status publish(bool durable) = 0;
  /// Rank 0: what read_existing() says of the file that stage() wrote; "" if there is none that is whole.
  virtual Result<std::string> read_staged() = 0;
};

}  // namespace esker
