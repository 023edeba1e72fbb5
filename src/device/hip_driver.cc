#include "device/hip_driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/copy_kernel.h"

namespace esker::device {
namespace {

constexpr DriverResult kInvalidValue = 1, kFileNotFound = 301, kCannotCompile = 218;
constexpr auto kLegacyStream =
    std::uintptr_t{1};  // another name of null, which some functions of HIP do not know

/// hipPointerAttribute_t.
struct PointerAttributes {
  int type = 0;  // 0: not HIP's, else as kMemoryHost and kMemoryDevice, 3: managed
  int device = -1;
  void *on_device = nullptr, *on_host = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
  std::array<std::uint64_t, 4> reserved{};  // a later version may append
};

/// A side of HIP_MEMCPY3D, which has nothing reserved.
struct CopySide {
  std::size_t x_bytes, y, z, lod;
  int memory_type;
  void *host, *device, *array;
  std::size_t pitch_bytes, height;
};
struct HipCopy3d {
  CopySide from, to;
  std::size_t width_bytes, height, depth;
};
static_assert(sizeof(HipCopy3d) == 184);

using Program = struct ProgramOfHip*;

// clang-format off
/// X(member, its name in the library, type of the result, types of arguments): those that differ from CUDA's
#define ESKER_HIP_FUNCTIONS(X)                                                                                \
  X(get_error_name, "hipGetErrorName", const char*, DriverResult)                                             \
  X(get_error_string, "hipGetErrorString", const char*, DriverResult)                                         \
  X(get_pointer_attributes, "hipPointerGetAttributes", DriverResult, PointerAttributes*, const void*)         \
  X(get_device, "hipGetDevice", DriverResult, int*)                                                           \
  X(set_device, "hipSetDevice", DriverResult, int)                                                            \
  X(get_device_of_stream, "hipStreamGetDevice", DriverResult, Stream, int*)                                   \
  X(copy_3d, "hipDrvMemcpy3DAsync", DriverResult, const HipCopy3d*, Stream)                                   \
  X(is_capturing, "hipStreamIsCapturing", DriverResult, Stream, int*)                                         \
  X(record_event, "hipEventRecord", DriverResult, Event, Stream)                                              \
  X(synchronize_stream, "hipStreamSynchronize", DriverResult, Stream)                                         \
  X(register_host, "hipHostRegister", DriverResult, void*, std::size_t, unsigned)                             \
  X(load_module, "hipModuleLoadData", DriverResult, Module*, const void*)
/// The same of hipRTC
#define ESKER_HIP_COMPILER_FUNCTIONS(X)                                                                       \
  X(create, "hiprtcCreateProgram", int, Program*, const char*, const char*, int, const char**, const char**)  \
  X(compile, "hiprtcCompileProgram", int, Program, int, const char**)                                         \
  X(get_code_size, "hiprtcGetCodeSize", int, Program, std::size_t*)                                           \
  X(get_code, "hiprtcGetCode", int, Program, char*)                                                           \
  X(get_log_size, "hiprtcGetProgramLogSize", int, Program, std::size_t*)                                      \
  X(get_log, "hiprtcGetProgramLog", int, Program, char*)                                                      \
  X(destroy, "hiprtcDestroyProgram", int, Program*)
/// X(member, name of HIP's function with the same arguments)
#define ESKER_HIP_SAME_FUNCTIONS(X)                                                                           \
  X(create_stream, "hipStreamCreateWithFlags")                                                                \
  X(destroy_stream, "hipStreamDestroy")                                                                       \
  X(let_stream_wait, "hipStreamWaitEvent")                                                                    \
  X(create_event, "hipEventCreateWithFlags")                                                                  \
  X(destroy_event, "hipEventDestroy")                                                                         \
  X(unregister_host, "hipHostUnregister")                                                                     \
  X(get_device_pointer, "hipHostGetDevicePointer")                                                            \
  X(unload_module, "hipModuleUnload")                                                                         \
  X(get_function, "hipModuleGetFunction")                                                                     \
  X(launch_kernel, "hipModuleLaunchKernel")                                                                   \
  X(copy_to_host, "hipMemcpyDtoHAsync")                                                                       \
  X(copy_to_device, "hipMemcpyHtoDAsync")
// clang-format on

#define ESKER_FIND(member, name, ...)                                  \
  member = reinterpret_cast<decltype(member)>(::dlsym(library, name)); \
  has_all &= member != nullptr;
#define ESKER_MEMBER(member, name, result, ...) result (*member)(__VA_ARGS__) = nullptr;

struct Hip {
  ESKER_HIP_FUNCTIONS(ESKER_MEMBER)
  bool load(void* library) {
    bool has_all = true;
    ESKER_HIP_FUNCTIONS(ESKER_FIND)
    return has_all;
  }
};
Hip hip;  // set once, before the driver is handed out, as this
const char* compiler_name = nullptr;

struct Compiler {
  ESKER_HIP_COMPILER_FUNCTIONS(ESKER_MEMBER)
  bool load(void* library) {
    bool has_all = true;
    ESKER_HIP_COMPILER_FUNCTIONS(ESKER_FIND)
    return has_all;
  }
};

Context context_of(int device) {
  return reinterpret_cast<Context>(static_cast<std::uintptr_t>(device) + 1);  // none is null
}
int device_of(Context context) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(context) - 1); }
thread_local std::vector<int> devices_before;  // of push_context

