// A double of hipRTC, libhiprtc.so.6: it "compiles" the copy kernel to what the double of the driver runs.
#include <cstddef>
#include <cstring>
#include <string>

#include "device/copy_kernel.h"

// The functions are found by name, and declared nowhere.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace {

constexpr int kInvalidInput = 3, kCompilation = 6;  // HIPRTC_ERROR_*

struct Program {
  bool has_kernel = false, has_units = false, has_task = false;
  std::string code;
};

constexpr const char kLog[] = "copy_kernel.cu:3: error: as the test wants";
bool fails = false;

}  // namespace

extern "C" {

/// Whether no program can be compiled.
void esker_double_fail_compiler(int is_failing) { fails = is_failing != 0; }

int hiprtcCreateProgram(void** program, const char* source, const char*, int num_headers,
                        const char** headers, const char** names) {
  auto* const made = new Program;
  made->has_kernel = std::strstr(source, "esker_copy(const esker::device::CopyTask") != nullptr;
  for (int h = 0; h < num_headers; ++h) {
    const std::string name = names[h], text = headers[h];
    made->has_units |= name == "device/copy_units.h" && text.find("void copy_unit(") != std::string::npos;
    made->has_task |= name == "device/copy_task.h" && text.find("struct CopyTask") != std::string::npos;
  }
  *program = made;
  return 0;
}
int hiprtcCompileProgram(void* handle, int, const char**) {
  auto& program = *static_cast<Program*>(handle);
  if (fails || !program.has_kernel || !program.has_units || !program.has_task) return kCompilation;
  program.code = esker::device::kCopyKernelPtx;
  return 0;
}
int hiprtcGetCodeSize(void* handle, std::size_t* bytes) {
  *bytes = static_cast<Program*>(handle)->code.size() + 1;
  return 0;
}
int hiprtcGetCode(void* handle, char* code) {
  const std::string& made = static_cast<Program*>(handle)->code;
  if (made.empty()) return kInvalidInput;
  std::memcpy(code, made.c_str(), made.size() + 1);
  return 0;
}
int hiprtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = sizeof(kLog);
  return 0;
}
int hiprtcGetProgramLog(void*, char* log) {
  std::memcpy(log, kLog, sizeof(kLog));
  return 0;
}
int hiprtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
}
