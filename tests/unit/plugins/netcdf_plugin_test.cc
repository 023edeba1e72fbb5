// The table of functions by which netCDF-C reads datasets of Esker, called as the library calls it. Programs
// are tested in tests/python/test_netcdf_plugin.py.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "conversion.h"
#include "door.h"
#include "esker/esker.hpp"
#include "slab.h"
#include "support/mutate.h"
#include "table.h"

namespace esker::netcdf_plugin {
namespace {

constexpr int kNcid = 65536;
constexpr Index kX = 20, kY = 12;

/// A directory with a dataset of one field, sample x + 100 y + 10000 step, which is absent at step 1.
class NetcdfPlugin : public testing::Test {
 protected:
  NetcdfPlugin()
      : folder_(std::filesystem::temp_directory_path() / ("esker-plugin-" + std::to_string(getpid()))),
        path_((folder_ / "run.idx").string()) {
    std::filesystem::create_directories(folder_);
    Writer writer = Writer::create(path_, Communicator::serial()).value();
    const DimId x = writer.def_dim("x", kX).value(), y = writer.def_dim("y", kY).value();
    const GridId grid = writer.def_grid("xy", {x, y}).value();
    const FieldId a = writer.def_field(grid, "a", SampleType::kInt32, {.every = 2}).value();
    writer.def_field(grid, "b", SampleType::kFloat64).value();
    writer.put_att(a, "limits", std::vector<double>{-1.5, 1e300}).check();
    writer.put_att("names", TextList({"north", "south"})).check();
    for (int step = 0; step < 3; ++step) put_step(writer, step);
    writer.close().check();
  }
  NetcdfPlugin(const NetcdfPlugin&) = delete;
  NetcdfPlugin& operator=(const NetcdfPlugin&) = delete;
  ~NetcdfPlugin() override { std::filesystem::remove_all(folder_); }

  static void put_step(Writer& writer, int step) {
    std::vector<std::int32_t> a;
    for (int y = 0; y < kY; ++y) {
      for (int x = 0; x < kX; ++x) a.push_back(x + 100 * y + 10000 * step);
    }
    const std::vector<double> b(a.begin(), a.end());
    const Box all({0, 0}, {kX, kY});
    writer.begin_step(step).check();
    if (step % 2 == 0) writer.put(writer.field("a").value(), Patch::dense(all, a.data())).check();
    writer.put(writer.field("b").value(), Patch::dense(all, b.data())).check();
    writer.end_step().check();
  }

  int open(const std::string& path, int mode = NC_NOWRITE) const {
    return functions_.open(path.c_str(), mode, 0, nullptr, nullptr, &functions_, kNcid);
  }
  [[nodiscard]] int variable(const char* name) const {
    int number = -1;
    EXPECT_EQ(functions_.inq_varid(kNcid, name, &number), NC_NOERR);
    return number;
  }

