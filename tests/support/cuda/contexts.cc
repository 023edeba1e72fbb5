// Devices and contexts of the double.
#include "state.h"

namespace esker::cuda_double {}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuDeviceGet(int* device, int number) {
  *device = number;
  return number == 0 ? 0 : kInvalidValue;
}
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* is_active) {
  ENTER();
  *flags = 0;
  *is_active = 1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER();
  *context = &state();
  ++state().num_objects;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  --state().num_objects;
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  ENTER();
  contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  ENTER();
  NEED_CONTEXT();
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxGetCurrent(void** context) {
  ENTER();
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxGetDevice(int* device) {
  ENTER();
  NEED_CONTEXT();
  *device = 0;
  return 0;
}
}