DriverResult get_error_name(DriverResult result, const char** name) {
  *name = hip.get_error_name(result);
  return kSuccess;
}

/// What hipRTC has made, kept for the process.
struct Compiled {
  std::mutex mutex;
  std::map<int, std::string> code;  // of a device; empty: it cannot be compiled
  std::string log;                  // of the last that could not
};
Compiled& compiled() {
  static Compiled only;
  return only;
}

DriverResult get_error_string(DriverResult result, const char** text) {
  const bool is_of_compiler = result == kCannotCompile && !compiled().log.empty();
  *text = is_of_compiler ? compiled().log.c_str() : hip.get_error_string(result);
  return kSuccess;
}

DriverResult get_pointer_attributes(unsigned n, int* attributes, void** values, Address address) {
  PointerAttributes found;
  const void* const memory = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));
  if (const DriverResult result = hip.get_pointer_attributes(&found, memory); result != kSuccess)
    return result;
  for (unsigned i = 0; i < n; ++i) {
    auto* const value = static_cast<int*>(values[i]);
    switch (attributes[i]) {
      case kContextOfPointer:
        *static_cast<Context*>(values[i]) = found.type == 0 ? nullptr : context_of(found.device);
        break;
      case kMemoryTypeOfPointer:
        *value = found.type;
        break;
      case kIsManagedPointer:
        *value = found.is_managed;
        break;
      case kDeviceOfPointer:
        *value = found.device;
        break;
      default:
        return kInvalidValue;
    }
  }
  return kSuccess;
}

Stream plain(Stream stream) {
  return reinterpret_cast<std::uintptr_t>(stream) == kLegacyStream ? nullptr : stream;
}
DriverResult is_capturing(Stream stream, int* status) { return hip.is_capturing(plain(stream), status); }
DriverResult record_event(Event event, Stream stream) { return hip.record_event(event, plain(stream)); }
DriverResult synchronize_stream(Stream stream) { return hip.synchronize_stream(plain(stream)); }

/// HIP itself registers memory a second time.
DriverResult register_host(void* memory, std::size_t bytes, unsigned flags) {
  auto* const first = static_cast<std::byte*>(memory);
  for (const void* const at : {first, first + bytes - 1}) {
    PointerAttributes found;
    if (hip.get_pointer_attributes(&found, at) == kSuccess && found.type != 0) return kAlreadyRegistered;
  }
  return hip.register_host(memory, bytes, flags);
}

DriverResult get_current_context(Context* context) {
  int device = 0;
  const DriverResult result = hip.get_device(&device);
  *context = context_of(device);
  return result;
}
DriverResult get_context_of_stream(Stream stream, Context* context) {
  int device = 0;
  const DriverResult result = hip.get_device_of_stream(stream, &device);
  *context = context_of(device);
  return result;
}
DriverResult get_primary_context_state(int, unsigned* flags, int* is_active) {
  *flags = 0;
  *is_active = 1;
  return kSuccess;
}
DriverResult retain_primary_context(Context* context, int device) {
  *context = context_of(device);
  return kSuccess;
}
DriverResult release_primary_context(int) { return kSuccess; }

