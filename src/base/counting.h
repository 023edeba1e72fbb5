// counted: numbers in texts for people, who count from 0 in C++, C and Python and from 1 in Fortran.
//
// For messages alone. What ranks compare, what is stored and what decides anything uses positions: another
// rank may count from another number.
#pragma once

#include <cstdint>

namespace esker {

/// While it lives, texts that this thread makes number samples, steps, fields and so on from `first`, 0 or 1.
/// The C interface makes one in each call, from what the dataset's handle says; run_tasks() one in each of
/// its threads.
class CountFrom {
 public:
  explicit CountFrom(int first);
  CountFrom(const CountFrom&) = delete;
  CountFrom& operator=(const CountFrom&) = delete;
  ~CountFrom();

 private:
  int before_;
};

/// Of this thread: 0 without a CountFrom.
int first_number();

/// The number in a text of what has the position `position`, from 0.
inline std::int64_t counted(std::int64_t position) { return position + first_number(); }

/// The same of a step, whose position may be counted from the newest: -1, -2 ...
inline std::int64_t counted_step(std::int64_t step) { return step < 0 ? step : counted(step); }

}  // namespace esker
