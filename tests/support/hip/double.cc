// A double of HIP's runtime, on the double of the CUDA driver: libamdhip64.so.6, with the functions that
// Esker calls, as HIP's headers declare them.
#include <cstddef>
#include <cstdint>

#include "device/driver.h"

// The functions are found by name, and declared nowhere.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace {

using esker::device::Address;
using esker::device::Copy3d;

/// hipPointerAttribute_t.
struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned allocation_flags;
};

/// HIP_MEMCPY3D.
struct HipSide {
  std::size_t x, y, z, lod;
  int memory_type;
  void *host, *device, *array;
  std::size_t pitch, height;
};
struct HipCopy {
  HipSide from, to;
  std::size_t width, height, depth;
};

Copy3d::Side side_of(const HipSide& side) {
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(side.device));
  return {side.x,  side.y,     side.z,  side.lod,   side.memory_type, side.host,
          address, side.array, nullptr, side.pitch, side.height};
}

}  // namespace

extern "C" {

int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);
int cuPointerGetAttributes(unsigned, int*, void**, Address);
int cuDevicePrimaryCtxRetain(void**, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuCtxPushCurrent_v2(void*);
int cuCtxPopCurrent_v2(void**);
int cuCtxGetDevice(int*);
int cuStreamGetCtx(void*, void**);
int cuStreamIsCapturing(void*, int*);
int cuStreamCreate(void**, unsigned);
int cuStreamDestroy_v2(void*);
int cuStreamSynchronize(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuEventCreate(void**, unsigned);
int cuEventDestroy_v2(void*);
int cuEventRecord(void*, void*);
int cuMemHostRegister_v2(void*, std::size_t, unsigned);
int cuMemHostUnregister(void*);
int cuMemHostGetDevicePointer_v2(Address*, void*, unsigned);
int cuModuleLoadData(void**, const void*);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
int cuMemcpyDtoHAsync_v2(void*, Address, std::size_t, void*);
int cuMemcpyHtoDAsync_v2(Address, const void*, std::size_t, void*);
int cuMemcpy3DAsync_v2(const Copy3d*, void*);

}  // extern "C"

namespace {

constexpr int kNotAHandle = 400;                         // hipErrorInvalidHandle
void* const kLegacyStream = reinterpret_cast<void*>(1);  // a handle that not all functions of HIP know
thread_local int device_of_thread = 0;

/// Calls a function of the driver in the context that HIP has for the device of this thread.
template <class Call>
int in_device(const Call& call) {
  void *context = nullptr, *popped = nullptr;
  if (const int retained = cuDevicePrimaryCtxRetain(&context, device_of_thread); retained != 0)
    return retained;
  int result = cuCtxPushCurrent_v2(context);
  if (result == 0) {
    result = call();
    (void)cuCtxPopCurrent_v2(&popped);
  }
  (void)cuDevicePrimaryCtxRelease_v2(device_of_thread);
  return result;
}

}  // namespace

extern "C" {

const char* hipGetErrorName(int result) {
  const char* name = nullptr;
  (void)cuGetErrorName(result, &name);
  return name;
}
const char* hipGetErrorString(int result) {
  const char* text = nullptr;
  (void)cuGetErrorString(result, &text);
  return text;
}
int hipGetDevice(int* device) {
  *device = device_of_thread;
  return 0;
}
int hipSetDevice(int device) {
  device_of_thread = device;
  return 0;
}
int hipPointerGetAttributes(PointerAttributes* found, const void* memory) {
  if (memory == nullptr) return 1;
  *found = {};
  int attributes[] = {2, 8, 9};
  void* values[] = {&found->type, &found->is_managed, &found->device};
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
  return cuPointerGetAttributes(3, attributes, values, address);
}
int hipStreamGetDevice(void* stream, int* device) {
  void *context = nullptr, *popped = nullptr;
  if (const int result = in_device([&] { return cuStreamGetCtx(stream, &context); }); result != 0)
    return result;
  if (const int result = cuCtxPushCurrent_v2(context); result != 0) return result;
  const int result = cuCtxGetDevice(device);
  (void)cuCtxPopCurrent_v2(&popped);
  return result;
}
int hipStreamIsCapturing(void* stream, int* status) {
  if (stream == kLegacyStream) return kNotAHandle;
  return in_device([&] { return cuStreamIsCapturing(stream, status); });
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  return in_device([&] { return cuStreamCreate(stream, flags); });
}
int hipStreamDestroy(void* stream) {
  return in_device([&] { return cuStreamDestroy_v2(stream); });
}
int hipStreamSynchronize(void* stream) {
  if (stream == kLegacyStream) return kNotAHandle;
  return in_device([&] { return cuStreamSynchronize(stream); });
}
int hipStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return in_device([&] { return cuStreamWaitEvent(stream, event, flags); });
}
int hipEventCreateWithFlags(void** event, unsigned flags) {
  return in_device([&] { return cuEventCreate(event, flags); });
}
int hipEventDestroy(void* event) {
  return in_device([&] { return cuEventDestroy_v2(event); });
}
int hipEventRecord(void* event, void* stream) {
  if (stream == kLegacyStream) return kNotAHandle;
  return in_device([&] { return cuEventRecord(event, stream); });
}
/// As HIP, it does not say that memory is registered already.
int hipHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  constexpr int kAlreadyRegistered = 712;
  const int result = in_device([&] { return cuMemHostRegister_v2(memory, bytes, flags); });
  return result == kAlreadyRegistered ? 0 : result;
}
int hipHostUnregister(void* memory) {
  return in_device([&] { return cuMemHostUnregister(memory); });
}
int hipHostGetDevicePointer(void** on_device, void* memory, unsigned flags) {
  Address address = 0;
  const int result = in_device([&] { return cuMemHostGetDevicePointer_v2(&address, memory, flags); });
  *on_device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  return result;
}
int hipModuleLoadData(void** module, const void* code) {
  return in_device([&] { return cuModuleLoadData(module, code); });
}
int hipModuleUnload(void* module) {
  return in_device([&] { return cuModuleUnload(module); });
}
int hipModuleGetFunction(void** function, void* module, const char* name) {
  return in_device([&] { return cuModuleGetFunction(function, module, name); });
}
int hipModuleLaunchKernel(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                          unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes,
                          void* stream, void** parameters, void** extra) {
  return in_device([&] {
    return cuLaunchKernel(function, blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z,
                          shared_bytes, stream, parameters, extra);
  });
}
int hipMemcpyDtoHAsync(void* to, void* from, std::size_t bytes, void* stream) {
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(from));
  return in_device([&] { return cuMemcpyDtoHAsync_v2(to, address, bytes, stream); });
}
int hipMemcpyHtoDAsync(void* to, void* from, std::size_t bytes, void* stream) {
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(to));
  return in_device([&] { return cuMemcpyHtoDAsync_v2(address, from, bytes, stream); });
}
int hipDrvMemcpy3DAsync(const HipCopy* copy, void* stream) {
  const Copy3d request{side_of(copy->from), side_of(copy->to), copy->width, copy->height, copy->depth};
  return in_device([&] { return cuMemcpy3DAsync_v2(&request, stream); });
}
}
