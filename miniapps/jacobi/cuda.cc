#include "cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace jacobi {
namespace {

using Address = unsigned long long;
constexpr std::size_t kThreads = 256, kMostBlocks = 65535;

Address address_of(const double* array) {
  return static_cast<Address>(reinterpret_cast<std::uintptr_t>(array));
}

}  // namespace

template <class... Arguments>
int Gpu::call(const char* name, Arguments... arguments) const {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
  if (function == nullptr) throw std::runtime_error(fmt::format("the CUDA driver has no function {}", name));
  return function(arguments...);
}

template <class... Arguments>
void Gpu::check(const char* name, Arguments... arguments) const {
  const int result = call(name, arguments...);
  if (result == 0) return;
  const char* error = nullptr;
  if (call("cuGetErrorName", result, &error) != 0 || error == nullptr) error = "unknown error";
  throw std::runtime_error(fmt::format("{}: {} ({})", name, error, result));
}

Gpu::Gpu(int rank_on_node) : library_(::dlopen("libcuda.so.1", RTLD_NOW)) {
  if (library_ == nullptr) throw std::runtime_error(fmt::format("no CUDA driver: {}", ::dlerror()));
  check("cuInit", 0U);
  int devices = 0;
  check("cuDeviceGetCount", &devices);
  if (devices == 0) throw std::runtime_error("the CUDA driver finds no GPU");
  check("cuDeviceGet", &device_, rank_on_node % devices);
  check("cuDevicePrimaryCtxRetain", &context_, device_);
  check("cuCtxPushCurrent_v2", context_);
}

Gpu::~Gpu() {
  void* popped = nullptr;
  if (module_ != nullptr) (void)call("cuModuleUnload", module_);
  (void)call("cuCtxPopCurrent_v2", &popped);
  (void)call("cuDevicePrimaryCtxRelease_v2", device_);
}

void Gpu::load(const char* ptx, const char* kernel) {
  check("cuModuleLoadData", &module_, static_cast<const void*>(ptx));
  check("cuModuleGetFunction", &kernel_, module_, kernel);
}

void Gpu::launch(std::size_t cells, std::span<void*> parameters) {
  const auto blocks = static_cast<unsigned>(std::min(kMostBlocks, (cells + kThreads - 1) / kThreads));
  const auto threads = static_cast<unsigned>(kThreads);
  void* const legacy_stream = nullptr;
  void** const no_more = nullptr;
  check("cuLaunchKernel", kernel_, blocks, 1U, 1U, threads, 1U, 1U, 0U, legacy_stream, parameters.data(),
        no_more);
}

double* Gpu::allocate(std::size_t values) {
  Address address = 0;
  check("cuMemAlloc_v2", &address, values * sizeof(double));
  return reinterpret_cast<double*>(static_cast<std::uintptr_t>(address));
}

void Gpu::free(double* array) noexcept { (void)call("cuMemFree_v2", address_of(array)); }

void Gpu::to_host(double* host, const double* array, std::size_t values) {
  check("cuMemcpyDtoH_v2", static_cast<void*>(host), address_of(array), values * sizeof(double));
}

void Gpu::to_gpu(double* array, const double* host, std::size_t values) {
  check("cuMemcpyHtoD_v2", address_of(array), static_cast<const void*>(host), values * sizeof(double));
}

}  // namespace jacobi
