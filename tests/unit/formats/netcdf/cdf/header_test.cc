// CDF headers and the netCDF library: Esker reads the library's headers and prints the same bytes, and the
// library reads Esker's headers. Damaged headers are errors.
#include "formats/netcdf/cdf/header.h"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "support/netcdf_runs.h"
#include "support/test_new.h"

namespace esker::cdf {
namespace {

using testing_support::nc;

/// A file that is removed after the test.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_((std::filesystem::temp_directory_path() / ("esker-cdf-" + std::to_string(getpid()) + ".nc"))
                  .string()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::byte> bytes(Index n) const {
    std::vector<std::byte> all(static_cast<std::size_t>(n));
    posix_store()->open(path_, OpenMode::kRead).value()->read_at(all, 0).check();
    return all;
  }
  [[nodiscard]] Result<Header> header() const {
    return read_header(*posix_store()->open(path_, OpenMode::kRead).value());
  }

 private:
  std::string path_;
};

Result<Header> read_bytes(std::span<const std::byte> bytes) {
  const auto file = memory_store()->open("x.nc", OpenMode::kWrite).value();
  file->write_at(bytes, 0).check();
  return read_header(*file);
}

constexpr int kModes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
constexpr Version kVersions[] = {Version::kClassic, Version::kOffset64, Version::kData64};

/// Dimensions, attributes and variables of all types, by the netCDF library; some records.
void write_with_netcdf(const std::string& path, int format, std::mt19937& random) {
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int file = 0;
  nc(nc_create(path.c_str(), NC_CLOBBER | kModes[format], &file));
  const bool has_records = one_of(3) > 0;
  std::vector<int> dims;
  for (int d = 0; d < 1 + one_of(4); ++d) {
    const std::string name = std::string(static_cast<std::size_t>(1 + one_of(9)), 'd') + std::to_string(d);
    dims.emplace_back();
    nc(nc_def_dim(file, name.c_str(), d == 0 && has_records ? NC_UNLIMITED : 1 + random() % 5, &dims.back()));
  }
  const int n_types = format == 2 ? 11 : 6;
  const auto add_attributes = [&](int variable) {
    for (int a = 0; a < one_of(4); ++a) {
      const std::string name =
          "att" + std::string(static_cast<std::size_t>(one_of(5)), 'x') + std::to_string(a);
      if (one_of(2) == 0) {
        const std::string text(static_cast<std::size_t>(one_of(7)), 't');
        nc(nc_put_att_text(file, variable, name.c_str(), text.size(), text.c_str()));
      } else {
        const std::array<int, 4> values{1, 2, 3, 4};
        const int type = 1 + one_of(n_types);
        if (type == NC_CHAR) continue;
        nc(nc_put_att_int(file, variable, name.c_str(), type, static_cast<std::size_t>(1 + one_of(4)),
                          values.data()));
      }
    }
  };
  add_attributes(NC_GLOBAL);
  std::vector<int> variables;
  for (int v = 0; v < one_of(5); ++v) {
    std::vector<int> of;
    const bool is_record = has_records && one_of(2) == 0;
    if (is_record) of.push_back(dims[0]);
    for (std::size_t d = has_records ? 1 : 0; d < dims.size(); ++d) {
      if (one_of(2) == 0) of.push_back(dims[d]);
    }
    variables.emplace_back();
    nc(nc_def_var(file, ("v" + std::to_string(v)).c_str(), 1 + one_of(n_types), static_cast<int>(of.size()),
                  of.data(), &variables.back()));
    add_attributes(variables.back());
    if (!is_record) variables.pop_back();
  }
  nc(nc_enddef(file));
  for (const int variable : variables) {
    int n_dims = 0;
    nc_type type = 0;
    nc(nc_inq_var(file, variable, nullptr, &type, &n_dims, nullptr, nullptr));
    const std::vector<std::size_t> start(static_cast<std::size_t>(n_dims), 0), count(start.size(), 1);
    std::vector<std::size_t> at = start;
    at[0] = 2;
    const int value = 7;
    nc(type == NC_CHAR ? nc_put_var1_text(file, variable, at.data(), "c")
                       : nc_put_vara_int(file, variable, at.data(), count.data(), &value));
  }
  nc(nc_close(file));
}

TEST(CdfHeader, PrintsTheBytesOfNetcdfsHeaders) {
  const TemporaryFile file;
  std::mt19937 random(7);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    write_with_netcdf(file.path(), i % 3, random);
    const Result<Header> header = file.header();
    ASSERT_TRUE(header.ok()) << header.status().message();
    EXPECT_EQ(header->version, kVersions[i % 3]);
    const std::vector<std::byte> printed = print_header(*header);
    EXPECT_EQ(printed, file.bytes(static_cast<Index>(printed.size())));
    EXPECT_TRUE(check_header(*header).ok());
  }
}

/// A file with two variables that have records and one that has none.
Header small_header(Version version) {
  Header header{version, 2, {{"time", 0}, {"y", 3}, {"x", 5}}, {}, {}};
  header.attributes.push_back({"title", Type::kChar, {std::byte{'h'}, std::byte{'i'}}});
  header.variables.push_back({"mask", {1, 2}, {}, Type::kByte, 1024});
  header.variables.push_back({"time", {0}, {}, Type::kDouble, 2048});
  header.variables.push_back(
      {"thk", {0, 1, 2}, {{"code", Type::kShort, {std::byte{1}, std::byte{2}}}}, Type::kFloat, 2056});
  return header;
}

