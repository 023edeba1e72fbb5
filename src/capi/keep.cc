// Adaptive storage: which samples the open step keeps, and what the last step kept.
#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Code;
using esker::Index;
using esker::KeepRule;
using esker::Patch;
using esker::Result;
using esker::Schema;
using esker::Status;
using esker::StepReport;
using esker::Writer;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

/// What a rule is for: a grid, or one of its fields.
struct Target {
  int grid = -1;
  int field = -1;  // -1: all of the grid
  int rank = 0;    // of the grid
};

Result<Target> target_of(const Schema& schema, esker_object object, int number) {
  Target target;
  if (object == ESKER_FIELD) {
    ESKER_ASSIGN_OR_RETURN(const auto* field, element(schema.fields(), number, "field"));
    target.field = number;
    target.grid = field->grid;
  } else if (object == ESKER_GRID) {
    target.grid = number;
  } else {
    return esker::error(Code::kInvalidArgument, "object {}, expected ESKER_GRID or ESKER_FIELD", object);
  }
  ESKER_ASSIGN_OR_RETURN(const auto* grid, element(schema.grids(), target.grid, "grid"));
  target.rank = schema.rank_of(*grid);
  return target;
}

/// `make_rule(rank)` returns the rule for a grid of so many axes.
template <class MakeRule>
esker_status keep(esker_dataset* ds, const char* operation, esker_object object, int number,
                  std::initializer_list<Needed> needed, const MakeRule& make_rule) {
  return recorded_call(ds, operation, needed, [&](Writer& writer) -> Status {
    const auto target = target_of(writer.schema(), object, number);
    if (!target.ok()) return target.status().with_context(operation);
    const Result<KeepRule> rule = make_rule(target->rank);
    if (!rule.ok()) return rule.status().with_context(operation);
    return target->field < 0 ? writer.keep(esker::GridId{target->grid}, *rule)
                             : writer.keep(esker::FieldId{target->field}, *rule);
  });
}

Result<KeepRule> rule_of_boxes(int rank, int64_t num_boxes, const int64_t* lo, const int64_t* extent) {
  if (num_boxes < 0) {
    return esker::error(Code::kInvalidArgument, "{} boxes, expected 0 or more", num_boxes);
  }
  KeepRule rule = KeepRule::inside({});
  for (int64_t b = 0; b < num_boxes; ++b) {
    const auto box = to_box(rank, lo + b * rank, extent + b * rank);
    if (!box.ok()) return box.status().with_context(fmt::format("box {}", esker::counted(b)));
    rule.boxes.push_back(*box);
  }
  return rule;
}

/// Without strides: dense, x fastest. If the products overflow, the box does not fit its grid, and keep()
/// reports that.
Patch patch_of_levels(const esker::Box& box, const int8_t* levels, const int64_t* stride_bytes) {
  Patch patch;
  patch.box = box;
  patch.data = levels;
  patch.type = esker::SampleType::kInt8;
  patch.component_stride_bytes = 1;
  if (stride_bytes) {
    std::copy_n(stride_bytes, box.rank, patch.stride_bytes.begin());
    return patch;
  }
  std::uint64_t stride = 1;
  for (int a = 0; a < box.rank; ++a) {
    patch.stride_bytes[a] = static_cast<Index>(stride);
    stride *= static_cast<std::uint64_t>(box.hi[a]) - static_cast<std::uint64_t>(box.lo[a]);
  }
  return patch;
}

}  // namespace

extern "C" {

esker_status esker_keep_level(esker_dataset* ds, esker_object object, int number, int level) {
  return keep(ds, "keep_level", object, number, {},
              [&](int /*rank*/) -> Result<KeepRule> { return KeepRule::everywhere(level); });
}

esker_status esker_keep_boxes(esker_dataset* ds, esker_object object, int number, int64_t num_boxes,
                              const int64_t* lo, const int64_t* extent, int level, int64_t dilate) {
  const auto make_rule = [&](int rank) -> Result<KeepRule> {
    if (num_boxes > 0) ESKER_RETURN_IF_ERROR(check_given("boxes", {{lo, "lo"}, {extent, "extent"}}));
    ESKER_ASSIGN_OR_RETURN(KeepRule rule, rule_of_boxes(rank, num_boxes, lo, extent));
    rule.level = level;
    rule.dilate = dilate;
    return rule;
  };
  return keep(ds, "keep_boxes", object, number, {}, make_rule);
}

esker_status esker_keep_range(esker_dataset* ds, esker_object object, int number, int field, double low,
                              double high, int level, int64_t dilate, int drop_nan) {
  const auto make_rule = [&](int /*rank*/) -> Result<KeepRule> {
    ESKER_RETURN_IF_ERROR(element(ds->writer->schema().fields(), field, "field").status());
    KeepRule rule = KeepRule::in_range({field}, low, high, level);
    rule.dilate = dilate;
    rule.drop_nan = drop_nan != 0;
    return rule;
  };
  return keep(ds, "keep_range", object, number, {}, make_rule);
}

esker_status esker_keep_levels(esker_dataset* ds, esker_object object, int number, const int64_t* lo,
                               const int64_t* extent, const int8_t* levels, const int64_t* stride_bytes,
                               int64_t dilate) {
  const auto make_rule = [&](int rank) -> Result<KeepRule> {
    ESKER_ASSIGN_OR_RETURN(const esker::Box box, to_box(rank, lo, extent));
    KeepRule rule = KeepRule::by_levels(patch_of_levels(box, levels, stride_bytes));
    rule.dilate = dilate;
    return rule;
  };
  return keep(ds, "keep_levels", object, number, {{lo, "lo"}, {extent, "extent"}}, make_rule);
}

esker_status esker_inq_last_kept(esker_dataset* ds, esker_kept_report* report) {
  return writer_call(ds, "inq_last_kept", [&](Writer& writer) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("inq_last_kept", {{report, "report"}}));
    const StepReport& last = writer.last_step();
    *report = {last.primary_bytes, last.secondary_bytes, last.padding_bytes,
               last.raised_from,   last.write_imbalance, last.put_imbalance};
    return {};
  });
}

esker_status esker_inq_last_kept_field(esker_dataset* ds, int field, int* is_sparse,
                                       esker_stored_samples* samples) {
  return writer_call(ds, "inq_last_kept_field", [&](Writer& writer) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("inq_last_kept_field", {{is_sparse, "is_sparse"}}));
    ESKER_ASSIGN_OR_RETURN(const auto* asked, element(writer.schema().fields(), field, "field"));
    const auto& fields = writer.last_step().fields;
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& kept) { return kept.name == asked->name; });
    *is_sparse = found != fields.end() ? 1 : 0;
    give(samples, found != fields.end() ? to_c(found->samples) : esker_stored_samples{});
    return {};
  });
}

}  // extern "C"
