#include "input.h"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

namespace pism {
namespace {

/// A netCDF file of 7 x 5 points in the temporary folder; topg holds 100 y + x, thk twice that.
class Input : public ::testing::Test {
 protected:
  void SetUp() override { write("m"); }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& units) {
    int file = 0, dims[2], x = 0, y = 0, topg = 0, thk = 0;
    ASSERT_EQ(nc_create(path_.c_str(), NC_CLOBBER, &file), NC_NOERR);
    nc_def_dim(file, "y1", 5, &dims[0]);
    nc_def_dim(file, "x1", 7, &dims[1]);
    nc_def_var(file, "y1", NC_DOUBLE, 1, &dims[0], &y);
    nc_def_var(file, "x1", NC_DOUBLE, 1, &dims[1], &x);
    nc_def_var(file, "topg", NC_FLOAT, 2, dims, &topg);
    nc_def_var(file, "thk", NC_FLOAT, 2, dims, &thk);
    nc_put_att_text(file, topg, "units", units.size(), units.c_str());
    nc_enddef(file);
    put(file, x, y, topg, thk);
    ASSERT_EQ(nc_close(file), NC_NOERR);
  }

  static void put(int file, int x, int y, int topg, int thk) {
    std::vector<double> xs(7), ys(5), bed(35), ice(35);
    for (int i = 0; i < 7; ++i) xs[i] = 1000.0 * i;
    for (int j = 0; j < 5; ++j) ys[j] = 2000.0 * j;
    for (int n = 0; n < 35; ++n) bed[n] = 100 * (n / 7) + n % 7;
    for (int n = 0; n < 35; ++n) ice[n] = 2 * bed[n];
    nc_put_var_double(file, x, xs.data());
    nc_put_var_double(file, y, ys.data());
    nc_put_var_double(file, topg, bed.data());
    nc_put_var_double(file, thk, ice.data());
  }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("pism_input_" + std::to_string(getpid()) + ".nc")).string();
};

TEST_F(Input, ReadsAxesAndAPart) {
  const InputAxes axes = read_axes(path_, 1);
  const Grid grid = with_own_part(make_grid(axes.x, axes.y, 3, 100), esker::Box{{2, 1}, {5, 4}});
  EXPECT_EQ(grid.Mx, 7);
  EXPECT_EQ(grid.My, 5);
  EXPECT_DOUBLE_EQ(grid.dy, 2000);
  Array<double> map(grid);
  read_map(path_, "thk", grid, Sampling::kCells, map);
  for_own(grid,
          [&](Index i, Index j) { EXPECT_EQ(map(i, j), 2.0 * static_cast<double>(100 * (j + 1) + i + 2)); });
}

TEST_F(Input, CoarsensBySubsampling) {
  const InputAxes axes = read_axes(path_, 3);
  EXPECT_EQ(axes.x, (std::vector<double>{0, 3000, 6000}));
  EXPECT_EQ(axes.y, (std::vector<double>{0, 6000}));
  const Grid grid = make_grid(axes.x, axes.y, 3, 100);
  Array<double> map(grid);
  read_map(path_, "topg", grid, Sampling::kPoints, map);
  EXPECT_EQ(map(2, 1), 306);
}

TEST_F(Input, ErrorsNameFileAndVariable) {
  const auto message = [](auto&& work) -> std::string {
    try {
      work();
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "no error";
  };
  const Grid grid = make_grid({0, 1000}, {0, 1000}, 2, 100);
  Array<double> map(grid);
  EXPECT_NE(message([] { read_axes("/no/such.nc", 1); }).find("/no/such.nc"), std::string::npos);
  EXPECT_NE(message([&] { read_map(path_, "ice", grid, Sampling::kPoints, map); }).find("variable ice"),
            std::string::npos);
  write("km");
  EXPECT_NE(message([&] { read_map(path_, "topg", grid, Sampling::kPoints, map); }).find("expected 'm'"),
            std::string::npos);
}

}  // namespace
}  // namespace pism
