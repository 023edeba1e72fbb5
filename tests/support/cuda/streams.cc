// Streams and events of the double.
#include <cstring>
#include <utility>

#include "double.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

/// Does the first `length` pieces of work, which may add to other streams.
int drain(Stream& stream, std::size_t length) {
  int result = 0;
  for (std::size_t n = 0; n < length && n < stream.work.size(); ++n) {
    const Work work = std::exchange(stream.work[n], [] { return 0; });
    if (const int done = work(); result == 0) result = done;
  }
  return result;
}

}  // namespace

Stream& stream_at(void* stream) {
  const bool is_legacy = stream == nullptr || stream == reinterpret_cast<void*>(1);
  return is_legacy ? state().legacy : *static_cast<Stream*>(stream);
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuStreamGetCtx(void*, void** context) {
  ENTER();
  *context = &state();
  return 0;
}
int cuStreamIsCapturing(void* stream, int* status) {
  ENTER();
  *status = stream_at(stream).is_captured ? 1 : 0;
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  ENTER();
  NEED_CONTEXT();
  *stream = new Stream;
  ++state().num_objects;
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<Stream*>(stream);
  --state().num_objects;
  return 0;
}
int cuStreamSynchronize(void* handle) {
  ENTER();
  NEED_CONTEXT();
  Stream& stream = stream_at(handle);
  const int result = drain(stream, stream.work.size());
  stream.work.clear();
  return result;
}
int cuStreamWaitEvent(void* handle, void* event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  const Event recorded = *static_cast<Event*>(event);
  stream_at(handle).work.emplace_back([recorded] { return drain(*recorded.stream, recorded.length); });
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  *event = new Event;
  ++state().num_objects;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<Event*>(event);
  --state().num_objects;
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  ENTER();
  NEED_CONTEXT();
  Stream& of = stream_at(stream);
  *static_cast<Event*>(event) = {&of, of.work.size()};
  return 0;
}
void esker_double_fill_later(void* stream, unsigned long long address, std::size_t bytes, int value) {
  stream_at(stream).work.emplace_back([=] {
    std::byte* const to = access(address, bytes);
    if (to == nullptr) return kIllegalAddress;
    std::memset(to, value, bytes);
    return 0;
  });
}
void esker_double_capture(void* stream, int is_captured) { stream_at(stream).is_captured = is_captured != 0; }
}
