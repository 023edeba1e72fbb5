// The suffixes of files that datasets are opened by.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace esker {

/// The format that a suffix stands for where no other is asked for, and whether others have it, too.
struct Suffix {
  std::string_view text, format;
  bool of_cdf, of_hdf5, of_idx;
};

inline constexpr std::array<Suffix, 5> kSuffixes{{{".idx", "idx", false, false, true},
                                                  {".nc", "cdf", true, true, false},
                                                  {".nc4", "netcdf4", false, true, false},
                                                  {".h5", "netcdf4", false, true, false},
                                                  {".hdf5", "netcdf4", false, true, false}}};

/// That of a path, which may end with '/'; nullptr: none of these.
const Suffix* suffix_of(std::string_view path);

/// What the files of a dataset are named after: "out/run.nc" -> "out/run", "out/run/" -> "out/run".
std::string stem_of(std::string_view path);

}  // namespace esker
