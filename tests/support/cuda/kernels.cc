// Modules of the double, and launches of their kernels.
#include <array>
#include <cstring>

#include "double.h"
#include "ptx.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

int run(const Context& context, const Kernel& kernel, const Launch& launch) {
  const LaunchResult ran = run_kernel(
      kernel, launch, [&](Address first, std::size_t bytes) { return find_memory(context, first, bytes); });
  state().kernel_bytes += ran.stored_bytes;
  return ran.result;
}

/// The kernel of the current context with this handle, and its module; null: there is none.
std::pair<std::shared_ptr<PtxModule>, const Kernel*> find_kernel(void* handle) {
  for (const auto& [key, module] : current_context()->modules) {
    for (const Kernel& kernel : module->kernels) {
      if (&kernel == handle) return {module, &kernel};
    }
  }
  return {};
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

std::shared_ptr<PtxModule> find_module(void* handle) {
  const auto& modules = current_context()->modules;
  const auto found = modules.find(handle);
  return found == modules.end() ? nullptr : found->second;
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuModuleLoadData(void** module, const void* text) {
  ENTER();
  NEED_CONTEXT();
  auto made = std::make_shared<PtxModule>(decode_ptx(static_cast<const char*>(text)));
  state().ptx_error = made->error;
  if (!state().ptx_error.empty()) return kInvalidPtx;
  *module = made.get();
  current_context()->modules.emplace(made.get(), std::move(made));
  ++state().num_objects;
  return 0;
}
int cuModuleUnload(void* module) {
  ENTER();
  NEED_CONTEXT();
  if (current_context()->modules.erase(module) == 0) return kInvalidHandle;
  --state().num_objects;
  return 0;
}
int cuModuleGetFunction(void** function, void* handle, const char* name) {
  ENTER();
  NEED_CONTEXT();
  const auto module = find_module(handle);
  if (module == nullptr) return kInvalidHandle;
  for (Kernel& kernel : module->kernels) {
    *function = &kernel;
    if (kernel.name == name) return 0;
  }
  return kNotFound;
}
int cuLaunchKernel(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned, void* of_stream,
                   void** parameters, void**) {
  ENTER();
  NEED_CONTEXT();
  const std::shared_ptr<Stream> stream = find_stream(of_stream);
  const auto found = find_kernel(function);
  if (stream == nullptr || found.second == nullptr) return kInvalidHandle;
  const Kernel& kernel = *found.second;
  if (parameters == nullptr && !kernel.parameters.empty()) return kInvalidValue;
  Launch launch{{blocks_x, blocks_y, blocks_z}, {threads_x, threads_y, threads_z}, {}};
  if (!is_possible(kernel, launch)) return kInvalidValue;
  launch.parameters.resize(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    const Kernel::Parameter& each = kernel.parameters[n];
    std::memcpy(launch.parameters.data() + each.offset, parameters[n], each.bytes);
  }
  enqueue(stream, [&kernel, launch, kept = found.first, context = stream->context] {
    return run(*context, kernel, launch);
  });
  return 0;
}
unsigned long long esker_double_kernel_bytes() { return state().kernel_bytes; }
}
