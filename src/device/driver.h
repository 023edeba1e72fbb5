// Driver: the functions of the CUDA driver that Esker calls, under their own names, without CUDA's headers;
// or those of HIP (device/hip_driver.h).
//
// Nothing links to the driver, and Esker never loads it (only HIP's compiler): memory of a device exists only
// in programs that have. So find() looks among the libraries of the process, and costs programs without a GPU
// nothing.
#pragma once

#include <cstddef>
#include <string>

#include "esker/types/status.hpp"

namespace esker::device {

using DriverResult = int;  ///< CUresult
inline constexpr DriverResult kSuccess = 0,
                              kAlreadyRegistered = 712;  // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
using Address = unsigned long long;                      ///< CUdeviceptr
using Context = struct ContextOfDriver*;
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;

/// CUDA_MEMCPY3D.
struct Copy3d {
  struct Side {
    std::size_t x_bytes = 0, y = 0, z = 0, lod = 0;
    int memory_type = 0;  ///< kMemoryHost or kMemoryDevice
    void* host = nullptr;
    Address device = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    std::size_t pitch_bytes = 0, height = 0;
  };
  Side from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};
static_assert(sizeof(Copy3d) == 200 && offsetof(Copy3d, to) == 88 && offsetof(Copy3d, width_bytes) == 176);
inline constexpr int kMemoryHost = 1, kMemoryDevice = 2;  // CU_MEMORYTYPE_*
inline constexpr int kContextOfPointer = 1, kMemoryTypeOfPointer = 2, kIsManagedPointer = 8,
                     kDeviceOfPointer = 9;  // CU_POINTER_ATTRIBUTE_*

// clang-format off
/// X(member, its name in the library, types of arguments)
#define ESKER_DRIVER_FUNCTIONS(X)                                                                             \
  X(get_error_name, "cuGetErrorName", DriverResult, const char**)                                             \
  X(get_error_string, "cuGetErrorString", DriverResult, const char**)                                         \
  X(get_pointer_attributes, "cuPointerGetAttributes", unsigned, int*, void**, Address)                        \
  X(get_current_context, "cuCtxGetCurrent", Context*)                                                         \
  X(get_device_of_context, "cuCtxGetDevice", int*)                                                            \
  X(get_context_of_stream, "cuStreamGetCtx", Stream, Context*)                                                \
  X(is_capturing, "cuStreamIsCapturing", Stream, int*)                                                        \
  X(get_primary_context_state, "cuDevicePrimaryCtxGetState", int, unsigned*, int*)                            \
  X(retain_primary_context, "cuDevicePrimaryCtxRetain", Context*, int)                                        \
  X(release_primary_context, "cuDevicePrimaryCtxRelease_v2", int)                                             \
  X(push_context, "cuCtxPushCurrent_v2", Context)                                                             \
  X(pop_context, "cuCtxPopCurrent_v2", Context*)                                                              \
  X(create_stream, "cuStreamCreate", Stream*, unsigned)                                                       \
  X(destroy_stream, "cuStreamDestroy_v2", Stream)                                                             \
  X(synchronize_stream, "cuStreamSynchronize", Stream)                                                        \
  X(let_stream_wait, "cuStreamWaitEvent", Stream, Event, unsigned)                                            \
  X(create_event, "cuEventCreate", Event*, unsigned)                                                          \
  X(destroy_event, "cuEventDestroy_v2", Event)                                                                \
  X(record_event, "cuEventRecord", Event, Stream)                                                             \
  X(register_host, "cuMemHostRegister_v2", void*, std::size_t, unsigned)                                      \
  X(unregister_host, "cuMemHostUnregister", void*)                                                            \
  X(get_device_pointer, "cuMemHostGetDevicePointer_v2", Address*, void*, unsigned)                            \
  X(load_module, "cuModuleLoadData", Module*, const void*)                                                    \
  X(unload_module, "cuModuleUnload", Module)                                                                  \
  X(get_function, "cuModuleGetFunction", Function*, Module, const char*)                                      \
  X(launch_kernel, "cuLaunchKernel", Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
    unsigned, Stream, void**, void**)                                                                         \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", void*, Address, std::size_t, Stream)                                \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", Address, const void*, std::size_t, Stream)                        \
  X(copy_3d, "cuMemcpy3DAsync_v2", const Copy3d*, Stream)
// clang-format on

struct Driver {
#define X(member, name, ...) ::esker::device::DriverResult (*member)(__VA_ARGS__) = nullptr;
  ESKER_DRIVER_FUNCTIONS(X)
#undef X
  const char* kernel = nullptr;  ///< for load_module
  const char* call_prefix = "";  ///< of the names of calls in errors: what they are of another driver

  /// The driver that the process has loaded; null: none, or one that lacks functions. Local;
  /// about 10 ns.
  static const Driver* find();

  /// OK if the result is a success; else kIoError, or kOutOfMemory, with the name of the call and the
  /// driver's text.
  [[nodiscard]] Status check(DriverResult result, const char* call) const;
};

}  // namespace esker::device
