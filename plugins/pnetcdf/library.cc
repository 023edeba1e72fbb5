// Functions that need no open file.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "interface.h"
#include "open_file.h"
#include "settings.h"

using namespace esker::pnetcdf;

namespace {

struct Error {
  int number;
  const char* name;
  const char* text;
};

#define ESKER_PNETCDF_ERROR_ROW(name, number, text) {(number), #name, text},
constexpr Error kErrors[] = {ESKER_PNETCDF_ERRORS(ESKER_PNETCDF_ERROR_ROW)};
#undef ESKER_PNETCDF_ERROR_ROW

const Error* find_error(int number) {
  for (const Error& error : kErrors) {
    if (error.number == number) return &error;
  }
  return nullptr;
}

/// The result is valid until the next call, as that of the C library.
template <class... Args>
const char* printed(const char* format, Args... args) {
  static char text[128];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

constexpr std::string_view kHdf5Magic = "\211HDF\r\n\032\n";

/// HDF5 files begin at 0, 512, 1024, 2048 ...
bool is_hdf5(int descriptor) {
  std::array<char, 8> bytes{};
  for (off_t offset = 0;; offset = offset == 0 ? 512 : 2 * offset) {
    if (pread(descriptor, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size()))
      return false;
    if (std::string_view(bytes.data(), bytes.size()) == kHdf5Magic) return true;
  }
}

int code_of_errno() {
  switch (errno) {
    case ENOENT:
      return NC_ENOENT;
    case EACCES:
      return NC_EACCESS;
    case ENAMETOOLONG:
      return NC_EBAD_FILE;
    default:
      return NC_EFILE;
  }
}

int format_of(int descriptor, int* format) {
  std::array<char, 8> bytes{};
  const ssize_t n = pread(descriptor, bytes.data(), bytes.size(), 0);
  if (n != static_cast<ssize_t>(bytes.size())) return NC_EFILE;
  const int version = bytes[3];
  const bool is_version =
      version == NC_FORMAT_CLASSIC || version == NC_FORMAT_CDF2 || version == NC_FORMAT_CDF5;
  if (std::string_view(bytes.data(), 3) == "CDF" && is_version) {
    *format = version;
  } else if (is_hdf5(descriptor)) {
    *format = NC_FORMAT_NETCDF4;
  }
  return NC_NOERR;
}

}  // namespace

const char* ncmpi_strerror(int err) {
  if (err > 0) return std::strerror(err);
  const Error* error = find_error(err);
  return error != nullptr ? error->text : printed("Unknown Error: Unrecognized error code %5d\n", err);
}

const char* ncmpi_strerrno(int err) {
  if (err > 0) return printed("System error code %d (%s)", err, std::strerror(err));
  const Error* error = find_error(err);
  return error != nullptr ? error->name : printed("Unknown code %d", err);
}

/// Programs look for the version of the interface in it.
const char* ncmpi_inq_libvers() { return "1.12.3 of February 21, 2022, interface of Esker"; }

int ncmpi_inq_file_format(const char* filename, int* format) {
  if (format == nullptr) return NC_NOERR;
  *format = NC_FORMAT_UNKNOWN;
  const int descriptor = ::open(without_prefix(filename), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return code_of_errno();
  const int code = format_of(descriptor, format);
  ::close(descriptor);
  return code;
}

int ncmpi_set_default_format(int format, int* old_format) {
  give(old_format, default_format());
  const bool is_known = format >= NC_FORMAT_CLASSIC && format <= NC_FORMAT_CDF5;
  if (!is_known) return NC_EINVAL;
  default_format() = format;
  return NC_NOERR;
}

int ncmpi_inq_default_format(int* format) {
  if (format == nullptr) return NC_EINVAL;
  *format = default_format();
  return NC_NOERR;
}

int ncmpi_inq_files_opened(int* num, int* ncids) {
  if (num == nullptr) return NC_EINVAL;
  return guarded([&] {
    const std::vector<int> numbers = open_file_numbers();
    *num = static_cast<int>(numbers.size());
    if (ncids != nullptr) std::copy(numbers.begin(), numbers.end(), ncids);
    return NC_NOERR;
  });
}

// PnetCDF counts its allocations only if it was configured to; otherwise these functions are not enabled.
int ncmpi_inq_malloc_size(MPI_Offset* /*size*/) { return NC_ENOTENABLED; }
int ncmpi_inq_malloc_max_size(MPI_Offset* /*size*/) { return NC_ENOTENABLED; }
int ncmpi_inq_malloc_list() { return NC_ENOTENABLED; }
