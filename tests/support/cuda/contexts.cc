// Devices and contexts of the double.
#include <algorithm>

#include "state.h"

namespace esker::cuda_double {
namespace {

bool is_device(int device) { return device >= 0 && device < kDevices; }

Context* make_context(int device) {
  State& s = state();
  s.contexts.push_back(std::make_unique<Context>());
  Context& made = *s.contexts.back();
  made.device = device;
  made.number = s.contexts.size();
  made.legacy->context = &made;
  return &made;
}

/// Ends everything that belongs to it.
void clean_up(Context& context) {
  free_all_of(context);
  const std::size_t num = context.streams.size() + context.events.size() + context.modules.size();
  state().num_objects -= static_cast<int>(num);
  context.legacy->work.clear();
  for (const auto& [handle, stream] : context.streams) stream->work.clear();
  for (const auto& [thread, stream] : context.of_thread) stream->work.clear();
  context.streams.clear();
  context.events.clear();
  context.of_thread.clear();
  context.modules.clear();
  context.failure = 0;
}

Context* find_context(void* handle) {
  const auto& all = state().contexts;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == handle; });
  return found == all.end() ? nullptr : found->get();
}

void destroy(Context& context) {
  clean_up(context);
  context.is_destroyed = true;
}

}  // namespace
}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuDeviceGetCount(int* count) {
  *count = kDevices;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = number;
  return is_device(number) ? 0 : kInvalidDevice;
}
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active) {
  ENTER();
  if (!is_device(device)) return kInvalidDevice;
  *flags = 0;
  *is_active = state().primary[device] != nullptr ? 1 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER();
  if (!is_device(device)) return kInvalidDevice;
  Context*& primary = state().primary[device];
  if (primary == nullptr) primary = make_context(device);
  ++primary->num_retained;
  ++state().num_objects;
  *context = primary;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER();
  if (!is_device(device)) return kInvalidDevice;
  Context*& primary = state().primary[device];
  if (primary == nullptr) return kInvalidContext;
  --state().num_objects;
  if (--primary->num_retained == 0) destroy(*std::exchange(primary, nullptr));
  return 0;
}
// Those who have retained it still have to release it.
int cuDevicePrimaryCtxReset_v2(int device) {
  ENTER();
  if (!is_device(device)) return kInvalidDevice;
  if (state().primary[device] != nullptr) clean_up(*state().primary[device]);
  return 0;
}
int cuCtxCreate_v2(void** context, unsigned, int device) {
  ENTER();
  if (!is_device(device)) return kInvalidDevice;
  Context* const made = make_context(device);
  ++state().num_objects;
  current_contexts.push_back(made);
  *context = made;
  return 0;
}
int cuCtxDestroy_v2(void* handle) {
  ENTER();
  Context* const context = find_context(handle);
  if (context == nullptr || context->num_retained > 0) return kInvalidContext;
  if (context->is_destroyed) return kContextIsDestroyed;
  destroy(*context);
  --state().num_objects;
  if (current_context() == context) current_contexts.pop_back();
  return 0;
}
int cuCtxPushCurrent_v2(void* handle) {
  ENTER();
  Context* const context = find_context(handle);
  if (context == nullptr) return kInvalidContext;
  if (context->is_destroyed) return kContextIsDestroyed;
  current_contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  ENTER();
  if (current_contexts.empty()) return kInvalidContext;
  *context = current_contexts.back();
  current_contexts.pop_back();
  return 0;
}
int cuCtxGetCurrent(void** context) {
  ENTER();
  *context = current_context();
  return 0;
}
int cuCtxGetDevice(int* device) {
  ENTER();
  NEED_CONTEXT();
  *device = current_context()->device;
  return 0;
}
}
