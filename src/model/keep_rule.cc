#include <utility>

#include "esker/types/keep.hpp"

namespace esker {

KeepRule KeepRule::everywhere(int level) {
  KeepRule rule;
  rule.level = level;
  return rule;
}

KeepRule KeepRule::inside(std::vector<Box> boxes, int level) {
  KeepRule rule;
  rule.region = Region::kBoxes;
  rule.level = level;
  rule.boxes = std::move(boxes);
  return rule;
}

KeepRule KeepRule::in_range(FieldId field, double low, double high, int level) {
  KeepRule rule;
  rule.region = Region::kRange;
  rule.level = level;
  rule.field = field;
  rule.low = low;
  rule.high = high;
  return rule;
}

KeepRule KeepRule::by_levels(const Patch& levels) {
  KeepRule rule;
  rule.region = Region::kLevels;
  rule.levels = levels;
  return rule;
}

}  // namespace esker
