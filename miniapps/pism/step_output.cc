#include "step_output.h"

#include <fmt/format.h>

#include "common/stopwatch.h"
#include "common/together.h"
#include "esker/mpi.hpp"
#include "raw_output.h"
#include "reduce.h"
#include "verify.h"

namespace pism {
namespace {

class ThroughEsker final : public StepOutput {
 public:
  ThroughEsker(const miniapp::World& world, const Grid& grid, const Settings& settings,
               const Description& description)
      : comm_(world.comm),
        path_(settings.output),
        output_(settings.output, esker::mpi_communicator(world.comm), grid, settings.precision,
                settings.esker, description) {}

  void write(const State& state) override { output_.write(state); }
  void verify() override {
    output_.flush();
    together(comm_, [&] { verify_step(path_, output_.writer().num_steps() - 1, output_.last_put()); });
  }
  void close() override { output_.close(); }
  std::string last_step() override { return output_.writer().last_step().to_string(); }
  std::string report() override {
    const auto text = output_.writer().report_text();
    return text.ok() ? *text : text.status().message();
  }

 private:
  MPI_Comm comm_;
  std::string path_;
  Output output_;
};

class WithoutALibrary final : public StepOutput {
 public:
  WithoutALibrary(const miniapp::World& world, const Grid& grid, const Settings& settings, RawMode mode)
      : comm_(world.comm),
        mode_(settings.mode),
        fields_(grid, settings.precision),
        file_(world, grid, mode, settings.output, settings.esker.overwrite) {}

  void write(const State& state) override {
    const Index before = file_.size_bytes();
    miniapp::Stopwatch watch;
    watch.time([&] { file_.write(fields_.of(state, num_steps_ == 0)); });
    last_bytes_ = file_.size_bytes() - before;
    last_s_ = max_over_ranks(comm_, watch.seconds);
    total_s_ += last_s_;
    ++num_steps_;
  }
  void verify() override { file_.verify(fields_.last()); }
  void close() override { file_.close(); }
  std::string last_step() override {
    return fmt::format("step {}: {}", num_steps_ - 1, text_of(last_bytes_, last_s_));
  }
  std::string report() override {
    return fmt::format("{} steps, mode {}: {}", num_steps_, mode_, text_of(file_.size_bytes(), total_s_));
  }

 private:
  static std::string text_of(Index n_bytes, double seconds) {
    const auto bytes = static_cast<double>(n_bytes);
    return fmt::format("{:.1f} MB in {:.3g} s, {:.3g} GB/s", bytes / 1e6, seconds, bytes / 1e9 / seconds);
  }

  MPI_Comm comm_;
  std::string mode_;
  StepFields fields_;
  RawOutput file_;
  Index num_steps_ = 0, last_bytes_ = 0;
  double last_s_ = 0, total_s_ = 0;
};

}  // namespace

std::unique_ptr<StepOutput> make_output(const miniapp::World& world, const Grid& grid,
                                        const Settings& settings, const Description& description) {
  if (settings.raw_mode) return std::make_unique<WithoutALibrary>(world, grid, settings, *settings.raw_mode);
  return std::make_unique<ThroughEsker>(world, grid, settings, description);
}

}  // namespace pism
