// The case that measures storage alone.
#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "case.h"
#include "file_descriptor.h"

namespace bench {
namespace {

class PackedCase final : public Case {
 public:
  PackedCase(std::string name, std::string directory, int rank, int n_ranks, const PackedLayout& layout,
             const Workload& workload)
      : name_(std::move(name)), directory_(std::move(directory)), rank_(rank), n_files_(layout.files) {
    if (n_files_ == 0) n_files_ = n_ranks;
    total_ = workload.data_bytes;
    begin_ = total_ / n_ranks * rank;
    end_ = rank + 1 == n_ranks ? total_ : total_ / n_ranks * (rank + 1);
    write_bytes_ = layout.write_bytes > 0 ? layout.write_bytes : total_;
    buffer_.resize(static_cast<std::size_t>(end_ - begin_), static_cast<char>(rank + 1));
  }

  [[nodiscard]] std::string name() const override { return name_; }

  void write_step(const Workload&, Index step) override {
    const Index file_bytes = (total_ + n_files_ - 1) / n_files_;
    for (Index at = begin_; at < end_;) {
      const Index number = at / file_bytes;
      const Index end_in_file = std::min(end_, (number + 1) * file_bytes);
      FileDescriptor file(path_of(step, number), O_WRONLY | O_CREAT);
      while (at < end_in_file) {
        const Index bytes = std::min(write_bytes_, end_in_file - at);
        file.write_at(buffer_.data() + (at - begin_), static_cast<std::size_t>(bytes),
                      at - number * file_bytes);
        at += bytes;
      }
    }
    stored_bytes_ += end_ - begin_;
    steps_ = std::max(steps_, step + 1);
  }

  void read_step(const Workload&, Index, Samples&) override {
    throw std::runtime_error(name_ + ": stores no values of the workload; expected --write-only");
  }

  [[nodiscard]] Index stored_bytes() const override { return stored_bytes_; }
  void remove() override {
    for (Index step = 0; step < steps_ && rank_ == 0; ++step) {
      for (Index number = 0; number < n_files_; ++number) std::filesystem::remove(path_of(step, number));
    }
    stored_bytes_ = 0;
  }

 private:
  [[nodiscard]] std::string path_of(Index step, Index number) const {
    return directory_ + "/packed." + std::to_string(step) + "." + std::to_string(number);
  }

  std::string name_, directory_;
  int rank_;
  Index n_files_, total_ = 0, begin_ = 0, end_ = 0, write_bytes_ = 0;
  Index steps_ = 0, stored_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace

std::unique_ptr<Case> packed_case(const std::string& name, const std::string& directory, int rank,
                                  int n_ranks, const PackedLayout& layout, const Workload& workload) {
  return std::make_unique<PackedCase>(name, directory, rank, n_ranks, layout, workload);
}

}  // namespace bench
