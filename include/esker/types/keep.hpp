// KeepRule: which samples of a step are stored, and at which resolution.
//
//   writer.keep(grid, KeepRule::everywhere(-9)).check();                        // 1/512 of the samples
//   writer.keep(grid, KeepRule::inside({sensor_box}, -3)).check();              // 1/8 around a sensor
//   writer.keep(grid, KeepRule::in_range(temperature, 1200, 1e9)).check();      // all where it burns
//
// The kept level of a place is that of the finest rule which reaches it, on any rank. Levels count from the
// finest: 0 keeps all samples of a place, -1 every second one, -6 one of 64. A block of the file that holds a
// sample of a kept level is written, with all its samples. Other blocks are neither sent nor stored.
//
// With the option partial, rules for boxes and for everywhere also store blocks where no rank puts samples,
// but only samples that a rank puts count as primary (StoredSamples).
//
// Errors of Writer::keep: kWrongOrder (no step is open), kInvalidArgument (low > high, a range of a field of
// another grid, levels that are not int8 or have no data, boxes with another number of axes), kOutOfRange (a
// level above 0 or below -62, a negative dilate, levels for samples outside the grid). Errors of end_step:
// kOutOfRange (a level that the grid does not have), kInvalidArgument (levels for samples that this rank does
// not put), kWrongOrder (the field of the rule, or of its range, is not put), kUnsupported (the format, or a
// field with stored bits), kOutOfMemory (an eighth of memory_budget is too little to dilate ranges or
// levels).
#pragma once

#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/patch.hpp"
#include "esker/types/schema.hpp"

namespace esker {

struct ESKER_API KeepRule {
  /// What decides where the rule applies.
  enum class Region { kEverywhere, kBoxes, kRange, kLevels };

  /// All of the grid at `level` (<= 0): reduced resolution.
  static KeepRule everywhere(int level);
  /// The samples in `boxes`, in indices of the grid. Parts outside the grid are ignored. No boxes are still a
  /// rule: nothing is stored of a field that has no other.
  static KeepRule inside(std::vector<Box> boxes, int level = 0);
  /// The samples that this rank puts in this step with low <= value <= high, of any component. NaN counts as
  /// inside, at the finest level; see drop_nan. `field` is put in this step, on the grid of the rule. Values
  /// are compared as float64: 64-bit integers beyond 2^53 are rounded first.
  static KeepRule in_range(FieldId field, double low, double high, int level = 0);
  /// A level for each sample of a box: int8, 0 or below; kDropped: not reached by this rule. This rank puts
  /// the samples of the box, of at least one field of the grid. The memory must not change until end_step.
  /// `level` has no effect.
  static KeepRule by_levels(const Patch& levels);
  static constexpr int kDropped = -128;

  Region region = Region::kEverywhere;
  int level = 0;
  Index dilate = 0;       ///< grows the region by so many samples in all directions, across ranks, too
  bool drop_nan = false;  ///< NaN is outside of ranges
  std::vector<Box> boxes = {};
  FieldId field = {};
  double low = 0, high = 0;
  Patch levels = {};
};

}  // namespace esker
