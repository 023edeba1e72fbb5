// Functions that tell about a file as a whole.
#include <cstdlib>
#include <cstring>

#include "formats/netcdf/cdf/header.h"
#include "hints.h"
#include "interface.h"
#include "open_file.h"

using namespace esker::pnetcdf;

namespace {

int n_record_variables(const esker::cdf::Header& header) {
  int n = 0;
  for (const auto& variable : header.variables) n += header.is_record(variable) ? 1 : 0;
  return n;
}

/// The start of the first variable: fixed ones come first in the file.
esker::Index header_extent(const esker::cdf::Header& header) {
  esker::Index extent = 0;
  for (const auto& variable : header.variables) {
    if (extent == 0 || variable.begin < extent) extent = variable.begin;
  }
  return extent;
}

int number_setting(const OpenFile& file, const char* option, const char* hint) {
  std::string text = hint_of(file.hints, hint);
  for (const auto& [name, value] : file.file->used_settings()) {
    if (name == option) text = value;
  }
  return std::atoi(text.c_str());
}

}  // namespace

int ncmpi_inq(int ncid, int* ndims, int* nvars, int* ngatts, int* unlimdimid) {
  return with_file(ncid, [&](OpenFile& file) {
    const auto& header = file.header();
    give(ndims, header.dims.size());
    give(nvars, header.variables.size());
    give(ngatts, header.attributes.size());
    give(unlimdimid, header.record_dim().value_or(-1));
    return NC_NOERR;
  });
}

int ncmpi_inq_ndims(int ncid, int* ndims) { return ncmpi_inq(ncid, ndims, nullptr, nullptr, nullptr); }
int ncmpi_inq_nvars(int ncid, int* nvars) { return ncmpi_inq(ncid, nullptr, nvars, nullptr, nullptr); }
int ncmpi_inq_natts(int ncid, int* ngatts) { return ncmpi_inq(ncid, nullptr, nullptr, ngatts, nullptr); }
int ncmpi_inq_unlimdim(int ncid, int* unlimdimid) {
  return ncmpi_inq(ncid, nullptr, nullptr, nullptr, unlimdimid);
}

int ncmpi_inq_num_rec_vars(int ncid, int* nvars) {
  return with_file(ncid, [&](OpenFile& file) {
    give(nvars, n_record_variables(file.header()));
    return NC_NOERR;
  });
}

int ncmpi_inq_num_fix_vars(int ncid, int* nvars) {
  return with_file(ncid, [&](OpenFile& file) {
    give(nvars, static_cast<int>(file.header().variables.size()) - n_record_variables(file.header()));
    return NC_NOERR;
  });
}

int ncmpi_inq_format(int ncid, int* format) {
  return with_file(ncid, [&](OpenFile& file) {
    give(format, static_cast<int>(file.header().version));
    return NC_NOERR;
  });
}

int ncmpi_inq_version(int ncid, int* NC_mode) {
  return with_file(ncid, [&](OpenFile& file) {
    const esker::cdf::Version version = file.header().version;
    if (version == esker::cdf::Version::kData64) {
      give(NC_mode, NC_64BIT_DATA);
    } else {
      give(NC_mode, version == esker::cdf::Version::kOffset64 ? NC_64BIT_OFFSET : NC_CLASSIC_MODEL);
    }
    return NC_NOERR;
  });
}

int ncmpi_inq_path(int ncid, int* pathlen, char* path) {
  return with_file(ncid, [&](OpenFile& file) {
    give(pathlen, file.path.size());
    if (path != nullptr) std::strcpy(path, file.path.c_str());
    return NC_NOERR;
  });
}

int ncmpi_inq_header_size(int ncid, MPI_Offset* size) {
  return with_file(ncid, [&](OpenFile& file) {
    if (size != nullptr) *size = static_cast<MPI_Offset>(esker::cdf::print_header(file.header()).size());
    return NC_NOERR;
  });
}

int ncmpi_inq_header_extent(int ncid, MPI_Offset* extent) {
  return with_file(ncid, [&](OpenFile& file) {
    give(extent, header_extent(file.header()));
    return NC_NOERR;
  });
}

int ncmpi_inq_recsize(int ncid, MPI_Offset* recsize) {
  return with_file(ncid, [&](OpenFile& file) {
    give(recsize, file.header().record_bytes());
    return NC_NOERR;
  });
}

int ncmpi_inq_put_size(int ncid, MPI_Offset* size) {
  return with_file(ncid, [&](OpenFile& file) {
    give(size, file.put_bytes);
    return NC_NOERR;
  });
}

int ncmpi_inq_get_size(int ncid, MPI_Offset* size) {
  return with_file(ncid, [&](OpenFile& file) {
    give(size, file.get_bytes);
    return NC_NOERR;
  });
}

int ncmpi_inq_striping(int ncid, int* striping_size, int* striping_count) {
  return with_file(ncid, [&](OpenFile& file) {
    give(striping_size, number_setting(file, "stripe_size", "striping_unit"));
    give(striping_count, number_setting(file, "stripe_count", "striping_factor"));
    return NC_NOERR;
  });
}

int ncmpi_inq_file_info(int ncid, MPI_Info* info_used) {
  return with_file(ncid, [&](OpenFile& file) {
    if (info_used != nullptr) *info_used = used_hints(file.hints, file.room, file.file->used_settings());
    return NC_NOERR;
  });
}

int ncmpi_get_file_info(int ncid, MPI_Info* info_used) { return ncmpi_inq_file_info(ncid, info_used); }
