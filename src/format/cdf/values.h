// Values of a CDF file as a schema has them: attributes, coordinates, times.
#pragma once

#include <vector>

#include "esker/schema.hpp"
#include "format/cdf/cdf_file.h"
#include "store/store.h"

namespace esker::cdf {

/// As a list of the widest type of its kind.
AttributeValue to_value(const Attribute& attribute);

/// Those that every format and binding can carry, without the schema's outline.
Attributes to_attributes(const std::vector<Attribute>& list);

/// All values of a variable, or those of one record; none of characters. kDataLoss: they are not all in the
/// file.
Result<std::vector<double>> read_reals(const File& file, const CdfFile& of, int variable, Index step);

}  // namespace esker::cdf