TEST(CdfHeader, NetcdfReadsPrintedHeaders) {
  const TemporaryFile temporary;
  for (const Version version : kVersions) {
    const Header header = small_header(version);
    ASSERT_TRUE(check_header(header).ok());
    EXPECT_EQ(header.record_bytes(), 8 + 60);
    std::filesystem::remove(temporary.path());
    const auto file = posix_store()->open(temporary.path(), OpenMode::kWrite).value();
    file->write_at(print_header(header), 0).check();
    const std::array<std::byte, 8> half{std::byte{0x3f}, std::byte{0xe0}};  // 0.5
    file->write_at(half, 2048 + header.record_bytes()).check();
    file->extend_to(2048 + 2 * header.record_bytes()).check();
    file->close().check();
    int id = 0, n_dims = 0, n_variables = 0, record_dim = 0, thk = 0;
    nc(nc_open(temporary.path().c_str(), NC_NOWRITE, &id));
    nc(nc_inq(id, &n_dims, &n_variables, nullptr, &record_dim));
    EXPECT_EQ(std::tuple(n_dims, n_variables, record_dim), std::tuple(3, 3, 0));
    std::size_t records = 0;
    nc(nc_inq_dimlen(id, 0, &records));
    EXPECT_EQ(records, 2u);
    nc(nc_inq_varid(id, "thk", &thk));
    short code = 0;
    nc(nc_get_att_short(id, thk, "code", &code));
    EXPECT_EQ(code, 258);
    std::array<double, 2> times{};
    nc(nc_get_var_double(id, 1, times.data()));
    EXPECT_EQ(times, (std::array{0.0, 0.5}));
    nc(nc_close(id));
  }
}

TEST(CdfHeader, ASingleVariableWithRecordsIsNotPadded) {
  Header header = small_header(Version::kClassic);
  header.variables.erase(header.variables.begin() + 1, header.variables.end());
  header.dims[1].length = 0;
  header.dims.erase(header.dims.begin());
  header.variables[0].dims = {0, 1};
  EXPECT_EQ(header.record_bytes(), 5);
  header.variables.push_back(header.variables[0]);
  EXPECT_EQ(header.record_bytes(), 16);
}

TEST(CdfHeader, NamesValuesThatDoNotFitAVersion) {
  const auto says = [](const Header& header) { return check_header(header).message(); };
  Header header = small_header(Version::kClassic);
  header.dims[2].length = Index{1} << 30;
  EXPECT_NE(says(header).find("variable 'mask' has 3221225472 bytes"), std::string::npos) << says(header);
  header.version = Version::kOffset64;
  EXPECT_EQ(says(header), "");  // only the record of the last one is larger than 2^32 - 4
  std::swap(header.variables[1], header.variables[2]);
  EXPECT_NE(says(header).find("variable 'thk' has 12884901888 bytes"), std::string::npos) << says(header);
  header.version = Version::kData64;
  EXPECT_EQ(says(header), "");
  header = small_header(Version::kClassic);
  header.variables[2].begin = Index{1} << 31;
  EXPECT_NE(says(header).find("begins at byte 2147483648"), std::string::npos) << says(header);
  header = small_header(Version::kOffset64);
  header.variables[0].type = Type::kUInt64;
  EXPECT_NE(says(header).find("CDF-2 does not have type 11"), std::string::npos) << says(header);
  header = small_header(Version::kData64);
  header.dims[1].length = 0;
  EXPECT_NE(says(header).find("2 dimensions have length 0"), std::string::npos) << says(header);
  header = small_header(Version::kData64);
  std::swap(header.variables[2].dims[0], header.variables[2].dims[1]);
  EXPECT_NE(says(header).find("is not its first"), std::string::npos) << says(header);
}

TEST(CdfHeader, OfAStreamCountsTheRecordsInTheFile) {
  for (const Version version : kVersions) {
    std::vector<std::byte> bytes = print_header(small_header(version));
    bytes.resize(2048 + 3 * 68 + 10);
    const std::size_t n = version == Version::kData64 ? 8 : 4;
    std::fill_n(bytes.begin() + kNumRecordsOffset, n, std::byte{0xff});
    EXPECT_EQ(read_bytes(bytes).value().num_records, 3);
  }
}

// Test files of netCDF have such names; no reader shows the zeros.
TEST(CdfHeader, DropsZerosAfterAName) {
  Header header = small_header(Version::kClassic);
  header.dims[0].name = "st";
  std::vector<std::byte> bytes = print_header(header);
  // "CDF\1", records, tag and number of dimensions; then the first one's name.
  ASSERT_EQ(bytes[19], std::byte{2});
  bytes[19] = std::byte{4};
  const Result<Header> read = read_bytes(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->dims[0].name, "st");
}

TEST(CdfHeader, DamageIsAnErrorAndTakesNoMemory) {
  for (const Version version : kVersions) {
    const std::vector<std::byte> good = print_header(small_header(version));
    for (std::size_t n = 0; n < good.size(); ++n) {
      const Result<Header> cut = read_bytes(std::span(good).first(n));
      ASSERT_FALSE(cut.ok()) << n;
    }
    const Header first = read_bytes(good).value();
    EXPECT_EQ(print_header(first), good);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const int value : {0, 1, 0x7f, 0xff}) {
        std::vector<std::byte> bad = good;
        bad[at] = static_cast<std::byte>(value);
        testing_support::largest_allocation = 0;
        const Result<Header> header = read_bytes(bad);
        EXPECT_LT(testing_support::largest_allocation, std::size_t{1} << 20);
        EXPECT_EQ(header.ok(), header.status().message().empty());
      }
    }
  }
  EXPECT_EQ(read_bytes(std::vector<std::byte>(3)).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker::cdf
