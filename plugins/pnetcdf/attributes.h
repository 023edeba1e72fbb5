// Lists of attributes: of the file (NC_GLOBAL) and of variables.
#pragma once

#include <string>
#include <vector>

#include "open_file.h"

namespace esker::pnetcdf {

/// Null: there is no such variable.
const std::vector<cdf::Attribute>* attributes_of(const OpenFile& file, int variable);
std::vector<cdf::Attribute>& attributes_of(cdf::Header& header, int variable);

/// -1: none has the name.
int find_attribute(const std::vector<cdf::Attribute>& list, const std::string& name);
/// Replaces one of this name, or adds it.
void set_attribute(std::vector<cdf::Attribute>& list, cdf::Attribute attribute);
/// NC_ENOTINDEFINE: the header would grow while data are moved.
int check_attribute_room(const OpenFile& file, const std::vector<cdf::Attribute>& list,
                         const std::string& name, std::size_t bytes);

}  // namespace esker::pnetcdf
