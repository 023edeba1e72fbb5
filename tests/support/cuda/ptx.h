// Kernels in PTX, as the double of the CUDA driver runs them: integer and floating-point arithmetic,
// branches, and accesses to global memory and parameters. Shared memory, barriers and calls are not known.
//
// A text is decoded once: all operands, constants included, are then slots of a thread's registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace esker::cuda_double {

struct Thread;  // ptx_thread.h

struct Instruction {
  void (*run)(Thread&, const Instruction&) = nullptr;
  std::int64_t offset = 0;              ///< of an address in bytes, or the instruction to go to
  std::array<std::uint16_t, 5> slot{};  ///< target, then sources; of loads and stores: address, then values
};

struct Kernel {
  struct Parameter {
    std::size_t offset, bytes;
  };
  std::string name;
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0;
  unsigned most_threads = 1024;          ///< of a block
  std::vector<std::uint64_t> registers;  ///< of a thread before its first instruction
  std::vector<Instruction> code;
};

struct PtxModule {
  std::vector<Kernel> kernels;
  std::string error;  ///< "line 7: ..." if the text is not valid, or has what is not known
};
PtxModule decode_ptx(const std::string& text);

/// Memory that kernels may access; 0 bytes: none.
struct MemoryRange {
  unsigned long long first = 0;
  std::size_t bytes = 0;
  std::byte* at = nullptr;  ///< where the host can access it
};
/// The range that has all of some bytes from an address on.
using FindMemory = std::function<MemoryRange(unsigned long long first, std::size_t bytes)>;

struct Launch {
  std::array<unsigned, 3> blocks{1, 1, 1}, threads{1, 1, 1};
  std::vector<std::byte> parameters;
};
struct LaunchResult {
  int result = 0;  ///< kIllegalAddress, kMisalignedAddress
  unsigned long long stored_bytes = 0;
};
/// Runs one thread after the other, until one fails.
LaunchResult run_kernel(const Kernel& kernel, const Launch& launch, const FindMemory& find);

}  // namespace esker::cuda_double