  const NC_Dispatch& functions_ = *table(0);
  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(NetcdfPlugin, ValuesAreConvertedAndMapped) {
  ASSERT_EQ(open(path_), NC_NOERR);
  const int a = variable("a");
  const std::array<std::size_t, 3> start{2, 3, 5}, count{1, 2, 4};
  const std::array<std::ptrdiff_t, 3> stride{1, 4, 3}, map{1, 1, 2};
  std::array<float, 8> reals{};
  ASSERT_EQ(functions_.get_vars(kNcid, a, start.data(), count.data(), stride.data(), reals.data(), NC_FLOAT),
            NC_NOERR);
  EXPECT_EQ(reals, (std::array<float, 8>{20305, 20308, 20311, 20314, 20705, 20708, 20711, 20714}));
  ASSERT_EQ(functions_.get_varm(kNcid, a, start.data(), count.data(), stride.data(), map.data(), reals.data(),
                                NC_FLOAT),
            NC_NOERR);
  EXPECT_EQ(reals, (std::array<float, 8>{20305, 20705, 20308, 20708, 20311, 20711, 20314, 20714}));
  std::array<short, 8> shorts{};
  EXPECT_EQ(functions_.get_vara(kNcid, a, start.data(), count.data(), shorts.data(), NC_SHORT), NC_NOERR);
  std::array<signed char, 8> bytes{};
  EXPECT_EQ(functions_.get_vara(kNcid, a, start.data(), count.data(), bytes.data(), NC_BYTE), NC_ERANGE);
  EXPECT_EQ(functions_.get_vara(kNcid, a, start.data(), count.data(), bytes.data(), NC_CHAR), NC_ECHAR);
  EXPECT_EQ(functions_.close(kNcid, nullptr), NC_NOERR);
  EXPECT_EQ(functions_.get_vara(kNcid, a, start.data(), count.data(), shorts.data(), NC_SHORT), NC_EBADID);
}

TEST_F(NetcdfPlugin, AnAbsentStepHasFillValues) {
  ASSERT_EQ(open(path_), NC_NOERR);
  const std::array<std::size_t, 3> start{0, 0, 7}, count{3, 1, 1};
  std::array<int, 3> values{};
  ASSERT_EQ(functions_.get_vara(kNcid, variable("a"), start.data(), count.data(), values.data(), NC_INT),
            NC_NOERR);
  EXPECT_EQ(values, (std::array<int, 3>{7, NC_FILL_INT, 20007}));
  functions_.close(kNcid, nullptr);
}

TEST_F(NetcdfPlugin, WhatIsOutsideIsRefused) {
  ASSERT_EQ(open(path_), NC_NOERR);
  const auto get = [&](std::array<std::size_t, 3> start, std::array<std::size_t, 3> count,
                       std::array<std::ptrdiff_t, 3> stride = {1, 1, 1}) {
    std::vector<int> values(3 * kX * kY);
    return functions_.get_vars(kNcid, variable("a"), start.data(), count.data(), stride.data(), values.data(),
                               NC_INT);
  };
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(get({0, 0, 0}, {3, kY, kX}), NC_NOERR);
  EXPECT_EQ(get({3, 0, 0}, {0, 1, 1}), NC_NOERR);
  EXPECT_EQ(get({3, 0, 0}, {1, 1, 1}), NC_EINVALCOORDS);
  EXPECT_EQ(get({kHuge, 0, 0}, {1, 1, 1}), NC_EINVALCOORDS);
  EXPECT_EQ(get({2, 0, 0}, {2, 1, 1}), NC_EEDGE);
  EXPECT_EQ(get({0, 0, 1}, {1, 1, kHuge}), NC_EEDGE);
  EXPECT_EQ(get({0, 0, 1}, {1, 1, 3}, {1, 1, 10}), NC_EEDGE);
  EXPECT_EQ(get({0, 0, 1}, {1, 1, 2}, {1, 1, std::numeric_limits<std::ptrdiff_t>::max()}), NC_EEDGE);
  EXPECT_EQ(get({0, 0, 1}, {1, 1, 2}, {1, 1, 0}), NC_ESTRIDE);
  int number = 0;
  EXPECT_EQ(functions_.inq_varid(kNcid, "c", &number), NC_ENOTVAR);
  for (const int wrong : {-2, 99}) {
    EXPECT_EQ(functions_.inq_att(kNcid, wrong, "units", nullptr, nullptr), NC_ENOTVAR);
    EXPECT_EQ(functions_.inq_dim(kNcid, wrong, nullptr, nullptr), NC_EBADDIM);
  }
  EXPECT_EQ(open(path_, NC_WRITE), NC_EPERM);
  EXPECT_EQ(open((folder_ / "none.idx").string()), ENOENT);
  functions_.close(kNcid, nullptr);
}

TEST_F(NetcdfPlugin, AttributesKeepTheirTypes) {
  ASSERT_EQ(open(path_), NC_NOERR);
  std::array<double, 2> limits{};
  ASSERT_EQ(functions_.get_att(kNcid, variable("a"), "limits", limits.data(), NC_DOUBLE), NC_NOERR);
  EXPECT_EQ(limits, (std::array<double, 2>{-1.5, 1e300}));
  std::array<float, 2> small{};
  EXPECT_EQ(functions_.get_att(kNcid, variable("a"), "limits", small.data(), NC_FLOAT), NC_ERANGE);
  nc_type type = NC_NAT;
  std::size_t length = 0;
  ASSERT_EQ(functions_.inq_att(kNcid, NC_GLOBAL, "names", &type, &length), NC_NOERR);
  EXPECT_EQ(type, NC_STRING);
  ASSERT_EQ(length, 2U);
  std::array<char*, 2> names{};
  ASSERT_EQ(functions_.get_att(kNcid, NC_GLOBAL, "names", names.data(), NC_STRING), NC_NOERR);
  EXPECT_STREQ(names[1], "south");
  for (char* name : names) std::free(name);
  EXPECT_EQ(functions_.get_att(kNcid, NC_GLOBAL, "esker_schema", names.data(), NC_CHAR), NC_ENOTATT);
  functions_.close(kNcid, nullptr);
}

TEST_F(NetcdfPlugin, NothingIsNull) {
  const auto* first = reinterpret_cast<const char*>(&functions_) + offsetof(NC_Dispatch, create);
  for (std::size_t at = 0; at < sizeof(NC_Dispatch) - offsetof(NC_Dispatch, create); at += sizeof(void*)) {
    void* function = nullptr;
    std::memcpy(&function, first + at, sizeof function);
    EXPECT_NE(function, nullptr) << "function " << at / sizeof(void*);
  }
}

// Two libraries of netCDF-C in a process give the same number to different files.
TEST_F(NetcdfPlugin, LibrariesHaveTheirOwnFiles) {
  ASSERT_EQ(open(path_), NC_NOERR);
  const NC_Dispatch& other = *table(1);
  EXPECT_EQ(other.sync(kNcid), NC_NOERR);
  EXPECT_EQ(other.close(kNcid, nullptr), NC_EBADID);
  EXPECT_EQ(functions_.close(kNcid, nullptr), NC_NOERR);
}

std::string text_attribute(const std::string& name, const std::string& value) {
  const auto number = [](std::size_t n) {
    return std::string{0, 0, static_cast<char>(n >> 8), static_cast<char>(n)};
  };
  const auto padded = [](const std::string& text) {
    return text + std::string((4 - text.size() % 4) % 4, '\0');
  };
  return number(name.size()) + padded(name) + number(NC_CHAR) + number(value.size()) + padded(value);
}

TEST_F(NetcdfPlugin, DamagedDoorsAreErrors) {
  const std::string absent(8, '\0');
  const std::string door = std::string(kDoorMagic) + absent + std::string{0, 0, 0, 12, 0, 0, 0, 1} +
                           text_attribute("esker_door", "run.idx") + absent;
  std::mt19937 random(5);
  int good = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string content = door;
    if (round > 0) content.replace(8, std::string::npos, testing_support::mutated(door.substr(8), random));
    const std::string path = (folder_ / "door.nc").string();
    std::ofstream(path, std::ios::binary) << content;
    testing::internal::CaptureStderr();
    const int code = open(path);
    testing::internal::GetCapturedStderr();
    if (round == 0) {
      ASSERT_EQ(code, NC_NOERR);
    }
    if (code != NC_NOERR) continue;
    ++good;
    functions_.close(kNcid, nullptr);
  }
  EXPECT_LT(good, 1000);
}

TEST(Conversion, KeepsWhatFits) {
  const std::array<double, 6> reals{0, -1, 255.9, 256, -0.5, std::numeric_limits<double>::quiet_NaN()};
  std::array<unsigned char, 6> bytes{};
  const auto convert_to = [&](nc_type type, std::size_t n, void* out) {
    return convert(netcdf::Type::kDouble, reinterpret_cast<const std::byte*>(reals.data()), n, type, out);
  };
  EXPECT_EQ(convert_to(NC_UBYTE, 1, bytes.data()), NC_NOERR);
  EXPECT_EQ(convert_to(NC_UBYTE, 6, bytes.data()), NC_ERANGE);
  EXPECT_EQ(bytes[2], 255);
  std::array<long long, 6> integers{};
  EXPECT_EQ(convert_to(NC_INT64, 5, integers.data()), NC_NOERR);
  EXPECT_EQ(integers[4], 0);
  const std::array<double, 2> edges{0x1p63, -0x1p63};
  const auto* edge = reinterpret_cast<const std::byte*>(edges.data());
  EXPECT_EQ(convert(netcdf::Type::kDouble, edge, 1, NC_INT64, integers.data()), NC_ERANGE);
  EXPECT_EQ(convert(netcdf::Type::kDouble, edge + 8, 1, NC_INT64, integers.data()), NC_NOERR);
  EXPECT_EQ(integers[0], std::numeric_limits<long long>::min());
  EXPECT_EQ(convert(netcdf::Type::kDouble, edge, 1, NC_STRING, integers.data()), NC_EBADTYPE);
}

TEST(Slab, HasNoValuesOfAnEmptyDimension) {
  const Slab none{{0, 0}, {0, 4}, {1, 1}};
  EXPECT_EQ(none.num_values(), 0);
  copy_slab(nullptr, {0, 4}, none, 4, nullptr);
}

}  // namespace
}  // namespace esker::netcdf_plugin
