#include "store/lock.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/system.h"
#include "store/commit.h"

namespace esker {
namespace {

constexpr std::size_t kMaxLockBytes = 4096;
constexpr const char* kUnknown = "-";
constexpr std::string_view kNew = ".new";     // suffix of create_exclusive()'s temporary files
constexpr std::string_view kAside = ".dead";  // suffix of a lock that is being removed

/// A lock consists of words: an empty one would shift those after it.
std::string word_or_unknown(const std::string& word) {
  const bool is_word = !word.empty() && word.find_first_of(" \t\n\v\f\r") == std::string::npos;
  return is_word ? word : kUnknown;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// "host pid job start number boot namespace"; the job is the scheduler's number; unknown values are "-".
/// `number` is random, because a process may hold several locks, one after the other.
std::string lock_text(unsigned number) {
  std::string job = kUnknown;
  for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    const char* value = ::getenv(variable);
    if (value && *value) job = word_or_unknown(value);
  }
  return fmt::format("{} {} {} {} {} {} {}\n", host_name(), ::getpid(), job,
                     word_or_unknown(own_process_facts().start), number, word_or_unknown(boot_id()),
                     word_or_unknown(pid_namespace()));
}

/// The holder that a lock names. Earlier versions wrote neither boot nor namespace.
struct Holder {
  std::string host, job, start, boot, pid_namespace;
  int pid = 0;
};

std::optional<Holder> parse_holder(const std::string& text) {
  Holder holder;
  std::string number;
  std::istringstream words(text);
  if (!(words >> holder.host >> holder.pid >> holder.job) || holder.pid <= 0) return std::nullopt;
  words >> holder.start >> number >> holder.boot >> holder.pid_namespace;
  return holder;
}

/// Whether the holder's process number has the same meaning for this process as for the holder.
bool is_visible(const Holder& holder) {
  if (holder.host != host_name()) return false;
  if (holder.pid_namespace.empty()) return true;  // earlier versions only compared the host
  return holder.boot == word_or_unknown(boot_id()) &&
         holder.pid_namespace == word_or_unknown(pid_namespace());
}

/// Whether the lock's holder certainly no longer exists: its process would be visible, and is gone.
bool holder_is_dead(const std::string& text) {
  const std::optional<Holder> holder = parse_holder(text);
  if (!holder || !is_visible(*holder)) return false;
  if (::kill(holder->pid, 0) != 0 && errno == ESRCH) return true;
  if (!process_numbers_are_ours()) return false;
  const ProcessFacts now = process_facts(holder->pid);
  const bool has_ended =
      now.state == 'Z' || now.state == 'X';  // its parent has not collected its exit status
  const bool says_start = !holder->start.empty() && holder->start != kUnknown;
  return has_ended || (says_start && !now.start.empty() && holder->start != now.start);
}

Status held_error(const std::string& path, const std::string& text) {
  const std::optional<Holder> holder = parse_holder(text);
  if (!holder) {
    return error(Code::kAlreadyExists,
                 "{} is held by another writer (unknown); if it no longer runs, remove the file", path);
  }
  const bool hidden = holder->host == host_name() && !is_visible(*holder);
  return error(Code::kAlreadyExists,
               "{} is held by another writer (host, process, job: {} {} {}{}); if that job no longer runs, "
               "remove the file",
               path, holder->host, holder->pid, holder->job,
               hidden ? ", in another container or before a restart of the machine" : "");
}

/// Removes the lock of a dead holder, by renaming it: if two processes try, one succeeds. A process that
/// renamed a living writer's new lock instead puts it back, unless a third process has created another lock
/// by then. The writer that lost its lock detects that in check_held().
Status remove_dead(Store& store, const std::string& path, const std::string& holder, unsigned number) {
  const std::string aside = fmt::format("{}.{}.{:08x}{}", path, ::getpid(), number, kAside);
  ESKER_RETURN_IF_ERROR(store.rename(path, aside));
  ESKER_ASSIGN_OR_RETURN(const std::string moved, read_text(store, aside, kMaxLockBytes));
  if (moved != holder) (void)store.create_exclusive(path, moved);
  ESKER_RETURN_IF_ERROR(store.remove(aside));
  if (moved == holder) return {};
  return error(Code::kAlreadyExists, "{} was taken by another writer at the same time", path);
}

/// Whether create_exclusive() or remove_dead() makes `name` from a lock's name, by appending numbers.
bool is_attempt(std::string_view name, std::string_view lock_name, std::string_view ending) {
  const bool frames = name.size() > lock_name.size() + ending.size() && name.starts_with(lock_name) &&
                      name[lock_name.size()] == '.' && name.ends_with(ending);
  if (!frames) return false;
  const auto numbers = name.substr(lock_name.size(), name.size() - lock_name.size() - ending.size());
  return numbers.size() > 1 && numbers.find_first_not_of(".0123456789abcdef") == std::string_view::npos;
}

/// Decides by the holder of the lock. A file that was to become the lock is no longer needed. One that was
/// renamed may be a living writer's lock, which is about to be put back.
Status remove_attempts(Store& store, const std::string& path) {
  const std::filesystem::path lock(path);
  const std::string name = lock.filename().string();
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(directory_of(path)));
  for (const std::string& found : names) {
    const bool is_new = is_attempt(found, name, kNew);
    if (!is_new && !is_attempt(found, name, kAside)) continue;
    const std::string attempt = (lock.parent_path() / found).string();
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(attempt));
    if (is_link) continue;
    if (!is_new) {
      const auto text = read_text(store, attempt, kMaxLockBytes);
      if (!text.ok() || !holder_is_dead(*text)) continue;
    }
    ESKER_RETURN_IF_ERROR(store.remove(attempt));
  }
  return {};
}

