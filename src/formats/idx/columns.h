// Columns: a field of many components as several fields of an .idx.
//
// OpenVisus copies samples of 1 ... 32, 64, 128, 256, 512 or 1024 bytes and refuses others, so a field with
// other samples is stored as columns, each some of its components, and joined again by the commit record.
#pragma once

#include <string>
#include <vector>

#include "esker/schema.hpp"

namespace esker::idx {

/// One field of a header: components [first_component, first_component + components) of a field of the
/// schema.
struct Column {
  int field = 0;  ///< position in Schema::fields()
  int first_component = 0;
  int components = 1;
};

/// Whether OpenVisus can read samples of that size.
bool is_copyable(Index sample_bytes);

/// The columns of field number `field`, largest first: one if it is copyable or `split` is not wanted.
std::vector<Column> columns_of(const Schema& schema, int field, bool split);

/// The field's name, or for a part of it "species.0-7", "species.8".
std::string column_name(const Field& field, const Column& column);

}  // namespace esker::idx
