// counted: numbers in texts for users, who count from 0 in C++, C and Python and from 1 in Fortran.
//
// For messages only. Comparisons between ranks, stored data and decisions use positions, because another rank
// may count from another number.
#pragma once

#include <cstdint>

namespace esker {

/// During its lifetime, texts that this thread makes number samples, steps, fields and so on from `first`, 0
/// or 1. The C interface makes one in each call, with the setting of the dataset's handle; run_tasks() makes
/// one in each of its threads.
class CountFrom {
 public:
  explicit CountFrom(int first);
  CountFrom(const CountFrom&) = delete;
  CountFrom& operator=(const CountFrom&) = delete;
  ~CountFrom();

 private:
  int before_;
};

/// The number that this thread counts from; 0 without a CountFrom.
int first_number();

/// The number in a text for the position `position`, which counts from 0.
inline std::int64_t counted(std::int64_t position) { return position + first_number(); }

/// The same for a step, whose position may be counted from the newest: -1, -2 ...
inline std::int64_t counted_step(std::int64_t step) { return step < 0 ? step : counted(step); }

}  // namespace esker
