#include "state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "double.h"

namespace esker::cuda_double {

State::State() {
  const int memory = ::memfd_create("device", 0);
  if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(kDeviceBytes)) != 0) std::abort();
  device = static_cast<std::byte*>(::mmap(nullptr, kDeviceBytes, PROT_NONE, MAP_SHARED, memory, 0));
  shadow =
      static_cast<std::byte*>(::mmap(nullptr, kDeviceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
  ::close(memory);
}

State& state() {
  static State& only = *new State;  // other static objects may use it when the process ends
  return only;
}

int fault(const char* function) {
  State& s = state();
  if (s.failing != function || s.calls_until_failure < 0) return 0;
  return s.calls_until_failure-- == 0 ? s.failure : 0;
}

Context* current_context() { return current_contexts.empty() ? nullptr : current_contexts.back(); }

int check_current_context() {
  const Context* const current = current_context();
  if (current == nullptr) return kInvalidContext;
  return current->is_destroyed ? kContextIsDestroyed : current->failure;
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

void esker_double_fail(const char* function, int nth, int result) {
  State& s = state();
  s.failing = function == nullptr ? "" : function;
  s.calls_until_failure = function == nullptr ? -1 : nth;
  s.failure = result;
}
int esker_double_num_objects() { return state().num_objects; }
int cuInit(unsigned) { return 0; }
int cuGetErrorName(int result, const char** name) {
  static const std::map<int, const char*> names{{kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
                                                {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                {kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                                                {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"}};
  const auto known = names.find(result);
  *name = known == names.end() ? "CUDA_ERROR" : known->second;
  return 0;
}
int cuGetErrorString(int result, const char** text) {
  *text = result == kInvalidPtx ? state().ptx_error.c_str() : "an error of the tests' driver";
  return 0;
}
}
