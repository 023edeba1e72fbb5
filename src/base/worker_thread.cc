#include "base/worker_thread.h"

#include <signal.h>

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

}  // namespace esker
