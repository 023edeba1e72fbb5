#include "device/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "base/error.h"

namespace esker::device {
namespace {

constexpr DriverResult kOutOfDeviceMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

/// Whether all functions were found.
bool load_functions(void* library, Driver& driver) {
  bool has_all = true;
#define X(member, name, ...)                                                         \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(library, name)); \
  has_all &= driver.member != nullptr;
  ESKER_DRIVER_FUNCTIONS(X)
#undef X
  return has_all;
}

}  // namespace

// The driver is looked for again until it is there: a program may load it after its first step.
const Driver* Driver::find() {
  static std::atomic<const Driver*> found = nullptr;
  static std::mutex mutex;
  static Driver driver;
  if (const Driver* known = found.load(std::memory_order_acquire)) return known;
  static std::atomic<bool> lacks_functions = false;
  if (lacks_functions) return nullptr;
  const std::lock_guard lock(mutex);
  if (const Driver* known = found.load(std::memory_order_acquire)) return known;
  void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  lacks_functions = !load_functions(library, driver);
  if (!lacks_functions) found.store(&driver, std::memory_order_release);
  return found.load(std::memory_order_acquire);
}

Status Driver::check(DriverResult result, const char* call) const {
  if (result == kSuccess) return {};
  const char *name = nullptr, *text = nullptr;
  if (get_error_name(result, &name) != kSuccess || name == nullptr) name = "unknown error";
  if (get_error_string(result, &text) != kSuccess || text == nullptr) text = "";
  return error(result == kOutOfDeviceMemory ? Code::kOutOfMemory : Code::kIoError, "{}: {} ({}) {}", call,
               name, result, text);
}

}  // namespace esker::device
