#include "base/worker_thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

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

// On Linux the priority of a process number that is a thread's is that of this thread alone.
void yield_to_program() noexcept {
#ifdef __linux__
  constexpr int kLower = 5;  // a third of the time of a thread that does not yield
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLower);
#endif
}

}  // namespace esker
