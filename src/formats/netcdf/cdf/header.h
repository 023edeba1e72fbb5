// The header of a CDF file (netCDF's classic formats CDF-1, CDF-2 and CDF-5), read and written.
//
// Grammar and arithmetic: docs/formats/cdf.md, whose sections the code cites. What a file says is checked
// before it is believed or memory is taken for it. Pure but for read_header(); no MPI.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/status.hpp"
#include "formats/netcdf/model/header.h"
#include "store/store.h"

namespace esker::cdf {

using netcdf::Attribute;
using netcdf::Dimension;
using netcdf::Header;
using netcdf::Type;
using netcdf::Variable;
using netcdf::Version;

/// check_structure(), and whether sizes and places fit the version (section 3).
Status check_header(const Header& header);

/// The header as bytes: what check_header() lets pass.
std::vector<std::byte> print_header(const Header& header);

/// Where the number of records stands in a file, and as which bytes.
inline constexpr Index kNumRecordsOffset = 4;
std::vector<std::byte> print_num_records(Version version, Index num_records);

/// Reads and checks a header. A file that was left while it was streamed to has as many records as it has
/// room for. kInvalidArgument: it is no CDF file; kDataLoss: it is damaged, with the place, or variables
/// overlap; kUnsupported.
/// Memory: what the header takes in the file, at most 64 MiB of it, times about ten.
Result<Header> read_header(const File& file);
/// The same of a header alone, as print_header() makes it.
Result<Header> parse_header(std::span<const std::byte> bytes);

/// The part of a header whose values are in a file of `file_bytes`: as many records as the file holds whole,
/// and Variable::missing set where values of a variable lie behind the end. `warnings` names both.
Header present_part(Header header, Index file_bytes, std::vector<std::string>& warnings);

/// kDataLoss: values of two variables share bytes of the file.
Status check_overlap(const Header& header);

}  // namespace esker::cdf
