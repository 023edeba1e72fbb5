// What the tests' double of the CUDA driver has in addition to the driver's functions: those that Esker
// calls, and cuDeviceGetCount, cuDeviceGet, cuCtxCreate, cuCtxDestroy, cuDevicePrimaryCtxReset, cuMemAlloc,
// cuMemFree, cuMemcpyHtoD and cuMemcpyDtoH.
//
// There are two devices. Their memory cannot be accessed at the addresses that the double hands out: an
// engine that touches a device pointer crashes. Streams do nothing until they are synchronized, so that a
// copy that the engine does not wait for is missing. Kernels are run as the PTX that they are (ptx.h). Each
// address of kernels and copies is checked: what is not memory of the context, nor pinned for it, is
// CUDA_ERROR_ILLEGAL_ADDRESS, which all later calls in that context return, too. Handles belong to contexts
// (state.h).
#pragma once

#include <cstddef>

extern "C" {
/// The `nth` call from now of the function with this name fails with `result`; 0: the next. Null: none.
void esker_double_fail(const char* function, int nth, int result);
/// Objects that exist: contexts retained, streams, events, modules, and registered ranges together.
int esker_double_num_objects();
/// In a stream, later: fills device memory with a value. Null or 1: the legacy stream of the memory's
/// context.
void esker_double_fill_later(void* stream, unsigned long long address, std::size_t bytes, int value);
/// Whether device memory is that of a pool (cuMemAllocAsync), which has no context.
void esker_double_pool(int is_pool);
/// Whether a stream is being captured in a graph.
void esker_double_capture(void* stream, int is_captured);
/// Bytes that kernels have stored, and that copies of the driver have.
unsigned long long esker_double_kernel_bytes();
unsigned long long esker_double_copy_bytes();
}
