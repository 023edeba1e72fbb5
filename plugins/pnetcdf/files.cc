// Creates, opens, closes and deletes files.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <span>

#include "companion/companion_format.h"
#include "definition.h"
#include "esker/mpi.hpp"
#include "hints.h"
#include "interface.h"
#include "open_file.h"
#include "settings.h"
#include "store/store.h"

using namespace esker::pnetcdf;

namespace {

/// Collective: rank 0's numbers.
template <std::size_t n>
void take_from_first(esker::Comm& comm, std::array<int, n>& numbers) {
  comm.broadcast(std::as_writable_bytes(std::span<int>(numbers)), 0);
}

int version_of(int mode, esker::cdf::Version& version) {
  if ((mode & NC_NETCDF4) != 0) return NC_ENOTBUILT;
  if ((mode & NC_64BIT_OFFSET) != 0 && (mode & NC_64BIT_DATA) != 0) return NC_EINVAL_CMODE;
  if ((mode & (NC_DISKLESS | NC_MMAP)) != 0) return NC_EINVAL_CMODE;
  int format = NC_FORMAT_CLASSIC;
  if ((mode & NC_64BIT_DATA) != 0) {
    format = NC_FORMAT_CDF5;
  } else if ((mode & NC_64BIT_OFFSET) != 0) {
    format = NC_FORMAT_CDF2;
  } else if ((mode & NC_CLASSIC_MODEL) == 0) {
    format = default_format();
  }
  if (format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC) return NC_ENOTBUILT;
  version = static_cast<esker::cdf::Version>(format);
  return NC_NOERR;
}

std::unique_ptr<OpenFile> new_open_file(MPI_Comm comm, const char* path, MPI_Info info) {
  auto file = std::make_unique<OpenFile>();
  file->comm = esker::mpi_communicator(comm).get();
  file->path = path;
  file->hints = read_hints(info);
  file->room = room_of(file->hints);
  file->is_safe = is_on("PNETCDF_SAFE_MODE", false);
  file->has_strict_bounds = !is_on("PNETCDF_RELAX_COORD_BOUND", true);
  return file;
}

/// From esker.toml, the environment and the hints. `code`: an error of this rank, which then is one of all
/// ranks.
esker::Result<esker::Options> options_for(const OpenFile& file, int code) {
  if (code != NC_NOERR) return esker::Status(esker::Code::kInvalidArgument, ncmpi_strerror(code));
  auto options = esker::Options::load();
  if (options.ok()) apply_hints(file.hints, *options);
  return options;
}

/// The same for a file that is written.
esker::Result<esker::Options> options_to_write(const OpenFile& file, int code) {
  auto options = options_for(file, code);
  if (!options.ok()) return options;
  const auto format = esker::companion_format(*options);
  return format.ok() ? options : esker::Result<esker::Options>(format.status());
}

/// Collective: a dataset next to the file, if rank 0's options name one.
void add_companion(OpenFile& file, const esker::Result<esker::Options>& options, bool may_replace) {
  constexpr std::array<const char*, 3> kFormats{"", "idx", "zarr"};
  const esker::Options mine = options.ok() ? *options : esker::Options();
  const auto format = esker::companion_format(mine);
  std::array<int, 1> number{0};
  for (std::size_t i = 1; i < kFormats.size(); ++i) {
    if (format.ok() && *format == kFormats[i]) number[0] = static_cast<int>(i);
  }
  take_from_first(*file.comm, number);
  if (number[0] == 0) return;
  file.companion =
      std::make_unique<esker::Companion>(file.comm, esker::posix_store(), *file.file, mine,
                                         kFormats[static_cast<std::size_t>(number[0])], may_replace);
}

int create(OpenFile& file, int mode) {
  esker::cdf::Version version{};
  const int code = version_of(mode, version);
  const char* path = without_prefix(file.path.c_str());
  const bool may_replace = (mode & NC_NOCLOBBER) == 0;
  if (!may_replace) {
    std::array<int, 1> exists{access(path, F_OK) == 0};
    take_from_first(*file.comm, exists);
    if (exists[0] != 0) return NC_EEXIST;
  }
  const auto options = options_to_write(file, code);
  auto created =
      esker::cdf::SharedFile::create(file.comm, esker::posix_store(), path, version, may_replace, options);
  if (code != NC_NOERR) return code;
  if (!created.ok()) return code_of(created.status());
  file.file = std::move(*created);
  add_companion(file, options, may_replace);
  return NC_NOERR;
}

int open(OpenFile& file, int mode) {
  std::array<int, 2> format{NC_NOERR, NC_FORMAT_UNKNOWN};
  if (file.comm->rank() == 0) format[0] = ncmpi_inq_file_format(file.path.c_str(), &format[1]);
  take_from_first(*file.comm, format);
  if (format[0] != NC_NOERR) return format[0];
  if (format[1] == NC_FORMAT_UNKNOWN) return NC_ENOTNC;
  if (format[1] == NC_FORMAT_NETCDF4) return NC_ENOTBUILT;
  const bool writes = (mode & NC_WRITE) != 0;
  const char* path = without_prefix(file.path.c_str());
  const auto options = writes ? options_to_write(file, NC_NOERR) : options_for(file, NC_NOERR);
  auto opened = esker::cdf::SharedFile::open(file.comm, esker::posix_store(), path, writes, options);
  if (!opened.ok()) return code_of(opened.status());
  file.file = std::move(*opened);
  file.n_old_variables = file.header().variables.size();
  file.variable_fills.assign(file.n_old_variables, 1);  // the file does not have it; PnetCDF answers so, too
  if (writes) add_companion(file, options, true);
  return file.companion ? code_of(file.told(file.companion->resume())) : static_cast<int>(NC_NOERR);
}

using Start = int (*)(OpenFile&, int mode);

/// What ncmpi_create() and ncmpi_open() have in common. Rank 0's mode counts; a rank with another one is told
/// so.
int start(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* ncid, Start begin, int other_mode) {
  return guarded([&] {
    if (path == nullptr || *path == '\0') return static_cast<int>(NC_EBAD_FILE);
    auto file = new_open_file(comm, path, info);
    std::array<int, 1> first{mode};
    take_from_first(*file->comm, first);
    int code = first[0] == mode ? static_cast<int>(NC_NOERR) : other_mode;
    code = file->agreed(code);
    *ncid = -1;
    if (const int begun = begin(*file, first[0]); begun != NC_NOERR) return begun;
    const int added = add_open_file(std::move(file), ncid);
    return added != NC_NOERR ? added : code;
  });
}

/// Requests that no one waited for are forgotten.
int forget_requests(OpenFile& file) {
  const std::size_t n = file.requests.puts.size() + file.requests.gets.size();
  if (n == 0) return NC_NOERR;
  std::fprintf(stderr, "esker: %s: %zu pending requests at close are canceled\n", file.path.c_str(), n);
  (void)cancel(file, NC_REQ_ALL, nullptr, nullptr);
  return NC_EPENDING;
}

int first_error(int a, int b) { return a != NC_NOERR ? a : b; }

}  // namespace

