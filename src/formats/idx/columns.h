// Columns: stores a field of many components as several fields of an .idx.
//
// OpenVisus copies samples of 1 ... 32, 64, 128, 256, 512 or 1024 bytes and rejects other sizes. A field with
// such a size is stored as columns of some components each; the commit record tells how to join them. zfp
// compresses scalars: a field is stored as columns of one component each.
#pragma once

#include <string>
#include <vector>

#include "codec/codec_spec.h"
#include "esker/types/schema.hpp"

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

/// The columns of field number `field`, largest first. One column if `split` is false, or if the field is
/// copyable and `codec` compresses its components together.
std::vector<Column> columns_of(const Schema& schema, int field, CodecKind codec, bool split);

/// The name of the field; for a part of it "species.0-7", "species.8".
std::string column_name(const Field& field, const Column& column);

}  // namespace esker::idx
