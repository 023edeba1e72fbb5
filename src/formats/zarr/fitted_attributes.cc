#include "formats/zarr/fitted_attributes.h"

#include <algorithm>

#include "formats/netcdf/model/values.h"
#include "formats/zarr/names.h"

namespace esker::zarr {
namespace {

bool is_of_fill(const netcdf::Attribute& attribute) {
  return attribute.name == kFillAttribute || attribute.name == "missing_value";
}

}  // namespace

void fit_attributes(Array& array) {
  if (array.is_text) {
    std::erase_if(array.attributes, [](const netcdf::Attribute& attribute) {
      return is_of_fill(attribute) || attribute.name == "_Encoding";
    });
  }
  if (array.is_text || array.type != SampleType::kFloat32) return;
  for (netcdf::Attribute& attribute : array.attributes) {
    if (!is_of_fill(attribute)) continue;
    const AttributeValue value = netcdf::to_value(attribute);
    const auto rounded = to_type(numbers_of(value), array.type);
    if (!text_of(value) && rounded.ok()) attribute = netcdf::to_attribute(attribute.name, to_value(*rounded));
  }
}

}  // namespace esker::zarr
