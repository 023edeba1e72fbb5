// The files of a dataset that is read.
#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Dataset;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

extern "C" {

esker_status esker_inq_num_parts(esker_dataset* ds, int* num) {
  return read_call(ds, "inq_num_parts", {{num, "num"}}, [&](const Dataset& dataset) {
    *num = static_cast<int>(dataset.parts().size());
    return Status();
  });
}

esker_status esker_inq_part(esker_dataset* ds, int part, esker_part* info) {
  return read_call(ds, "inq_part", {{info, "info"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.parts(), part, "part"));
    *info = esker_part();
    info->name = found->name.c_str();
    info->path = found->path.c_str();
    info->bitmask = found->bitmask.c_str();
    info->num_fields = static_cast<int64_t>(found->fields.size());
    info->rank = found->box.rank;
    give_point(info->lo, found->box.lo, found->box.rank);
    give_point(info->extent, found->box.extents(), found->box.rank);
    info->bits_per_block = found->bits_per_block;
    info->blocks_per_file = found->blocks_per_file;
    info->num_blocks = found->num_blocks;
    info->num_steps = found->num_steps;
    return {};
  });
}

esker_status esker_inq_part_field(esker_dataset* ds, int part, int position, const char** name) {
  return read_call(ds, "inq_part_field", {{name, "name"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.parts(), part, "part"));
    ESKER_ASSIGN_OR_RETURN(const auto* field, element(found->fields, position, "field of the part"));
    *name = field->c_str();
    return {};
  });
}

esker_status esker_inq_num_warnings(esker_dataset* ds, int* num) {
  return read_call(ds, "inq_num_warnings", {{num, "num"}}, [&](const Dataset& dataset) {
    *num = static_cast<int>(dataset.warnings().size());
    return Status();
  });
}

esker_status esker_inq_warning(esker_dataset* ds, int number, const char** text) {
  return read_call(ds, "inq_warning", {{text, "text"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* warning, element(dataset.warnings(), number, "warning"));
    *text = warning->c_str();
    return {};
  });
}

esker_status esker_inq_storage(esker_dataset* ds, int64_t* files, int64_t* bytes) {
  return read_call(ds, "inq_storage", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const esker::StorageInfo storage, dataset.storage());
    give(files, storage.files);
    give(bytes, storage.bytes);
    return {};
  });
}

}  // extern "C"
