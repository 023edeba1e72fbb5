// What the double of the CUDA driver knows: contexts, what belongs to each of them, and what tests ask of it.
//
// A handle is the address of its object. One that is not known, or is of another context than the current
// one, is CUDA_ERROR_INVALID_HANDLE wherever the driver's documentation leaves that open. Functions of the
// driver are declared nowhere: they are found by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/driver.h"
#include "ptx.h"
#include "results.h"

#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace esker::cuda_double {

using device::Address;

struct Context;

/// Work that a stream has not done yet. The result of the first that fails is that of its context from then
/// on.
using Work = std::function<int()>;
struct Stream {
  Context* context = nullptr;
  bool is_blocking = true;  ///< ordered with the legacy stream of its context
  bool is_captured = false;
  std::deque<Work> work{};
  unsigned long long num_done = 0;

  [[nodiscard]] unsigned long long end() const { return num_done + work.size(); }
};
/// What a stream had to do when it was recorded.
struct Event {
  std::shared_ptr<Stream> stream{};
  unsigned long long end = 0;
};
/// Those that were destroyed remain, so that their handles are known.
struct Context {
  int device = 0;
  Address number = 0;  ///< others than those of all other contexts
  bool is_destroyed = false;
  int num_retained = 0;  ///< of a primary context
  int failure = 0;       ///< of a kernel: all later calls return it
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();
  std::map<std::thread::id, std::shared_ptr<Stream>> of_thread;
  std::map<void*, std::shared_ptr<Stream>> streams;
  std::map<void*, std::unique_ptr<Event>> events;
  std::map<void*, std::shared_ptr<PtxModule>> modules;
};

/// Device memory, or memory of the host that is pinned.
struct Allocation {
  Context* context = nullptr;
  std::size_t bytes = 0;
  bool is_for_all_contexts = false;
};
using Allocations = std::map<Address, Allocation>;

inline constexpr int kDevices = 2;
inline constexpr std::size_t kDeviceBytes = std::size_t{256} << 20;  // of all devices

struct State {
  std::mutex mutex;
  std::byte* device = nullptr;  // cannot be accessed
  std::byte* shadow = nullptr;  // the same memory, for the double
  std::size_t used = 0;
  std::vector<std::unique_ptr<Context>> contexts;
  Context* primary[kDevices] = {};
  Allocations allocated, registered;
  int num_objects = 0;
  std::string failing;
  int calls_until_failure = -1, failure = 0;
  bool is_pool = false;  // device memory has no context
  unsigned long long kernel_bytes = 0, copy_bytes = 0;
  std::string ptx_error;  // of the last module

  State();
};
State& state();
inline thread_local std::vector<Context*> current_contexts;  // pushed

/// The result of a call that is to fail now; 0: it is not.
int fault(const char* function);
/// Null: there is none.
Context* current_context();
/// 0, or the error that all calls return which need a context.
int check_current_context();

/// The stream, event or module of the current context with this handle; null: there is none. Null, 1 and 2
/// are handles of default streams.
std::shared_ptr<Stream> find_stream(void* handle);
Event* find_event(void* handle);
std::shared_ptr<PtxModule> find_module(void* handle);

/// Adds work to a stream, after what a default stream is ordered with.
void enqueue(const std::shared_ptr<Stream>& stream, Work work);
/// Does the work of a stream up to a place, and what it waits for.
int do_work(Stream& stream, unsigned long long end);

Address address_of(const void* memory);
std::byte* on_host(Address address);
/// That of some allocations which has all of some bytes; null: none.
const Allocations::value_type* find_allocation(const Allocations& among, Address first, std::size_t bytes);
/// Memory that kernels in a context may access: of the device, or pinned.
MemoryRange find_memory(const Context& context, Address first, std::size_t bytes);
/// Device memory that copies in a context access; null: they must not.
std::byte* device_bytes(const Context& context, Address first, std::size_t bytes);
void free_all_of(const Context& context);

}  // namespace esker::cuda_double

#define ENTER()                                                  \
  const std::lock_guard lock(esker::cuda_double::state().mutex); \
  if (const int result = esker::cuda_double::fault(__func__); result != 0) return result
#define NEED_CONTEXT() \
  if (const int result = esker::cuda_double::check_current_context(); result != 0) return result
