// The limits: plain files and plain memory.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <system_error>

#include "case.h"

namespace bench {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), what + " " + path);
}

class FileDescriptor {
 public:
  FileDescriptor(const std::string& path, int flags)
      : path_(path), number_(::open(path.c_str(), flags, 0666)) {
    if (number_ < 0) fail("open", path);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { ::close(number_); }

  void write_at(const std::vector<double>& samples, Index offset) {
    transfer("write", samples.size() * sizeof(double), offset,
             [&](std::size_t done, std::size_t bytes, Index at) {
               return ::pwrite(number_, reinterpret_cast<const char*>(samples.data()) + done, bytes, at);
             });
  }
  void read_at(std::vector<double>& samples, Index offset) {
    transfer("read", samples.size() * sizeof(double), offset,
             [&](std::size_t done, std::size_t bytes, Index at) {
               return ::pread(number_, reinterpret_cast<char*>(samples.data()) + done, bytes, at);
             });
  }

 private:
  template <class Call>
  void transfer(const char* what, std::size_t bytes, Index offset, const Call& call) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t n =
          call(done, std::min(bytes - done, std::size_t{1} << 30), offset + static_cast<Index>(done));
      if (n <= 0) fail(what, path_);
      done += static_cast<std::size_t>(n);
    }
  }

  std::string path_;
  int number_;
};

/// Memory for one rank's fields, laid out as the workload's.
class Copy {
 public:
  /// Made once, and touched: the allocation is not what is measured.
  void fit(const Workload& workload) {
    if (!samples_.empty()) return;
    for (const FieldMemory& field : workload.fields) samples_.emplace_back(field.samples.size(), 0.0);
  }
  std::vector<double>& operator[](std::size_t f) { return samples_[f]; }
  [[nodiscard]] Index count_bad(const Workload& workload, const Salt& salt) const {
    Index bad = 0;
    for (std::size_t f = 0; f < samples_.size(); ++f) {
      const FieldMemory& field = workload.fields[f];
      bad += bench::count_bad(field, static_cast<int>(f), like_memory(field, samples_[f].data()), salt);
    }
    return bad;
  }

 private:
  std::vector<std::vector<double>> samples_;
};

class PosixCase final : public Case {
 public:
  /// `path_of(step)`; this rank's part begins at `offset_bytes`.
  PosixCase(std::string name, std::function<std::string(Index)> path_of, Index offset_bytes)
      : name_(std::move(name)), path_of_(std::move(path_of)), offset_(offset_bytes) {}

  [[nodiscard]] std::string name() const override { return name_; }

  void write_step(const Workload& workload, Index step) override {
    FileDescriptor file(path_of_(step), O_WRONLY | O_CREAT);
    Index offset = offset_;
    for (const FieldMemory& field : workload.fields) {
      file.write_at(field.samples, offset);
      offset += field.bytes();
    }
    stored_bytes_ += workload.bytes_of_rank();
    steps_ = std::max(steps_, step + 1);
  }

  void read_step(const Workload& workload, Index step) override {
    answer_.fit(workload);
    FileDescriptor file(path_of_(step), O_RDONLY);
    Index offset = offset_;
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      file.read_at(answer_[f], offset);
      offset += workload.fields[f].bytes();
    }
  }

  [[nodiscard]] Index count_bad(const Workload& workload, const Salt& salt) const override {
    return answer_.count_bad(workload, salt);
  }
  [[nodiscard]] Index stored_bytes() const override { return stored_bytes_; }
  void remove() override {
    for (Index step = 0; step < steps_; ++step) std::filesystem::remove(path_of_(step));
    stored_bytes_ = 0;
  }

 private:
  std::string name_;
  std::function<std::string(Index)> path_of_;
  Index offset_;
  Index steps_ = 0, stored_bytes_ = 0;
  Copy answer_;
};

class MemcpyCase final : public Case {
 public:
  [[nodiscard]] std::string name() const override { return "memcpy"; }

  void write_step(const Workload& workload, Index step) override {
    if (static_cast<Index>(stored_.size()) <= step) stored_.resize(static_cast<std::size_t>(step) + 1);
    Copy& stored = stored_[static_cast<std::size_t>(step)];
    stored.fit(workload);
    for (std::size_t f = 0; f < workload.fields.size(); ++f) copy(workload.fields[f].samples, stored[f]);
  }
  void read_step(const Workload& workload, Index step) override {
    answer_.fit(workload);
    Copy& stored = stored_[static_cast<std::size_t>(step)];
    for (std::size_t f = 0; f < workload.fields.size(); ++f) copy(stored[f], answer_[f]);
  }
  [[nodiscard]] Index count_bad(const Workload& workload, const Salt& salt) const override {
    return answer_.count_bad(workload, salt);
  }

 private:
  static void copy(const std::vector<double>& from, std::vector<double>& to) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
  }
  std::vector<Copy> stored_;  // per step
  Copy answer_;
};

}  // namespace

std::unique_ptr<Case> posix_case(const std::string& directory, int rank) {
  const auto path_of = [=](Index step) {
    return directory + "/posix." + std::to_string(step) + "." + std::to_string(rank);
  };
  return std::make_unique<PosixCase>("posix", path_of, 0);
}

std::unique_ptr<Case> posix_shared_case(const std::string& directory, Index offset_bytes) {
  const auto path_of = [=](Index step) { return directory + "/posix_shared." + std::to_string(step); };
  return std::make_unique<PosixCase>("posix_shared", path_of, offset_bytes);
}

std::unique_ptr<Case> memcpy_case() { return std::make_unique<MemcpyCase>(); }

}  // namespace bench
