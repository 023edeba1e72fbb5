// The format of a dataset, from the option and the suffix of its name.
#include "formats/registry/make_writer.h"

#include <gtest/gtest.h>

#include <array>

namespace esker {
namespace {

std::string chosen(const std::string& path, const std::string& format) {
  Options options;
  if (format != "auto") options.set("format", format, "ESKER_FORMAT").check();
  const auto found = choose_format(path, options);
  return found.ok() ? *found : "error: " + found.status().message();
}

TEST(ChooseFormat, TheSuffixDecidesWithoutAnOption) {
  for (const auto& [path, format] : std::vector<std::array<std::string, 2>>{{"run.idx", "idx"},
                                                                            {"run", "idx"},
                                                                            {"run.v2", "idx"},
                                                                            {"run.nc/", "cdf"},
                                                                            {"a.idx/run.nc", "cdf"},
                                                                            {"run.nc4", "netcdf4"},
                                                                            {"run.h5", "netcdf4"},
                                                                            {"run.hdf5", "netcdf4"}}) {
    EXPECT_EQ(chosen(path, "auto"), format) << path;
  }
}

TEST(ChooseFormat, AFormatThatMatchesTheSuffixIsUsed) {
  for (const auto& [path, format] : std::vector<std::array<std::string, 2>>{{"run.idx", "idx"},
                                                                            {"run", "cdf5"},
                                                                            {"run.nc", "netcdf4"},
                                                                            {"run.nc", "cdf2"},
                                                                            {"run.nc", "cdf5+idx"},
                                                                            {"run.idx", "cdf5+idx"},
                                                                            {"run.nc", "cdf5+zarr"},
                                                                            {"run.zarr", "cdf5+zarr"},
                                                                            {"run.zarr", "netcdf4+zarr"},
                                                                            {"run.zarr", "zarr+idx"},
                                                                            {"run.h5", "hdf5"},
                                                                            {"run.h5", "netcdf4+idx"},
                                                                            {"run.v2", "cdf"}}) {
    EXPECT_EQ(chosen(path, format), format) << path;
  }
}

TEST(ChooseFormat, AContradictionIsAnErrorThatNamesBoth) {
  for (const auto& [path, format] : std::vector<std::array<std::string, 2>>{{"run.nc", "idx"},
                                                                            {"heat.idx", "cdf5"},
                                                                            {"run.idx", "netcdf4"},
                                                                            {"run.h5", "cdf5"},
                                                                            {"run.idx", "cdf5+zarr"},
                                                                            {"run.zarr", "cdf5+idx"},
                                                                            {"x.nc4", "idx"}}) {
    const std::string text = chosen(path, format);
    for (const std::string& word : {std::string("error: "), path, format, std::string("ESKER_FORMAT")}) {
      EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
}

TEST(ChooseFormat, PairsThatCanBeWrittenTogether) {
  for (const char* name : {"cdf5+idx", "cdf+zarr", "netcdf4+zarr", "zarr+idx", "vtkhdf+idx"}) {
    EXPECT_TRUE(is_written(split_format(name))) << name;
  }
  for (const char* name :
       {"idx+zarr", "zarr+zarr", "vtkhdf+zarr", "cdf5+netcdf4", "cdf5+", "+idx", "cdf5+idx+zarr"}) {
    EXPECT_FALSE(is_written(split_format(name))) << name;
  }
}

}  // namespace
}  // namespace esker