DriverResult push_context(Context context) {
  int before = 0;
  if (const DriverResult result = hip.get_device(&before); result != kSuccess) return result;
  devices_before.push_back(before);
  const DriverResult result = hip.set_device(device_of(context));
  if (result != kSuccess) devices_before.pop_back();
  return result;
}
DriverResult pop_context(Context* context) {
  (void)get_current_context(context);
  const int before = devices_before.back();
  devices_before.pop_back();
  return hip.set_device(before);
}

CopySide side_of(const Copy3d::Side& side) {
  return {side.x_bytes,
          side.y,
          side.z,
          side.lod,
          side.memory_type,
          side.host,
          reinterpret_cast<void*>(static_cast<std::uintptr_t>(side.device)),
          side.array,
          side.pitch_bytes,
          side.height};
}
DriverResult copy_3d(const Copy3d* copy, Stream stream) {
  HipCopy3d request{side_of(copy->from), side_of(copy->to), copy->width_bytes, copy->height, copy->depth};
  return hip.copy_3d(&request, stream);
}

/// Code of the current device; empty: it cannot be compiled, and `log` says why.
std::string compile(const Compiler& compiler, const char* source, std::string& log) {
  std::array<const char*, 2> texts{kCopyUnitsSource, kCopyTaskSource},
      names{"device/copy_units.h", "device/copy_task.h"};
  std::array<const char*, 1> options{"-std=c++17"};
  std::string code;
  std::size_t size = 0;
  Program program = nullptr;
  if (compiler.create(&program, source, "copy_kernel.cu", texts.size(), texts.data(), names.data()) != 0)
    return {};
  if (compiler.compile(program, options.size(), options.data()) == 0 &&
      compiler.get_code_size(program, &size) == 0) {
    code.resize(size);
    if (compiler.get_code(program, code.data()) != 0) code.clear();
  } else if (compiler.get_log_size(program, &size) == 0) {
    log.resize(size);
    if (compiler.get_log(program, log.data()) != 0) log.clear();
  }
  (void)compiler.destroy(&program);
  return code;
}

/// `source`: Driver::kernel. Compiled once per device.
DriverResult load_module(Module* module, const void* source) {
  int device = 0;
  if (const DriverResult result = hip.get_device(&device); result != kSuccess) return result;
  Compiled& all = compiled();
  const std::lock_guard lock(all.mutex);
  auto known = all.code.find(device);
  if (known == all.code.end()) {
    void* const library = ::dlopen(compiler_name, RTLD_NOW);  // remains loaded
    Compiler compiler;
    if (library == nullptr || !compiler.load(library)) return kFileNotFound;
    known = all.code.emplace(device, compile(compiler, static_cast<const char*>(source), all.log)).first;
  }
  return known->second.empty() ? kCannotCompile : hip.load_module(module, known->second.data());
}

}  // namespace

bool load_hip_functions(void* library, const char* compiler, Driver& driver) {
  compiler_name = compiler;
  bool has_all = hip.load(library);
#define ESKER_FIND_SAME(member, name) ESKER_FIND(driver.member, name)
  ESKER_HIP_SAME_FUNCTIONS(ESKER_FIND_SAME)
  driver.get_error_name = get_error_name;
  driver.get_error_string = get_error_string;
  driver.get_pointer_attributes = get_pointer_attributes;
  driver.get_current_context = get_current_context;
  driver.get_device_of_context = hip.get_device;
  driver.get_context_of_stream = get_context_of_stream;
  driver.get_primary_context_state = get_primary_context_state;
  driver.retain_primary_context = retain_primary_context;
  driver.release_primary_context = release_primary_context;
  driver.push_context = push_context;
  driver.pop_context = pop_context;
  driver.is_capturing = is_capturing;
  driver.record_event = record_event;
  driver.synchronize_stream = synchronize_stream;
  driver.register_host = register_host;
  driver.load_module = load_module;
  driver.copy_3d = copy_3d;
  driver.call_prefix = "HIP's counterpart of ";
  driver.kernel = kCopyKernelSource;
  return has_all;
}

}  // namespace esker::device
