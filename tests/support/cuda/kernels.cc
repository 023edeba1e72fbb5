// Modules of the double, and launches of their kernels.
#include <array>
#include <cstring>

#include "double.h"
#include "ptx.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

int run(const Kernel& kernel, const Launch& launch) {
  const LaunchResult ran = run_kernel(kernel, launch, find_memory);
  state().kernel_bytes += ran.stored_bytes;
  return ran.result;
}

/// Whether a GPU has so many threads and blocks.
bool is_possible(const Kernel& kernel, const Launch& launch) {
  constexpr std::array<unsigned, 3> kMostBlocks{(1U << 31) - 1, 65535, 65535}, kMostThreads{1024, 1024, 64};
  std::size_t threads = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (launch.blocks[a] == 0 || launch.blocks[a] > kMostBlocks[a]) return false;
    if (launch.threads[a] == 0 || launch.threads[a] > kMostThreads[a]) return false;
    threads *= launch.threads[a];
  }
  return threads <= kernel.most_threads;
}

}  // namespace

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuModuleLoadData(void** module, const void* text) {
  ENTER();
  NEED_CONTEXT();
  PtxModule decoded = esker::cuda_double::decode_ptx(static_cast<const char*>(text));
  state().ptx_error = decoded.error;
  if (!decoded.error.empty()) return kInvalidPtx;
  *module = new PtxModule(std::move(decoded));
  ++state().num_objects;
  return 0;
}
int cuModuleUnload(void* module) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<PtxModule*>(module);
  --state().num_objects;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER();
  NEED_CONTEXT();
  for (const Kernel& kernel : static_cast<PtxModule*>(module)->kernels) {
    *function = const_cast<Kernel*>(&kernel);
    if (kernel.name == name) return 0;
  }
  return kNotFound;
}
int cuLaunchKernel(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned, void* stream,
                   void** parameters, void**) {
  ENTER();
  NEED_CONTEXT();
  const Kernel& kernel = *static_cast<const Kernel*>(function);
  if (parameters == nullptr && !kernel.parameters.empty()) return kInvalidValue;
  Launch launch{{blocks_x, blocks_y, blocks_z}, {threads_x, threads_y, threads_z}, {}};
  if (!is_possible(kernel, launch)) return kInvalidValue;
  launch.parameters.resize(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    const Kernel::Parameter& each = kernel.parameters[n];
    std::memcpy(launch.parameters.data() + each.offset, parameters[n], each.bytes);
  }
  stream_at(stream).work.emplace_back([&kernel, launch] { return run(kernel, launch); });
  return 0;
}
unsigned long long esker_double_kernel_bytes() { return state().kernel_bytes; }
}
