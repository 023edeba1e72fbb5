#include <algorithm>

#include "ptx_thread.h"

namespace esker::cuda_double {
namespace {

void run_thread(Thread& thread, const Kernel& kernel) {
  std::copy(kernel.registers.begin() + kSpecialRegisters, kernel.registers.end(),
            thread.registers.begin() + kSpecialRegisters);
  thread.next = thread.code;
  while (thread.next != nullptr) {
    const Instruction& instruction = *thread.next++;
    instruction.run(thread, instruction);
  }
}

void set_special(Thread& thread, std::size_t first, const std::array<unsigned, 3>& values) {
  std::copy(values.begin(), values.end(), thread.registers.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Calls action(x, y, z) for all indices below the counts, until it returns false.
template <class Action>
bool for_each_index(const std::array<unsigned, 3>& counts, const Action& action) {
  for (unsigned z = 0; z < counts[2]; ++z) {
    for (unsigned y = 0; y < counts[1]; ++y) {
      for (unsigned x = 0; x < counts[0]; ++x) {
        if (!action(std::array<unsigned, 3>{x, y, z})) return false;
      }
    }
  }
  return true;
}

}  // namespace

LaunchResult run_kernel(const Kernel& kernel, const Launch& launch, const FindMemory& find) {
  constexpr std::size_t kThread = 0, kThreads = 3, kBlock = 6, kBlocks = 9;
  Thread thread;
  thread.code = kernel.code.data();
  thread.registers = kernel.registers;
  thread.launch = &launch;
  thread.find = &find;
  set_special(thread, kThreads, launch.threads);
  set_special(thread, kBlocks, launch.blocks);
  for_each_index(launch.blocks, [&](const auto& block) {
    set_special(thread, kBlock, block);
    return for_each_index(launch.threads, [&](const auto& index) {
      set_special(thread, kThread, index);
      run_thread(thread, kernel);
      return thread.result == 0;
    });
  });
  return {thread.result, thread.stored_bytes};
}

}  // namespace esker::cuda_double
