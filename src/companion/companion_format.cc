#include "companion/companion_format.h"

#include "base/error.h"
#include "formats/registry/formats.h"
#include "formats/registry/make_writer.h"
#include "formats/registry/suffix.h"

namespace esker {

Result<std::string> companion_format(const Options& options) {
  const FormatName name = split_format(options.format);
  const FormatEntry* first = find_format(name.first);
  const bool is_cdf = first && first == find_format("cdf");
  if (options.format == "auto" || (is_cdf && is_written(name))) return name.second;
  return error(
      Code::kInvalidArgument,
      "option format is '{}' (ESKER_FORMAT or esker.toml), but this program writes CDF files through "
      "PnetCDF's interface; possible are cdf5, and with a dataset next to each file cdf5+idx and cdf5+zarr",
      options.format);
}

std::string companion_path(const std::string& file, const std::string& format) {
  const std::string stem = stem_of(file);
  return (stem == file ? file + ".levels" : stem) + "." + format;
}

}  // namespace esker
