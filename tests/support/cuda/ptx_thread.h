// Thread: the registers of the thread that runs, and what it accesses.
#pragma once

#include <cstring>
#include <type_traits>

#include "ptx.h"
#include "results.h"

namespace esker::cuda_double {

/// The first slots are the special registers: %tid, %ntid, %ctaid, %nctaid, x, y and z of each.
inline constexpr std::size_t kSpecialRegisters = 12;

struct Thread {
  const Instruction* code = nullptr;
  const Instruction* next = nullptr;  ///< null: the thread has ended
  std::vector<std::uint64_t> registers;
  const Launch* launch = nullptr;
  const FindMemory* find = nullptr;
  MemoryRange loaded, stored;  ///< the last ones, which are mostly those of the next access
  unsigned long long stored_bytes = 0;
  int result = 0;

  template <class T>
  [[nodiscard]] T get(std::uint16_t slot) const {
    if constexpr (std::is_same_v<T, bool>) {
      return (registers[slot] & 1) != 0;
    } else {
      T value;
      std::memcpy(&value, &registers[slot], sizeof value);  // a GPU has little endians, too
      return value;
    }
  }
  /// Integers fill wider registers by their sign.
  template <class T>
  void set(std::uint16_t slot, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      registers[slot] = 0;
      std::memcpy(&registers[slot], &value, sizeof value);
    } else {
      registers[slot] = static_cast<std::uint64_t>(value);
    }
  }
  void fail(int with) {
    result = with;
    next = nullptr;
  }
};

}  // namespace esker::cuda_double
