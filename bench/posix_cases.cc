// The reference cases: plain files and plain memory.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>

#include "case.h"
#include "file_descriptor.h"

namespace bench {
namespace {

/// Calls `transfer(begin, bytes)` for consecutive pieces of `total_bytes`, of `most_bytes` each but the last;
/// 0: for all at once.
void in_pieces(Index total_bytes, Index most_bytes, const std::function<void(Index, std::size_t)>& transfer) {
  const Index most = most_bytes > 0 ? most_bytes : total_bytes;
  for (Index begin = 0; begin < total_bytes; begin += most) {
    transfer(begin, static_cast<std::size_t>(std::min(most, total_bytes - begin)));
  }
}

std::size_t bytes_of(Index samples) { return static_cast<std::size_t>(samples) * sizeof(double); }

class PosixCase final : public Case {
 public:
  /// `path_of(step)`; this rank's part begins at `offset_bytes`. Calls transfer at most `piece_bytes`; 0: a
  /// whole field.
  PosixCase(std::string name, std::function<std::string(Index)> path_of, Index offset_bytes,
            Index piece_bytes = 0)
      : name_(std::move(name)),
        path_of_(std::move(path_of)),
        offset_(offset_bytes),
        piece_bytes_(piece_bytes) {}

  [[nodiscard]] std::string name() const override { return name_; }

  void write_step(const Workload& workload, Index step) override {
    FileDescriptor file(path_of_(step), O_WRONLY | O_CREAT);
    Index offset = offset_;
    for (const FieldMemory& field : workload.fields) {
      const auto* first = reinterpret_cast<const char*>(field.samples.data());
      in_pieces(field.bytes(), piece_bytes_,
                [&](Index begin, std::size_t bytes) { file.write_at(first + begin, bytes, offset + begin); });
      offset += field.bytes();
    }
    stored_bytes_ += workload.bytes_of_rank();
    steps_ = std::max(steps_, step + 1);
    written_ = &workload;
  }

  [[nodiscard]] bool reads_levels() const override { return true; }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    FileDescriptor file(path_of_(step), O_RDONLY);
    Index offset = offset_;
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      read_level(file, offset, written_->fields[f], workload.fields[f], samples[f].data());
      offset += written_->fields[f].bytes();
    }
  }

  [[nodiscard]] Index stored_bytes() const override { return stored_bytes_; }
  void remove() override {
    for (Index step = 0; step < steps_; ++step) std::filesystem::remove(path_of_(step));
    stored_bytes_ = 0;
  }

 private:
  /// Reads the samples `level` of `whole`, which is stored at `offset`: contiguous samples as one run, others
  /// by reading their row.
  void read_level(FileDescriptor& file, Index offset, const FieldMemory& whole, const FieldMemory& level,
                  double* samples) {
    const Box& box = level.box;
    if (box.empty()) return;
    std::vector<int> axes(static_cast<std::size_t>(box.rank));
    std::iota(axes.begin(), axes.end(), 0);
    std::sort(axes.begin(), axes.end(), [&](int a, int b) { return level.strides[a] < level.strides[b]; });
    const int row = axes.front();
    const Index spacing = level.spacing[row];
    Index run = box.extent(row);
    auto next = axes.begin() + 1;
    for (; spacing == 1 && next != axes.end() && level.spacing[*next] == 1; ++next) run *= box.extent(*next);
    const bool is_whole = spacing == 1 && next == axes.end();
    if (is_whole) run *= level.components;
    row_.resize(static_cast<std::size_t>(spacing == 1 ? 0 : (run - 1) * spacing + 1));
    Point p = box.lo;
    for (Index done = 0; done < level.num_samples(); done += run) {
      const Index component = done / box.num_samples();
      Index place = component * whole.component_stride;
      for (int a = 0; a < box.rank; ++a) {
        place += (p[a] * level.spacing[a] - whole.box.lo[a]) * whole.strides[a];
      }
      const Index at = offset + place * Index{sizeof(double)};
      if (spacing == 1) {
        auto* first = reinterpret_cast<char*>(samples + done);
        in_pieces(static_cast<Index>(bytes_of(run)), piece_bytes_,
                  [&](Index begin, std::size_t bytes) { file.read_at(first + begin, bytes, at + begin); });
      } else {
        file.read_at(row_.data(), row_.size() * sizeof(double), at);
        for (Index i = 0; i < run; ++i) samples[done + i] = row_[static_cast<std::size_t>(i * spacing)];
      }
      for (auto axis = next; axis != axes.end(); ++axis) {
        if (++p[*axis] < box.hi[*axis]) break;
        p[*axis] = box.lo[*axis];
      }
    }
  }

  std::string name_;
  std::function<std::string(Index)> path_of_;
  Index offset_, piece_bytes_;
  Index steps_ = 0, stored_bytes_ = 0;
  const Workload* written_ = nullptr;
  std::vector<double> row_;
};

class MemcpyCase final : public Case {
 public:
  [[nodiscard]] std::string name() const override { return "memcpy"; }

  void write_step(const Workload& workload, Index step) override {
    if (static_cast<Index>(stored_.size()) <= step) stored_.push_back(make_samples(workload));  // to warm up
    Samples& stored = stored_[static_cast<std::size_t>(step)];
    for (std::size_t f = 0; f < workload.fields.size(); ++f) copy(workload.fields[f].samples, stored[f]);
  }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    const Samples& stored = stored_[static_cast<std::size_t>(step)];
    for (std::size_t f = 0; f < workload.fields.size(); ++f) copy(stored[f], samples[f]);
  }

 private:
  static void copy(const std::vector<double>& from, std::vector<double>& to) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
  }
  std::vector<Samples> stored_;  // per step
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

std::unique_ptr<Case> ior_case(const std::string& directory, int rank) {
  const auto path_of = [=](Index step) {
    return directory + "/ior." + std::to_string(step) + "." + std::to_string(rank);
  };
  return std::make_unique<PosixCase>("ior", path_of, 0, kIorTransferBytes);
}

std::unique_ptr<Case> ior_shared_case(const std::string& directory, Index offset_bytes) {
  const auto path_of = [=](Index step) { return directory + "/ior_shared." + std::to_string(step); };
  return std::make_unique<PosixCase>("ior_shared", path_of, offset_bytes, kIorTransferBytes);
}

std::unique_ptr<Case> memcpy_case() { return std::make_unique<MemcpyCase>(); }

}  // namespace bench
