// What only some operating systems can do. system_linux.cc has it for Linux, system_posix.cc what remains of
// it elsewhere: the calling code need not know where it runs. No other source of the library uses what only
// Linux has (tests/names/portable.py).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace esker {

constexpr std::size_t kMaxProcessors = 1024;  // of a node: the number of bits of Linux' cpu_set_t

/// [processor]: 1 if this process may use it, else 0. Elsewhere than on Linux: the first ones, as many as the
/// machine has.
void mark_usable_processors(std::span<std::uint64_t> usable);

/// Lets the calling thread run on the last `cores` processors of the machine, wherever the process is bound
/// to; 0: changes nothing. Best effort.
void run_on_last(int cores) noexcept;

/// Lets the calling thread yield to the program's threads where they compete for a processor. Best effort.
void yield_to_program() noexcept;

/// How often this thread has blocked on something other than a processor; 0 where that is not counted.
long thread_sleeps() noexcept;

/// Stores the contents of a file, and of its metadata what reading it needs. -1 and errno if that fails.
int sync_data(int descriptor) noexcept;

/// A file for this process and its children, which has no name, so that nothing remains of it when they are
/// killed. Its descriptor, or -1 and errno.
int open_unnamed_file(const std::string& directory);
/// The same by POSIX alone: the file has a name for a moment, and remains if the process is killed then.
int open_unlinked_file(const std::string& directory);

/// Makes room for `bytes` in a file, so that writing to a mapping of it cannot fail. Returns 0 or the error's
/// number.
int reserve_bytes(int descriptor, off_t bytes) noexcept;

/// A path by which processes of the same user can open a file without a name; "" where there is none.
std::string path_of_descriptor(int descriptor);

/// Lets the system back this memory, which was not used yet, by huge pages: large buffers that are used once
/// cost mostly page faults. Best effort.
void prefer_huge_pages(std::span<std::byte> memory) noexcept;

/// Grows whenever the process loads a library; elsewhere than on Linux with each call. About 10 ns on Linux.
std::uint64_t library_loads() noexcept;

bool is_on_lustre(const std::string& path) noexcept;

/// Different after each start of the machine; "" if unknown.
std::string boot_id();

/// "pid:[4026531836]": within it, numbers of processes are unique until the next start; "" if unknown.
std::string pid_namespace();

struct ProcessFacts {
  char state = 0;     ///< as ps shows it: 'Z' or 'X' for one that has ended; 0: unknown
  std::string start;  ///< when it was started; "" if unknown, or if no process has that number
};

/// Of this process.
ProcessFacts own_process_facts();

/// Of the process with that number. The system reuses numbers, but not together with the start.
ProcessFacts process_facts(long process);

/// Whether the numbers that process_facts() takes are those that this process sees.
bool process_numbers_are_ours();

}  // namespace esker