int ncmpi_create(MPI_Comm comm, const char* path, int cmode, MPI_Info info, int* ncid) {
  return start(comm, path, cmode, info, ncid, create, NC_EMULTIDEFINE_CMODE);
}

int ncmpi_open(MPI_Comm comm, const char* path, int omode, MPI_Info info, int* ncid) {
  return start(comm, path, omode, info, ncid, open, NC_EMULTIDEFINE_OMODE);
}

int ncmpi_close(int ncid) {
  return with_file(ncid, [&](OpenFile& file) {
    int code = file.file->is_defining() ? end_definition(file, file.room) : static_cast<int>(NC_NOERR);
    code = first_error(code, forget_requests(file));
    code = first_error(code, code_of(file.close(!file.file->is_defining())));
    (void)remove_open_file(ncid);
    return code;
  });
}

int ncmpi_abort(int ncid) {
  return with_file(ncid, [&](OpenFile& file) {
    (void)cancel(file, NC_REQ_ALL, nullptr, nullptr);
    const int code = code_of(file.close(false));
    (void)remove_open_file(ncid);
    return code;
  });
}

int ncmpi_delete(const char* filename, MPI_Info /*info*/) {
  return guarded([&]() -> int {
    if (filename == nullptr || *filename == '\0') return NC_EBAD_FILE;
    const char* path = without_prefix(filename);
    if (access(path, F_OK) != 0) return NC_ENOENT;
    return code_of(esker::posix_store()->remove(path));
  });
}
