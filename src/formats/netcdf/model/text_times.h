// Times that a file holds as texts, such as `Times` of WRF and `xtime` of MPAS. Pure.
#pragma once

#include <string>
#include <vector>

#include "esker/types/status.hpp"

namespace esker::netcdf {

struct TextTimes {
  std::vector<double> seconds;  ///< since the whole second of the first time
  std::string units;            ///< "seconds since 2000-01-24 12:00:00"
};

/// The times of one text or more like 2000-01-24_12:00:00, also with 'T' or a blank between date and time, a
/// fraction of seconds, and white space or NULs at the ends. `calendar` is a name of CF: "noleap", "360_day",
/// else proleptic_gregorian. kInvalidArgument: a text is no such time.
Result<TextTimes> parse_text_times(const std::vector<std::string>& texts, const std::string& calendar);

}  // namespace esker::netcdf
