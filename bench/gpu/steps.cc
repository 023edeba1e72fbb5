#include "steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <vector>

#include "comm/comm.h"
#include "esker/dataset.hpp"
#include "esker/types/decomposition.hpp"
#include "esker/writer.hpp"
#include "support/device_bytes.h"

namespace esker::bench {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;

constexpr int kFields = 16;
enum class From { kDevice, kHost, kCopied };
constexpr std::array kAll{From::kDevice, From::kHost, From::kCopied};
constexpr std::array kNames{"from the GPU", "from the host", "copied, then from the host"};

double value_of(int field, int rank, std::size_t sample) {
  return field + 100.0 * rank + 1e-6 * static_cast<double>(sample);
}

class Steps {
 public:
  Steps(const Communicator& comm, std::string path, Index edge)
      : comm_(comm), path_(std::move(path)), samples_(static_cast<std::size_t>(edge * edge * edge)) {
    for (int f = 0; f < kFields; ++f) {
      auto& values = on_host_.emplace_back(samples_);
      for (std::size_t i = 0; i < samples_; ++i) values[i] = value_of(f, comm.rank(), i);
      on_device_.emplace_back(std::as_bytes(std::span(values)));
    }
    const std::array<Index, 3> ranks = factors(comm.size());
    grid_ = Box::from_extent(3, {edge * ranks[0], edge * ranks[1], edge * ranks[2]});
    const Index x = comm.rank() % ranks[0], y = comm.rank() / ranks[0] % ranks[1],
                z = comm.rank() / (ranks[0] * ranks[1]);
    mine_ = {{x * edge, y * edge, z * edge}, {(x + 1) * edge, (y + 1) * edge, (z + 1) * edge}};
  }

  /// Seconds of each step on the slowest rank, without the first, which plans.
  std::vector<double> write(From from, int repeat) {
    Options options;
    options.set("overwrite", "true").check();
    options.set("report", "none").check();
    Writer writer = Writer::create(path_, comm_, options).value();
    const DimId x = writer.def_dim("x", grid_.hi[0]).value(), y = writer.def_dim("y", grid_.hi[1]).value(),
                z = writer.def_dim("z", grid_.hi[2]).value();
    const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
    std::vector<FieldId> fields;
    for (int f = 0; f < kFields; ++f) {
      fields.push_back(writer.def_field(grid, fmt::format("f{}", f), SampleType::kFloat64).value());
    }
    std::vector<double> seconds;
    for (int step = 0; step <= repeat; ++step) {
      comm_.get()->barrier();
      const auto start = std::chrono::steady_clock::now();
      write_step(writer, from, fields, step);
      std::array<double, 1> took{
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
      comm_.get()->all_reduce_max(took);
      if (step > 0) seconds.push_back(took[0]);
    }
    writer.close().check();
    return seconds;
  }

  /// This rank's samples of the last step. Whether they are those that it put.
  [[nodiscard]] bool is_right(Index step) const {
    const Dataset dataset = Dataset::open(path_).value();
    std::vector<double> found(samples_);
    for (int f = 0; f < kFields; ++f) {
      dataset.read({fmt::format("f{}", f), step, mine_}, found.data(), found.size() * sizeof(double)).check();
      if (found != on_host_[static_cast<std::size_t>(f)]) return false;
    }
    return true;
  }

 private:
  /// Of ranks along each axis.
  static std::array<Index, 3> factors(int n) {
    std::array<Index, 3> factors{1, 1, 1};
    std::size_t axis = 0;
    for (int p = 2; n > 1; n % p == 0 ? n /= p : ++p) {
      if (n % p == 0) factors[axis++ % 3] *= p;
    }
    return factors;
  }

  void write_step(Writer& writer, From from, const std::vector<FieldId>& fields, int step) {
    std::vector<std::vector<double>> copies;
    writer.begin_step(step).check();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto* const device = reinterpret_cast<const double*>(on_device_[f].data());
      const double* data = from == From::kDevice ? device : on_host_[f].data();
      if (from == From::kCopied) {
        auto& copy = copies.emplace_back(samples_);
        on_device_[f].read(reinterpret_cast<std::byte*>(copy.data()));
        data = copy.data();
      }
      writer.put(fields[f], Patch::dense(mine_, data)).check();
    }
    writer.end_step().check();
  }

  const Communicator& comm_;
  std::string path_;
  std::size_t samples_;
  std::vector<std::vector<double>> on_host_;
  std::vector<DeviceBytes> on_device_;
  Box grid_, mine_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

bool measure_steps(const Communicator& comm, const std::string& directory, long edge, int repeat) {
  const std::filesystem::path scratch = std::filesystem::path(directory) / "esker-steps-of-gpu";
  if (comm.rank() == 0) std::filesystem::create_directories(scratch);
  comm.get()->barrier();
  Steps steps(comm, (scratch / "run.idx").string(), edge);
  std::array<double, kAll.size()> seconds{};
  bool all_right = true;
  for (std::size_t w = 0; w < kAll.size(); ++w) {
    seconds[w] = median(steps.write(kAll[w], repeat));
    std::array<double, 1> wrong{steps.is_right(repeat) ? 0.0 : 1.0};
    comm.get()->all_reduce_max(wrong);
    all_right = all_right && wrong[0] == 0;
    if (comm.rank() != 0) continue;
    const double bytes = 8.0 * static_cast<double>(edge * edge * edge) * kFields * comm.size();
    fmt::print("step {:<26} {:8.2f} GB/s{}\n", kNames[w], bytes / seconds[w] / 1e9,
               wrong[0] == 0 ? "" : ": WRONG SAMPLES");
  }
  if (comm.rank() == 0) {
    fmt::print("step from the GPU: {:.2f} times as fast as from the host, {:.2f} as after a copy\n",
               seconds[1] / seconds[0], seconds[2] / seconds[0]);
  }
  comm.get()->barrier();
  if (comm.rank() == 0) std::filesystem::remove_all(scratch);
  return all_right;
}

}  // namespace esker::bench
