#include "open_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace esker::pnetcdf {
namespace {

std::vector<std::unique_ptr<OpenFile>>& open_files() {
  static std::vector<std::unique_ptr<OpenFile>> files;
  return files;
}

}  // namespace

int OpenFile::check_moving(bool all) const {
  if (file->is_defining()) return NC_EINDEFINE;
  if (all) return is_independent ? NC_EINDEP : NC_NOERR;
  return is_independent ? NC_NOERR : NC_ENOTINDEP;
}

OpenFile::Moved OpenFile::move(bool in, bool all, const Status& local, std::span<cdf::Access> accesses) {
  if (!all && !local.ok()) return {local, {}};
  if (!in) return {all ? file->get(local, accesses) : file->get_alone(accesses), {}};
  Moved moved{all ? file->put(local, accesses) : file->put_alone(accesses), {}};
  if (!companion) return moved;
  companion->note(accesses);
  // A rank that has an error alone takes part.
  if (all) moved.dataset = told(companion->follow(moved.file.ok() ? accesses : std::span<cdf::Access>()));
  return moved;
}

Status OpenFile::sync(bool all_records) {
  const Status synced = file->sync();
  if (!companion || !synced.ok()) return synced;
  return told(all_records ? companion->commit() : companion->follow({}));
}

Status OpenFile::close(bool keeps) {
  Status done = companion && keeps ? file->sync() : Status();
  if (companion) {
    const Status ended = told(keeps && done.ok() ? companion->close() : companion->abandon());
    if (done.ok()) done = ended;
    companion.reset();
  }
  const Status closed = keeps ? file->close() : file->abandon();
  return done.ok() ? closed : done;
}

Status OpenFile::told(Status status) const {
  for (const std::string& text : companion->take_messages()) warn(text);
  if (!status.ok()) warn(status.message(), comm->rank() == 0);
  return status;
}

int OpenFile::agreed(int code) const {
  if (!is_safe) return code;
  std::array<std::uint64_t, 1> worst{static_cast<std::uint64_t>(-std::int64_t{code})};
  comm->all_reduce_max(std::span<std::uint64_t>(worst));
  return -static_cast<int>(worst[0]);
}

int OpenFile::agreed(int code, const std::vector<Compared>& arguments) const {
  if (!is_safe) return code;
  code = agreed(code);
  for (const Compared& argument : arguments) {
    if (code != NC_NOERR) return code;
    std::uint64_t n = argument.bytes.size();
    comm->broadcast(std::as_writable_bytes(std::span(&n, 1)), 0);
    std::string first = argument.bytes;
    first.resize(n);
    comm->broadcast(std::as_writable_bytes(std::span(first)), 0);
    code = agreed(first == argument.bytes ? static_cast<int>(NC_NOERR) : argument.code);
  }
  return code;
}

int add_open_file(std::unique_ptr<OpenFile> file, int* ncid) {
  auto& files = open_files();
  auto place = std::find(files.begin(), files.end(), nullptr);
  if (place == files.end()) {
    if (files.size() >= NC_MAX_NFILES) return NC_ENFILE;
    place = files.insert(files.end(), nullptr);
  }
  *ncid = static_cast<int>(place - files.begin());
  *place = std::move(file);
  return NC_NOERR;
}

OpenFile* find_open_file(int ncid) {
  auto& files = open_files();
  const bool exists = ncid >= 0 && static_cast<std::size_t>(ncid) < files.size();
  return exists ? files[static_cast<std::size_t>(ncid)].get() : nullptr;
}

std::unique_ptr<OpenFile> remove_open_file(int ncid) {
  return std::move(open_files()[static_cast<std::size_t>(ncid)]);
}

std::vector<int> open_file_numbers() {
  std::vector<int> numbers;
  const auto& files = open_files();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i] != nullptr) numbers.push_back(static_cast<int>(i));
  }
  return numbers;
}

}  // namespace esker::pnetcdf
