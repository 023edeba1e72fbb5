// DeviceBytes: memory of a GPU in tests; of the tests' double of the driver, or of the machine's.
//
// ESKER_TEST_DEVICE=all or mixed puts patches of tests there, all or some of them. The driver is
// libcuda.so.1, wherever the loader finds it, else the double of HIP, which has the same functions.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace esker::testing_support {

class CudaOfTests {
 public:
  static const CudaOfTests& get() {
    static const CudaOfTests only;
    return only;
  }
  /// A function of the driver, or of its double; null: it has no such function.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  /// In the primary context of device 0, which is current only meanwhile.
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    check("cuCtxPushCurrent_v2", context_);
    void* popped = nullptr;
    auto* const function = find<int(Arguments...)>(name);
    const int result = function == nullptr ? -1 : function(arguments...);
    check("cuCtxPopCurrent_v2", &popped);
    if (result != 0) throw std::runtime_error(std::string(name) + ": " + std::to_string(result));
  }

 private:
  template <class... Arguments>
  void check(const char* name, Arguments... arguments) const {
    auto* const function = find<int(Arguments...)>(name);
    const int result = function == nullptr ? -1 : function(arguments...);
    if (result != 0) throw std::runtime_error(std::string(name) + ": " + std::to_string(result));
  }
  CudaOfTests() : library_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) {
    if (library_ == nullptr) library_ = ::dlopen("libamdhip64.so.6", RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    check("cuInit", 0U);
    int device = 0;
    check("cuDeviceGet", &device, 0);
    check("cuDevicePrimaryCtxRetain", &context_, device);
  }
  void* library_;
  void* context_ = nullptr;
};

class DeviceBytes {
 public:
  explicit DeviceBytes(std::span<const std::byte> content) : size_(content.size()) {
    if (size_ == 0) return;
    CudaOfTests::get().call("cuMemAlloc_v2", &address_, size_);
    CudaOfTests::get().call("cuMemcpyHtoD_v2", address_, static_cast<const void*>(content.data()), size_);
  }
  DeviceBytes(DeviceBytes&& other) noexcept
      : address_(std::exchange(other.address_, 0)), size_(std::exchange(other.size_, 0)) {}
  DeviceBytes& operator=(DeviceBytes&&) = delete;
  ~DeviceBytes() {
    if (address_ != 0) CudaOfTests::get().call("cuMemFree_v2", address_);
  }

  [[nodiscard]] std::byte* data() const {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address_));
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  void read(std::byte* to) const {
    if (size_ > 0) CudaOfTests::get().call("cuMemcpyDtoH_v2", static_cast<void*>(to), address_, size_);
  }

 private:
  unsigned long long address_ = 0;
  std::size_t size_ = 0;
};

/// Whether patch memory with this number is to be on the device.
inline bool is_for_device(unsigned number) {
  const char* const asked = std::getenv("ESKER_TEST_DEVICE");
  if (asked == nullptr) return false;
  return std::string_view(asked) == "all" || (std::string_view(asked) == "mixed" && number / 3 % 2 == 0);
}

}  // namespace esker::testing_support
