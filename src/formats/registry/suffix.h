// The file name suffixes of datasets.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace esker {

/// The default format for a suffix, and whether other formats use the suffix, too.
struct Suffix {
  std::string_view text, format;
  bool of_cdf, of_hdf5, of_idx;
};

inline constexpr std::array<Suffix, 5> kSuffixes{{{".idx", "idx", false, false, true},
                                                  {".nc", "cdf", true, true, false},
                                                  {".nc4", "netcdf4", false, true, false},
                                                  {".h5", "netcdf4", false, true, false},
                                                  {".hdf5", "netcdf4", false, true, false}}};

/// The entry for the suffix of a path, which may end with '/'; nullptr if there is none.
const Suffix* suffix_of(std::string_view path);

/// The common stem of a dataset's file names: "out/run.nc" -> "out/run", "out/run/" -> "out/run".
std::string stem_of(std::string_view path);

}  // namespace esker
