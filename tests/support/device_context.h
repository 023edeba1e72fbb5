// DeviceContext: a context that a program makes on a device, in tests with the double of the CUDA driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "support/device_bytes.h"

namespace esker::testing_support {

/// The result of a function of the driver, in the current context.
template <class... Arguments>
int result_of(const char* name, Arguments... arguments) {
  return CudaOfTests::get().find<int(Arguments...)>(name)(arguments...);
}

class DeviceContext {
 public:
  /// Current only while it is used.
  explicit DeviceContext(int device) {
    CudaOfTests::get();
    result_of("cuCtxCreate_v2", &handle_, 0U, device);
    result_of("cuCtxPopCurrent_v2", &handle_);
  }
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;
  ~DeviceContext() { destroy(); }

  [[nodiscard]] void* handle() const { return handle_; }
  void destroy() {
    if (handle_ != nullptr) result_of("cuCtxDestroy_v2", std::exchange(handle_, nullptr));
  }
  /// The result of a function of the driver in this context.
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    if (const int pushed = result_of("cuCtxPushCurrent_v2", handle_); pushed != 0) return pushed;
    const int result = result_of(name, arguments...);
    void* popped = nullptr;
    result_of("cuCtxPopCurrent_v2", &popped);
    return result;
  }
  /// Memory with this content, which ends with the context.
  std::byte* allocate(std::span<const std::byte> content) const {
    unsigned long long address = 0;
    call("cuMemAlloc_v2", &address, content.size());
    call("cuMemcpyHtoD_v2", address, static_cast<const void*>(content.data()), content.size());
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
  }
  [[nodiscard]] void* new_stream() const {
    void* stream = nullptr;
    call("cuStreamCreate", &stream, 1U);
    return stream;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace esker::testing_support
