// CompanionSchema: the variables of a CDF file that a dataset in another format has, as a schema. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "formats/netcdf/cdf/header.h"

namespace esker {

/// [position in Header::variables] whether the dataset has it: as a field, as coordinates, or as the times.
using ChosenVariables = std::vector<bool>;

struct CompanionSchema {
  Schema schema;
  std::vector<int> variable_of_field;  ///< [position in Schema::fields()] position in Header::variables
  std::vector<std::string> warnings;   ///< names and attributes that differ from those of the file
};

/// Why a variable is never in the dataset: "characters"; empty if it can be.
std::string reason_to_leave_out(const cdf::Header& header, const cdf::Variable& variable);
/// "title (characters), run (no axes)"; empty if all variables can be in the dataset.
std::string describe_left_out(const cdf::Header& header);

/// The variable that has the times of records: the one named like their dimension; -1: none.
int time_variable_of(const cdf::Header& header);
/// Whether it is a field of records, or (not `of_records`) a fixed field: neither coordinates nor times.
bool is_field(const cdf::Header& header, const cdf::Variable& variable, bool of_records);

/// The chosen ones of a header. `coordinates`: the values of those that are coordinates of fixed dimensions.
/// Without chosen times, steps are numbered.
Result<CompanionSchema> companion_schema(const cdf::Header& header, const ChosenVariables& chosen,
                                         const std::map<int, AttributeValue>& coordinates);

/// Why a dataset with the schema `existing` has other fields than `made`; empty: it has the same.
std::string difference_of_fields(const Schema& existing, const Schema& made);

}  // namespace esker
