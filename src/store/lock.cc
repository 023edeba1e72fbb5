#include "store/lock.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <random>
#include <sstream>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"

namespace esker {
namespace {

constexpr std::size_t kMaxLockBytes = 4096;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

struct ProcessFacts {
  bool has_ended = false;  ///< it is dead, though its parent has not asked for its end yet
  std::string start;       ///< in ticks since the host's; "" if there is none of that number
};

/// Of a process of this host. A number is used again after a while, together with the start it is not.
ProcessFacts facts_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  // The second word is a name in brackets that may hold anything; behind it comes the state, and the start as
  // the twentieth.
  constexpr int kWordsBehindState = 19;
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state, word;
  rest >> state;
  for (int i = 0; i < kWordsBehindState; ++i) rest >> word;
  return {state == "Z" || state == "X", rest ? word : ""};
}

/// "host pid job start number"; the job is the scheduler's number, or "-", the number a random one: a process
/// may hold several locks, one after the other.
std::string lock_text() {
  std::string job = "-";
  for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    if (const char* value = ::getenv(variable)) job = value;
  }
  return fmt::format("{} {} {} {} {}\n", host_name(), ::getpid(), job, facts_of(::getpid()).start,
                     std::random_device()());
}

/// Whether the lock's holder certainly no longer exists: a process of this host that is gone.
bool holder_is_dead(const std::string& text) {
  std::istringstream words(text);
  std::string host, job, start;
  int pid = 0;
  if (!(words >> host >> pid >> job) || host != host_name() || pid <= 0) return false;
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  const ProcessFacts now = facts_of(pid);
  return now.has_ended || (words >> start && !now.start.empty() && start != now.start);
}

/// Removes the lock of a dead holder, by renaming: of two processes that try, one succeeds, and one that
/// caught a living writer's new lock instead puts it back, unless a third has made its own by then: whoever
/// lost its lock finds out by check_held().
Status remove_dead(Store& store, const std::string& path, const std::string& holder) {
  const std::string aside = fmt::format("{}.{}.dead", path, ::getpid());
  ESKER_RETURN_IF_ERROR(store.rename(path, aside));
  ESKER_ASSIGN_OR_RETURN(const std::string moved, read_text(store, aside, kMaxLockBytes));
  if (moved != holder) (void)store.create_exclusive(path, moved);
  ESKER_RETURN_IF_ERROR(store.remove(aside));
  if (moved == holder) return {};
  return error(Code::kAlreadyExists, "{} has just been taken by another writer", path);
}

}  // namespace

// Nothing can fail when the file is there.
Status WriterLock::acquire() {
  if (held_) return {};
  text_ = lock_text();
  Status created = store_->create_exclusive(path_, text_);
  if (created.code() == Code::kAlreadyExists) {
    ESKER_ASSIGN_OR_RETURN(std::string holder, read_text(*store_, path_, kMaxLockBytes));
    if (!holder_is_dead(holder)) {
      while (!holder.empty() && holder.back() == '\n') holder.pop_back();
      return error(Code::kAlreadyExists,
                   "{} is held by another writer (host, process, job: {}); if that job no longer runs, "
                   "remove the file",
                   path_, holder.empty() ? "unknown" : holder);
    }
    ESKER_RETURN_IF_ERROR(remove_dead(*store_, path_, holder));
    created = store_->create_exclusive(path_, text_);
  }
  held_ = created.ok();
  return created;
}

WriterLock::~WriterLock() {
  (void)guarded("release", [this] { return release(); });
}

Status WriterLock::release() {
  if (!held_) return {};
  held_ = false;
  const Status mine = guarded("release", [this] { return check_held(); });
  if (mine.code() == Code::kDataLoss) return {};  // it is another writer's now
  return mine.ok() || mine.code() == Code::kOutOfMemory ? store_->remove(path_) : mine;
}

Status WriterLock::check_held() const {
  if (text_.empty()) return error(Code::kWrongOrder, "{} is not taken", path_);
  const auto found = read_text(*store_, path_, kMaxLockBytes);
  if (found.ok() && *found == text_) return {};
  if (!found.ok() && found.status().code() != Code::kNotFound) return found.status();
  return error(Code::kDataLoss, "{} is no longer this writer's: {}", path_,
               found.ok() ? "another writer holds it" : "somebody removed it");
}

}  // namespace esker
