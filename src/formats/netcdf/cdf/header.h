// Reads and writes the header of a CDF file (netCDF's classic formats CDF-1, CDF-2 and CDF-5).
//
// Grammar and arithmetic: docs/formats/cdf.md, whose sections the code cites. Values from a file are checked
// before they are used or memory is allocated for them. Pure except read_header(); no MPI.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/netcdf/model/header.h"
#include "store/store.h"

namespace esker::cdf {

using netcdf::Attribute;
using netcdf::Dimension;
using netcdf::Header;
using netcdf::Type;
using netcdf::Variable;
using netcdf::Version;

/// Checks that sizes and offsets fit the version (section 3).
Status check_fits(const Header& header);
/// Runs check_structure() and check_fits().
Status check_header(const Header& header);

/// The header as bytes; its argument must pass check_header().
std::vector<std::byte> print_header(const Header& header);

/// The offset of the number of records in a file, and its bytes.
inline constexpr Index kNumRecordsOffset = 4;
std::vector<std::byte> print_num_records(Version version, Index num_records);

/// Reads and checks a header. A file that was abandoned while it was streamed has as many records as fit in
/// it. kInvalidArgument: not a CDF file. kDataLoss: damaged (the message has the offset), or variables
/// overlap. kUnsupported. Memory: about ten times the size of the header in the file, of which at most 64 MiB
/// are read.
Result<Header> read_header(const File& file);
/// The same for a header alone, as print_header() makes it.
Result<Header> parse_header(std::span<const std::byte> bytes);

/// The part of a header whose values are in a file of `file_bytes`: the number of complete records, and
/// Variable::missing set for variables that extend past the end of the file. `warnings` names both.
Header present_part(Header header, Index file_bytes, std::vector<std::string>& warnings);

/// kDataLoss: the values of two variables overlap in the file.
Status check_overlap(const Header& header);

}  // namespace esker::cdf
