// ForeignArray: an array of any program, as its metadata describe it, in Zarr v3 or v2. Pure.
//
// What Esker cannot read of it is an error of this array alone: `unsupported` names the codec, the type or
// whatever it is. Source: Zarr v3 core specification, codecs and chunk keys; Zarr v2 specification.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/sample_type.hpp"
#include "format/json_text.h"
#include "formats/netcdf/model/header.h"
#include "formats/zarr/stored_form.h"

namespace esker::zarr {

struct ForeignArray {
  std::string name;
  std::string unsupported = {};            ///< why its values cannot be read; empty if they can
  SampleType type = SampleType::kFloat64;  ///< of values in memory
  bool is_text = false;                    ///< one text without axes (vlen-utf8)
  bool is_characters = false;              ///< values are the characters of texts, along the last axis
  StoredForm form = {};
  std::vector<std::string> dims = {};  ///< of each axis; "" if it has no name
  std::vector<netcdf::Attribute> attributes = {};
  std::vector<std::string> left_out = {};  ///< names of attributes that netCDF's model does not have
};

/// Of the text of a zarr.json.
ForeignArray parse_array_v3(const std::string& name, const Json& json);
/// Of the texts of a .zarray and a .zattrs; null: there are no attributes.
ForeignArray parse_array_v2(const std::string& name, const Json& json, const Json* attributes);

/// The type of values in memory and in the file, as NumPy names it without byte order: "f4", "b1", "S8".
struct StoredType {
  SampleType type = SampleType::kFloat64;
  bool is_half = false, is_bool = false;
  Index num_characters = 0;  ///< of texts of this length; 0: numbers
};

// Steps that both versions have in common.

/// Adds the attributes in `json`, which replace others of the same name.
void take_attributes(const Json& json, ForeignArray& array);
/// kDataLoss, kUnsupported: negative extents, or too many.
Status check_shape(const std::vector<Index>& shape);
/// Sets type, axis of characters and attributes that tell them.
void set_type(const StoredType& type, ForeignArray& array);
/// kUnsupported names the codec: unknown, or a second compression.
Status add_codec(const std::string& name, CodecChain& chain);
/// The fill value in the member `fill_value`; null is 0. kDataLoss: not a value of the type.
Status set_fill(const Json& json, const StoredType& type, ForeignArray& array);
/// Sizes that no reader can handle, and extents that do not fit together. Extents are at least 1.
Status check_form(const StoredForm& form);

}  // namespace esker::zarr
