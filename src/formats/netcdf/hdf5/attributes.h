// Converts types and attributes between netCDF's data model (netcdf::Header) and an HDF5 file, in the form
// that the netCDF library uses. For use within run_session(); throws on failure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// How variables are stored, for programs that append: the alignment of variables and that of chunks. A file
/// without times also has the number of committed steps here.
inline constexpr const char* kStorageAttribute = "esker_storage";

/// A note for users about filters that HDF5 does not have.
inline constexpr const char* kFiltersAttribute = "esker_filters";
/// Describes the parts of a dataset whose values are in other files (parts.h).
inline constexpr const char* kPartsAttribute = "esker_parts";

/// The form in files: little-endian.
hid_t stored_type(netcdf::Type type);
/// The form in netcdf::Attribute and in fill values.
hid_t big_endian_type(netcdf::Type type);

void write_attribute(hid_t object, const netcdf::Attribute& attribute);
/// A NUL-terminated text, which HDF5's own attributes require.
void write_text(hid_t object, const char* name, const std::string& text);
/// One number without an extent, or a list of numbers.
void write_int(hid_t object, const char* name, int value);
void write_ints(hid_t object, const char* name, const std::vector<int>& values);
/// Replaces the values of an existing list; the number of values must be the same.
void overwrite_ints(hid_t object, const char* name, const std::vector<int>& values);

/// The attributes of a dataset or group that netCDF shows, sorted by name: numbers, lists of texts, and one
/// text without padding except for one final NUL, which the netCDF library counts. `notes` gets what is to be
/// said of attributes that are not as in the file, by their names: "is left out: ...". kDataLoss: an
/// attribute has more bytes than any that Esker writes.
std::vector<netcdf::Attribute> read_attributes(hid_t object,
                                               std::map<std::string, std::string>* notes = nullptr);
/// The text of an attribute, without padding; nothing if the attribute is not one text.
std::optional<std::string> text_of(hid_t attribute);
/// The text of an attribute of an object; empty if there is no such text.
std::string text_attribute(hid_t object, const char* name);
/// Empty if there is no integer attribute of that name.
std::vector<int> read_ints(hid_t object, const char* name);

/// The netCDF type that holds all values of a type in a file, for any byte order and number of bits;
/// enumerations as their numbers, texts as kChar. Nothing if there is no such type.
std::optional<netcdf::Type> type_of(hid_t type);

}  // namespace esker::hdf5
