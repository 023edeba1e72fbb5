#include "write/keep_call.h"

#include "base/error.h"
#include "base/macros.h"
#include "grid/bitmask.h"

namespace esker {
namespace {

Status check_range(const Schema& schema, const KeepCall& call) {
  const KeepRule& rule = call.rule;
  if (rule.field.index < 0 || rule.field.index >= std::ssize(schema.fields())) {
    return error(Code::kInvalidArgument, "no field has the handle {}", rule.field.index);
  }
  const Field& field = schema.fields()[static_cast<std::size_t>(rule.field.index)];
  if (field.grid != call.grid) {
    return error(Code::kInvalidArgument, "the range is of field '{}', which is on grid '{}', not on '{}'",
                 field.name, schema.grid_of(field).name,
                 schema.grids()[static_cast<std::size_t>(call.grid)].name);
  }
  if (rule.low <= rule.high) return {};
  return error(Code::kInvalidArgument, "the range {} ... {} is empty: expected low <= high", rule.low,
               rule.high);
}

Status check_levels(const Schema& schema, const KeepCall& call) {
  const Patch& levels = call.rule.levels;
  const Box grid = schema.box_of(schema.grids()[static_cast<std::size_t>(call.grid)]);
  if (levels.type != SampleType::kInt8) {
    return error(Code::kInvalidArgument, "the levels of samples are of type {}, expected int8",
                 name(levels.type));
  }
  if (levels.box.rank != grid.rank || !grid.contains(levels.box)) {
    return error(Code::kOutOfRange, "the levels are given for {}, which exceeds the grid {}",
                 levels.box.to_string(), grid.to_string());
  }
  if (levels.data == nullptr && !levels.box.empty()) {
    return error(Code::kInvalidArgument, "the levels have no data: their pointer is NULL");
  }
  return {};
}

Status check_boxes(const Schema& schema, const KeepCall& call) {
  const int rank = schema.rank_of(schema.grids()[static_cast<std::size_t>(call.grid)]);
  for (const Box& box : call.rule.boxes) {
    if (box.rank == rank) continue;
    return error(Code::kInvalidArgument, "the box {} has {} axes, the grid has {}", box.to_string(), box.rank,
                 rank);
  }
  return {};
}

}  // namespace

Status check_rule(const Schema& schema, const KeepCall& call) {
  const KeepRule& rule = call.rule;
  if (rule.level > 0 || rule.level < -kMaxLevel) {
    return error(Code::kOutOfRange, "level {}: levels count from the finest, 0, down: expected {} to 0",
                 rule.level, -kMaxLevel);
  }
  if (rule.dilate < 0) return error(Code::kOutOfRange, "dilate {}: expected 0 or more", rule.dilate);
  switch (rule.region) {
    case KeepRule::Region::kEverywhere:
      return {};
    case KeepRule::Region::kBoxes:
      return check_boxes(schema, call);
    case KeepRule::Region::kRange:
      return check_range(schema, call);
    case KeepRule::Region::kLevels:
      return check_levels(schema, call);
  }
  return {};
}

}  // namespace esker
