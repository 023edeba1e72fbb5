#include "device/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/system.h"
#include "device/copy_kernel.h"
#include "device/hip_driver.h"

namespace esker::device {
namespace {

constexpr DriverResult kOutOfDeviceMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

/// Whether all functions were found.
bool load_cuda_functions(void* library, Driver& driver) {
  bool has_all = true;
#define X(member, name, ...)                                                         \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(library, name)); \
  has_all &= driver.member != nullptr;
  ESKER_DRIVER_FUNCTIONS(X)
#undef X
  driver.kernel = kCopyKernelPtx;
  return has_all;
}

/// Looks for one among the libraries of the process.
bool load_driver(Driver& driver) {
  const auto loaded = [](const char* name) { return ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD); };
  if (void* const cuda = loaded("libcuda.so.1"); cuda != nullptr && load_cuda_functions(cuda, driver))
    return true;
  for (const auto& [name, compiler] :
       {std::pair("libamdhip64.so.7", "libhiprtc.so.7"), std::pair("libamdhip64.so.6", "libhiprtc.so.6")}) {
    void* const hip = loaded(name);
    if (hip != nullptr && load_hip_functions(hip, compiler, driver)) return true;
  }
  return false;
}

}  // namespace

// A program may load the driver after its first step: it is looked for again when a library was loaded. Each
// put asks, and the search of a library that is not loaded takes 18 us.
const Driver* Driver::find() {
  static std::atomic<const Driver*> found = nullptr;
  static std::atomic<std::uint64_t> searched_at = ~std::uint64_t{0};
  static std::mutex mutex;
  static Driver driver;
  if (const Driver* known = found.load(std::memory_order_acquire)) return known;
  const std::uint64_t loads = library_loads();
  if (searched_at.load(std::memory_order_relaxed) == loads) return nullptr;
  const std::lock_guard lock(mutex);
  if (const Driver* known = found.load(std::memory_order_acquire)) return known;
  if (load_driver(driver)) found.store(&driver, std::memory_order_release);
  searched_at.store(loads, std::memory_order_relaxed);
  return found.load(std::memory_order_acquire);
}

Status Driver::check(DriverResult result, const char* call) const {
  if (result == kSuccess) return {};
  const char *name = nullptr, *text = nullptr;
  if (get_error_name(result, &name) != kSuccess || name == nullptr) name = "unknown error";
  if (get_error_string(result, &text) != kSuccess || text == nullptr) text = "";
  return error(result == kOutOfDeviceMemory ? Code::kOutOfMemory : Code::kIoError, "{}{}: {} ({}) {}",
               call_prefix, call, name, result, text);
}

}  // namespace esker::device
