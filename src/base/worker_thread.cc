#include "base/worker_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace esker {

std::thread start_worker(std::function<void()> work) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

void run_on_last(int cores) noexcept {
#ifdef __linux__
  const auto online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (cores <= 0 || online <= 0) return;
  ::cpu_set_t last;
  CPU_ZERO(&last);
  for (int processor = std::max(0, online - cores); processor < online; ++processor)
    CPU_SET(processor, &last);
  (void)::pthread_setaffinity_np(::pthread_self(), sizeof(last), &last);
#endif
}

// On Linux the priority of a process number that is a thread's is that of this thread alone.
void yield_to_program() noexcept {
#ifdef __linux__
  constexpr int kLower = 5;  // a third of the time of a thread that does not yield
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLower);
#endif
}

}  // namespace esker
