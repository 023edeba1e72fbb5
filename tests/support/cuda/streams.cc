// Streams and events of the double.
#include <cstdlib>
#include <cstring>

#include "double.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

bool is_legacy(void* handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 1; }
bool is_per_thread(void* handle) { return reinterpret_cast<std::uintptr_t>(handle) == 2; }

/// Errors are those of the other stream's context.
int wait_until(Stream& other, unsigned long long end) {
  (void)do_work(other, end);
  return 0;
}
void wait_for(Stream& stream, const std::shared_ptr<Stream>& other) {
  if (other->work.empty()) return;
  stream.work.emplace_back([other, end = other->end()] { return wait_until(*other, end); });
}

}  // namespace

std::shared_ptr<Stream> find_stream(void* handle) {
  Context& context = *current_context();
  if (is_legacy(handle)) return context.legacy;
  if (is_per_thread(handle)) {
    std::shared_ptr<Stream>& stream = context.of_thread[std::this_thread::get_id()];
    if (stream == nullptr) stream = std::make_shared<Stream>(Stream{.context = &context});
    return stream;
  }
  const auto found = context.streams.find(handle);
  return found == context.streams.end() ? nullptr : found->second;
}

Event* find_event(void* handle) {
  const auto& events = current_context()->events;
  const auto found = events.find(handle);
  return found == events.end() ? nullptr : found->second.get();
}

void enqueue(const std::shared_ptr<Stream>& stream, Work work) {
  Context& context = *stream->context;
  if (stream == context.legacy) {
    for (const auto& [handle, other] : context.streams) {
      if (other->is_blocking) wait_for(*stream, other);
    }
    for (const auto& [thread, other] : context.of_thread) wait_for(*stream, other);
  } else if (stream->is_blocking) {
    wait_for(*stream, context.legacy);
  }
  stream->work.push_back(std::move(work));
}

int do_work(Stream& stream, unsigned long long end) {
  Context& context = *stream.context;
  while (stream.num_done < end && !stream.work.empty()) {
    const Work work = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.num_done;
    const int result = context.failure == 0 ? work() : 0;  // which may do other work of the context
    if (context.failure == 0) context.failure = result;
  }
  return context.failure;
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuStreamGetCtx(void* handle, void** context) {
  ENTER();
  if (is_legacy(handle) || is_per_thread(handle)) {
    NEED_CONTEXT();
    *context = current_context();
    return 0;
  }
  for (const auto& each : state().contexts) {
    if (each->streams.count(handle) == 0) continue;
    *context = each.get();
    return 0;
  }
  return kInvalidHandle;
}
int cuStreamIsCapturing(void* handle, int* status) {
  ENTER();
  NEED_CONTEXT();
  const auto stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  *status = stream->is_captured ? 1 : 0;
  return 0;
}
int cuStreamCreate(void** handle, unsigned flags) {
  constexpr unsigned kNonBlocking = 1;
  ENTER();
  NEED_CONTEXT();
  if (flags > kNonBlocking) return kInvalidValue;
  Context* const context = current_context();
  auto made = std::make_shared<Stream>(Stream{.context = context, .is_blocking = flags != kNonBlocking});
  *handle = made.get();
  context->streams.emplace(made.get(), std::move(made));
  ++state().num_objects;
  return 0;
}
int cuStreamDestroy_v2(void* handle) {
  ENTER();
  NEED_CONTEXT();
  if (current_context()->streams.erase(handle) == 0) return kInvalidHandle;
  --state().num_objects;
  return 0;
}
int cuStreamSynchronize(void* handle) {
  ENTER();
  NEED_CONTEXT();
  const auto stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  enqueue(stream, [] { return 0; });  // after what a default stream is ordered with
  return do_work(*stream, stream->end());
}
// The event may be of any context.
int cuStreamWaitEvent(void* handle, void* event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  const auto stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  for (const auto& context : state().contexts) {
    const auto found = context->events.find(event);
    if (found == context->events.end()) continue;
    const std::shared_ptr<Stream> other = found->second->stream;
    if (other != nullptr)
      enqueue(stream, [other, end = found->second->end] { return wait_until(*other, end); });
    return 0;
  }
  return kInvalidHandle;
}
int cuEventCreate(void** event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  auto made = std::make_unique<Event>();
  *event = made.get();
  current_context()->events.emplace(made.get(), std::move(made));
  ++state().num_objects;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  ENTER();
  NEED_CONTEXT();
  if (current_context()->events.erase(event) == 0) return kInvalidHandle;
  --state().num_objects;
  return 0;
}
int cuEventRecord(void* handle, void* of_stream) {
  ENTER();
  NEED_CONTEXT();
  Event* const event = find_event(handle);
  const auto stream = find_stream(of_stream);
  if (event == nullptr || stream == nullptr) return kInvalidHandle;
  enqueue(stream, [] { return 0; });
  event->stream = stream;
  event->end = stream->end();
  return 0;
}
void esker_double_fill_later(void* handle, Address address, std::size_t bytes, int value) {
  const std::lock_guard lock(state().mutex);
  std::shared_ptr<Stream> stream;
  for (const auto& context : state().contexts) {
    if (is_legacy(handle) && find_memory(*context, address, bytes).bytes > 0) stream = context->legacy;
    if (const auto found = context->streams.find(handle); found != context->streams.end())
      stream = found->second;
  }
  if (stream == nullptr) std::abort();
  enqueue(stream, [=, context = stream->context] {
    const MemoryRange range = find_memory(*context, address, bytes);
    if (range.bytes == 0) return kIllegalAddress;
    std::memset(range.at + (address - range.first), value, bytes);
    return 0;
  });
}
void esker_double_capture(void* handle, int is_captured) {
  const std::lock_guard lock(state().mutex);
  for (const auto& context : state().contexts) {
    if (const auto found = context->streams.find(handle); found != context->streams.end())
      found->second->is_captured = is_captured != 0;
  }
}
}
