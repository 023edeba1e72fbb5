#include "definition.h"

#include <limits>
#include <string>

#include "interface.h"

namespace esker::pnetcdf {
namespace {

/// Of the whole variable, or of one record. Products that overflow are larger than anything.
bool is_large(const cdf::Header& header, const cdf::Variable& variable, Index limit) {
  Index bytes = netcdf::size_bytes(variable.type);
  for (const int dim : variable.dims) {
    const Index length = header.dims[static_cast<std::size_t>(dim)].length;
    if (length == 0) continue;
    if (bytes > limit / length) return true;
    bytes *= length;
  }
  return false;
}

/// One variable may be larger than the format's limit: the last one, as nothing follows it.
int check_sizes(const cdf::Header& header) {
  const Index limit = largest_size(header.version);
  int n_large[2] = {0, 0};  // fixed, of records
  bool is_last_large[2] = {false, false};
  int n[2] = {0, 0};
  for (const cdf::Variable& variable : header.variables) {
    const int kind = header.is_record(variable) ? 1 : 0;
    ++n[kind];
    is_last_large[kind] = is_large(header, variable, limit);
    if (is_last_large[kind]) ++n_large[kind];
  }
  const bool is_data64 = header.version == cdf::Version::kData64;
  for (int kind = 0; kind < 2; ++kind) {
    if (n_large[kind] == 0) continue;
    if (is_data64 || n_large[kind] > 1 || !is_last_large[kind]) return NC_EVARSIZE;
  }
  return n_large[0] > 0 && n[1] > 0 ? NC_EVARSIZE : NC_NOERR;
}

/// CDF-1 has offsets of 31 bits: no spare room where fixed variables need all of them.
cdf::FileRoom room_for(const cdf::Header& header, const cdf::FileRoom& wanted) {
  if (header.version != cdf::Version::kClassic) return wanted;
  Index bytes = 0;
  Index last = 0;
  for (const cdf::Variable& variable : header.variables) {
    last = header.is_record(variable) ? 0 : header.value_bytes(variable);
    bytes += last;
  }
  const Index spare = wanted.spare_header_bytes + wanted.spare_variable_bytes +
                      wanted.variable_alignment_bytes + wanted.record_alignment_bytes;
  constexpr Index kSmallHeader = 1 << 20;
  if (bytes - last + spare < largest_size(header.version) - kSmallHeader) return wanted;
  return {0, netcdf::kCdfAlignment, 0, netcdf::kCdfAlignment};
}

int fill_new(OpenFile& file) {
  const cdf::Header& header = file.header();
  const std::size_t first = file.n_old_variables;
  file.n_old_variables = header.variables.size();
  for (std::size_t i = first; i < file.n_old_variables; ++i) {
    if (file.variable_fills[i] == 0) continue;
    const Index n = header.is_record(header.variables[i]) ? header.num_records : 1;
    for (Index record = 0; record < n; ++record) {
      const Status status = file.file->fill(static_cast<int>(i), record);
      if (!status.ok()) return code_of(status);
    }
  }
  return NC_NOERR;
}

}  // namespace

int check_type(cdf::Version version, int type) {
  if (type <= NC_NAT || type > NC_UINT64) return NC_EBADTYPE;
  return type > NC_DOUBLE && version != cdf::Version::kData64 ? NC_ESTRICTCDF2 : NC_NOERR;
}

Index largest_size(cdf::Version version) {
  if (version == cdf::Version::kData64) return std::numeric_limits<std::int64_t>::max() - 3;
  if (version == cdf::Version::kOffset64) return Index{std::numeric_limits<std::uint32_t>::max()} - 3;
  return Index{std::numeric_limits<std::int32_t>::max()} - 3;
}

int end_definition(OpenFile& file, const cdf::FileRoom& room) {
  if (const int code = check_sizes(file.header()); code != NC_NOERR) return code;
  const Status status = file.file->end_definition(room_for(file.header(), room));
  // Names and types have been checked: what the version of the file does not have are offsets.
  if (status.code() == Code::kInvalidArgument) return (void)code_of(status), NC_EVARSIZE;
  if (!status.ok()) return code_of(status, file.file->mismatch());
  file.is_independent = false;
  if (file.companion) {
    const Status taken = file.told(file.companion->take_definition());
    if (!taken.ok()) return code_of(taken);
  }
  if (const Index moved = file.file->moved_bytes(); moved > 0 && file.comm->rank() == 0) {
    warn("enddef: " + file.path + ": " + std::to_string(moved) +
         " bytes of values were copied to a new file, which has room for the new variables and attributes");
  }
  return fill_new(file);
}

}  // namespace esker::pnetcdf

using namespace esker::pnetcdf;

int ncmpi_enddef(int ncid) { return ncmpi__enddef(ncid, 0, 0, 0, 0); }

int ncmpi__enddef(int ncid, MPI_Offset h_minfree, MPI_Offset v_align, MPI_Offset v_minfree,
                  MPI_Offset r_align) {
  return with_file(ncid, [&](OpenFile& file) {
    int code = NC_NOERR;
    if (!file.file->is_defining()) {
      code = NC_ENOTINDEFINE;
    } else if (h_minfree < 0 || v_align < 0 || v_minfree < 0 || r_align < 0) {
      code = NC_EINVAL;
    }
    code = file.agreed(code);
    if (code != NC_NOERR) return code;
    esker::cdf::FileRoom room = file.room;
    if (h_minfree > room.spare_header_bytes) room.spare_header_bytes = h_minfree;
    if (v_align > 0) room.variable_alignment_bytes = v_align;
    if (v_minfree > 0) room.spare_variable_bytes = v_minfree;
    if (r_align > 0) room.record_alignment_bytes = r_align;
    return end_definition(file, room);
  });
}

int ncmpi_redef(int ncid) {
  return with_file(ncid, [](OpenFile& file) -> int {
    if (!file.file->is_writable()) return NC_EPERM;
    if (file.file->is_defining()) return NC_EINDEFINE;
    file.is_independent = false;
    return code_of(file.file->redefine());
  });
}

int ncmpi_begin_indep_data(int ncid) {
  return with_file(ncid, [](OpenFile& file) -> int {
    if (file.file->is_defining()) return NC_EINDEFINE;
    file.is_independent = true;
    return NC_NOERR;
  });
}

int ncmpi_end_indep_data(int ncid) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (file.file->is_defining()) return NC_EINDEFINE;
    if (!file.is_independent) return NC_NOERR;
    file.is_independent = false;
    return file.file->is_writable() ? code_of(file.sync(false)) : static_cast<int>(NC_NOERR);
  });
}

int ncmpi_sync(int ncid) {
  return with_file(ncid, [](OpenFile& file) -> int {
    if (file.file->is_defining()) return NC_EINDEFINE;
    return file.file->is_writable() ? code_of(file.sync(true)) : static_cast<int>(NC_NOERR);
  });
}

int ncmpi_sync_numrecs(int ncid) { return ncmpi_sync(ncid); }

int ncmpi_flush(int ncid) {
  return with_file(ncid, [](OpenFile&) { return NC_NOERR; });
}
