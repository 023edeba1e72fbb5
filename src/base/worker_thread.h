// A thread of Esker in a program of others: signals stay with the program's own threads.
#pragma once

#include <functional>
#include <thread>

namespace esker {

/// Runs `work`, which must not throw, in a new thread. The result is not joinable if none can be created.
[[nodiscard]] std::thread start_worker(std::function<void()> work) noexcept;

/// Lets the calling thread run on the last `cores` processors of the machine, wherever the process is bound
/// to; 0: changes nothing. Best effort.
void run_on_last(int cores) noexcept;

/// Lets the calling thread yield to the program's threads where they compete for a processor. Best effort.
void yield_to_program() noexcept;

}  // namespace esker
