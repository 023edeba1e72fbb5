// Types and attributes of netCDF's data model (netcdf::Header) in an HDF5 file, both ways, as the netCDF library
// has them. Within run_session(); failures are thrown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// How variables are stored, for who appends: the alignment of variables, and that of chunks; in a file
/// without times also the number of committed steps.
inline constexpr const char* kStorageAttribute = "esker_storage";

/// As files hold it: little-endian.
hid_t stored_type(netcdf::Type type);
/// As netcdf::Attribute and fill values hold it.
hid_t big_endian_type(netcdf::Type type);

void write_attribute(hid_t object, const netcdf::Attribute& attribute);
/// Text that ends with a NUL, which HDF5's own attributes want.
void write_text(hid_t object, const char* name, const std::string& text);
/// One number, without an extent, or a list.
void write_int(hid_t object, const char* name, int value);
void write_ints(hid_t object, const char* name, const std::vector<int>& values);
/// Other values for a list that is there, as many as it has.
void overwrite_ints(hid_t object, const char* name, const std::vector<int>& values);

/// Those of a dataset or group that netCDF shows, in the order of their names: numbers, and one text, without
/// padding but for one NUL at its end, which the netCDF library counts. `left_out` gets the names of others. kDataLoss: more bytes than any that Esker writes.
std::vector<netcdf::Attribute> read_attributes(hid_t object, std::vector<std::string>* left_out = nullptr);
/// The text of an attribute, without padding; nothing: it is not one text.
std::optional<std::string> text_of(hid_t attribute);
/// Empty: there is no such attribute of integers.
std::vector<int> read_ints(hid_t object, const char* name);

/// The netCDF type that holds all values of a type in a file, of any byte order and number of bits, those of
/// enumerations as their numbers; kChar for texts. Nothing: it has none.
std::optional<netcdf::Type> type_of(hid_t type);

}  // namespace esker::hdf5
