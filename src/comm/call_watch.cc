#include "comm/call_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/error.h"
#include "base/guarded.h"
#include "base/system.h"
#include "base/worker_thread.h"
#include "comm/agree.h"

namespace esker {
namespace {

constexpr int kMaxWarnings = 10;  // of one process
constexpr std::size_t kTextBytes = 256;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_since(std::int64_t ns) { return static_cast<double>(now_ns() - ns) * 1e-9; }

/// The state of a process as the system reports it; empty where it does not.
std::string state_of(long process) {
  switch (process_facts(process).state) {
    case 'T':
    case 't':
      return "stopped";
    case 'D':
      return "waiting for the system, for example for files";
    case 'Z':
    case 'X':
      return "dead";
    default:
      return {};
  }
}

}  // namespace

/// The record of one rank, in shared memory. Only the rank's main thread writes it. Other threads and
/// processes read it at any time: all members are atomic, and a text may be inconsistent while it changes.
struct CallWatch::Slot {
  std::atomic<std::uint64_t> calls;      ///< entered so far
  std::atomic<std::uint64_t> waits;      ///< odd: the rank is waiting
  std::atomic<std::int64_t> changed_ns;  ///< when the rank entered or left a call
  std::atomic<std::int64_t> wait_ns;     ///< when the rank began to wait
  std::atomic<bool> is_inside;
  std::atomic<std::uint64_t> warned_of;  ///< slot 0: the last call for which a rank of the node has warned
  std::atomic<std::int64_t> process;
  std::atomic<int> rank;
  std::atomic<std::uint64_t> hash;  ///< of the operation and its arguments
  std::array<std::atomic<char>, kTextBytes> text;
};

void CallWatch::start(Comm& comm) {
  if (comm.size() == 1) return;
  auto memory = SharedMemory::create(comm.node(), sizeof(Slot));
  if (!memory.ok()) return;  // on all ranks of the node
  (void)guarded("watch calls", [&] {
    std::shared_ptr<CallWatch> watch(new CallWatch(comm, std::move(*memory)));
    comm.set_call_watch(watch);
    if (&comm.node() != &comm) comm.node().set_call_watch(watch);
    return Status();
  });
}

CallWatch::CallWatch(Comm& comm, std::unique_ptr<SharedMemory> memory)
    : memory_(std::move(memory)),
      own_(comm.node().rank()),
      n_node_ranks_(comm.node().size()),
      n_ranks_(comm.size()) {
  Slot& mine = slot(own_);
  mine.rank = comm.rank();
  mine.process = ::getpid();
  mine.changed_ns = now_ns();
}

CallWatch::~CallWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CallWatch::set_limit(double seconds) {
  {
    const std::lock_guard lock(mutex_);
    limit_s_ = seconds;
  }
  changed_.notify_all();
}

CallWatch::Slot& CallWatch::slot(int node_rank) const {
  return *reinterpret_cast<Slot*>(memory_->of(node_rank).data());
}

CallWatch::Call::Call(Comm& comm, std::string_view operation) : watch_(comm.call_watch()) {
  if (watch_) watch_->enter(operation);
}

CallWatch::Call::~Call() {
  if (watch_) watch_->leave();
}

void CallWatch::enter(std::string_view operation) {
  if (depth_++ > 0) return;
  Slot& mine = slot(own_);
  describe(operation, "", 0);
  mine.changed_ns = now_ns();
  mine.is_inside = true;
  ++mine.calls;
  if (thread_.joinable()) return;
  thread_ = start_worker([this] { watch(); });
}

void CallWatch::leave() {
  if (--depth_ > 0) return;
  Slot& mine = slot(own_);
  mine.changed_ns = now_ns();
  mine.is_inside = false;
}

void CallWatch::describe(std::string_view operation, std::string_view arguments, std::uint64_t hash) {
  Slot& mine = slot(own_);
  mine.hash.store(hash_text(hash, operation), std::memory_order_relaxed);
  std::size_t end = 0;
  const auto append = [&](std::string_view part, std::size_t room) {
    for (const char c : part.substr(0, room - end)) mine.text[end++].store(c, std::memory_order_relaxed);
  };
  append(operation, kTextBytes - 3);
  append("(", kTextBytes - 2);
  append(arguments, kTextBytes - 2);
  append(")", kTextBytes - 1);
  mine.text[end].store('\0', std::memory_order_relaxed);
}

void CallWatch::begin_wait() {
  Slot& mine = slot(own_);
  mine.wait_ns.store(now_ns(), std::memory_order_relaxed);
  mine.waits.store(mine.waits.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void CallWatch::end_wait() {
  Slot& mine = slot(own_);
  mine.waits.store(mine.waits.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

CallWatch::Sight CallWatch::look_at(int node_rank) const {
  const Slot& seen = slot(node_rank);
  Sight sight;
  sight.rank = seen.rank;
  sight.calls = seen.calls;
  sight.is_inside = seen.is_inside;
  sight.waits = seen.waits.load(std::memory_order_acquire) % 2 == 1;
  sight.call_s = seconds_since(seen.changed_ns);
  sight.wait_s = sight.waits ? seconds_since(seen.wait_ns) : 0;
  sight.process = static_cast<long>(seen.process);
  sight.hash = seen.hash.load(std::memory_order_relaxed);
  for (const std::atomic<char>& letter : seen.text) {
    const char c = letter.load(std::memory_order_relaxed);
    if (c == '\0') break;
    sight.text += c;
  }
  return sight;
}

void CallWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    const double limit_s = limit_s_;
    const double pause_s = limit_s > 0 ? std::clamp(limit_s / 4, 0.05, 5.0) : 5.0;
    changed_.wait_for(lock, std::chrono::duration<double>(pause_s));
    if (has_ended_ || limit_s_ <= 0 || num_warnings_ == kMaxWarnings) continue;
    lock.unlock();  // a warning may block until stderr is read
    (void)guarded("watch calls", [this] {
      look();
      return Status();
    });
    lock.lock();
  }
}

/// When several ranks have waited that long, the first one that notices warns; once per call.
void CallWatch::look() {
  const Sight mine = look_at(own_);
  if (!mine.is_inside || !mine.waits || mine.wait_s < limit_s_) return;
  std::atomic<std::uint64_t>& warned_of = slot(0).warned_of;
  std::uint64_t known = warned_of;
  if (known >= mine.calls) return;
  const std::string text = describe_missing(mine);
  if (text.empty() || !warned_of.compare_exchange_strong(known, mine.calls)) return;
  ++num_warnings_;
  std::fprintf(stderr, "esker: warning: rank %d has waited %.0f s in %s: %s\n", mine.rank, mine.wait_s,
               mine.text.c_str(), text.c_str());
  std::fflush(stderr);
}

std::string CallWatch::describe_missing(const Sight& mine) const {
  constexpr std::size_t kMaxNamed = 8;
  std::vector<std::string> named;
  for (int r = 0; r < n_node_ranks_; ++r) {
    const Sight other = look_at(r);
    if (other.waits && other.is_in_call_of(mine)) continue;
    std::string text = fmt::format("rank {}", other.rank);
    if (other.calls == 0) {
      text += " has made no call yet";
    } else if (!other.is_inside) {
      text += fmt::format(" has not entered the call; its last one was {}, which it left {:.0f} s ago",
                          other.text, other.call_s);
    } else if (other.is_in_call_of(mine)) {
      text += " is in the call but not waiting";
    } else {
      text += fmt::format(" has been in {} for {:.0f} s", other.text, other.call_s);
    }
    const std::string state = state_of(other.process);
    named.push_back(state.empty() ? text : fmt::format("{} ({})", text, state));
  }
  if (named.empty()) {
    // If all ranks of a node wait, only the node of rank 0 reports it.
    const bool speaks = n_ranks_ > n_node_ranks_ && slot(0).rank == 0;
    return speaks ? fmt::format("all {} ranks of this node wait; the missing ranks are on other nodes",
                                n_node_ranks_)
                  : std::string();
  }
  const std::size_t more = named.size() - std::min(named.size(), kMaxNamed);
  named.resize(named.size() - more);
  return fmt::format("{}{}", fmt::join(named, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace esker
