// A thread of Esker in a program of others: signals stay with the program's own threads.
#pragma once

#include <functional>
#include <thread>

namespace esker {

/// Runs `work`, which must not throw, in a new thread. The result is not joinable if none can be created.
[[nodiscard]] std::thread start_worker(std::function<void()> work) noexcept;

}  // namespace esker