/// "out/run.esker-lock" for the directory "out/run" or the file "out/run.nc".
Result<std::string> lock_path_of(const Store& store, const std::string& dataset) {
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(dataset));
  const std::filesystem::path path(dataset);
  const auto& stem = is_directory ? path.filename() : path.stem();
  return (path.parent_path() / (stem.string() + kLockSuffix)).string();
}

}  // namespace

// Other processes may release the lock, or take over a dead one, between any two calls. Nothing can fail once
// the file exists.
Status WriterLock::acquire() {
  constexpr int kAttempts = 10;
  if (held_) return {};
  if (is_borrowed_) return check_held();
  const unsigned number = std::random_device()();
  text_ = lock_text(number);
  Status created;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    created = store_->create_exclusive(path_, text_);
    held_ = created.ok();
    if (created.code() != Code::kAlreadyExists) break;
    const auto holder = read_text(*store_, path_, kMaxLockBytes);
    if (holder.status().code() == Code::kNotFound) continue;
    ESKER_RETURN_IF_ERROR(holder.status());
    if (!holder_is_dead(*holder)) return held_error(path_, *holder);
    const Status removed = remove_dead(*store_, path_, *holder, number);
    if (removed.code() != Code::kNotFound) ESKER_RETURN_IF_ERROR(removed);
  }
  if (held_) (void)guarded("acquire", [this] { return remove_attempts(*store_, path_); });
  return created;
}

std::shared_ptr<WriterLock> WriterLock::borrow(const WriterLock& lender) {
  auto lock = std::make_shared<WriterLock>(lender.store_, lender.path_);
  lock->text_ = lender.text_;
  lock->is_borrowed_ = true;
  for (const auto& target : lender.targets_) lock->targets_.push_back(borrow(*target));
  return lock;
}

Status WriterLock::acquire_for(const std::string& dataset) {
  ESKER_RETURN_IF_ERROR(acquire());
  Status taken = guarded("acquire", [&] { return acquire_of_target(dataset); });
  if (!taken.ok()) (void)release();
  return taken;
}

Status WriterLock::acquire_of_target(const std::string& dataset) {
  ESKER_ASSIGN_OR_RETURN(const std::string target, end_of_links(*store_, dataset));
  if (target == dataset) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string path, lock_path_of(*store_, target));
  // The link may lead to a dataset of the same name in the same directory, by whatever path.
  const auto holder = read_text(*store_, path, kMaxLockBytes);
  const auto is_held_by = [&](const auto& lock) { return holder.ok() && *holder == lock->text_; };
  if (is_held_by(this) || std::any_of(targets_.begin(), targets_.end(), is_held_by)) return {};
  auto lock = std::make_unique<WriterLock>(store_, path);
  targets_.reserve(targets_.size() + 1);
  Status taken = lock->acquire();
  if (taken.ok()) targets_.push_back(std::move(lock));
  const bool is_impossible = taken.code() == Code::kIoError || taken.code() == Code::kNotFound;
  return is_impossible ? Status() : taken;
}

WriterLock::~WriterLock() {
  (void)guarded("release", [this] { return release(); });
}

Status WriterLock::release() {
  Status released;
  for (const auto& target : std::exchange(targets_, {})) {
    Status next = target->release();
    if (released.ok()) released = std::move(next);
  }
  if (!held_) return released;
  held_ = false;
  const Status mine = guarded("release", [this] { return check_held(); });
  if (mine.code() == Code::kDataLoss) return released;  // it belongs to another writer now
  Status removed = mine.ok() || mine.code() == Code::kOutOfMemory ? store_->remove(path_) : mine;
  return removed.ok() ? released : removed;
}

Status WriterLock::check_held() const {
  if (text_.empty()) return error(Code::kWrongOrder, "{} is not locked by this writer", path_);
  for (const auto& target : targets_) ESKER_RETURN_IF_ERROR(target->check_held());
  const auto found = read_text(*store_, path_, kMaxLockBytes);
  if (found.ok() && *found == text_) return {};
  if (!found.ok() && found.status().code() != Code::kNotFound) return found.status();
  return error(Code::kDataLoss, "this writer has lost the lock {}: {}", path_,
               found.ok() ? "another writer holds it" : "the file was removed");
}

}  // namespace esker
