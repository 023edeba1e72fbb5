#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/printer.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "common/together.h"
#include "common/world.h"
#include "model.h"
#include "output.h"

namespace jacobi {
namespace {

using miniapp::AgreedError;
using miniapp::World;

constexpr long long kDefaultCells = 64;

int rank_on_node(const World& world) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
  const int rank = World(node).rank;
  MPI_Comm_free(&node);
  return rank;
}

/// The cells of the dataset that is continued, or as given.
std::array<long long, 3> all_cells(const World& world, const Settings& settings) {
  std::array<long long, 3> cells{kDefaultCells, kDefaultCells, kDefaultCells};
  if (!settings.restart.empty()) cells = cells_of(world.comm, settings.restart);
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const long long given = settings.cells[a].value_or(cells[a]);
    if (!settings.restart.empty() && given != cells[a]) {
      throw AgreedError(
          fmt::format("{0}: expected {1} cells along {2}, as --n{2} says, found {3}; leave out "
                      "--n{2} to continue it",
                      settings.restart, given, "xyz"[a], cells[a]));
    }
    cells[a] = given;
  }
  if (cells[2] < world.size) {
    throw AgreedError(fmt::format("{} planes are too few for {} ranks: give --nz {} or more, or fewer ranks",
                                  cells[2], world.size, world.size));
  }
  return cells;
}

class Run {
 public:
  Run(const World& world, const Settings& settings)
      : world_(world),
        settings_(settings),
        slab_(slab_of(all_cells(world, settings), world.rank, world.size)),
        print_(world.rank == 0 && !settings.quiet),
        progress_(world.rank == 0 && !settings.quiet, "sweep") {}

  void execute() {
    const int on_node = rank_on_node(world_);
    miniapp::together(world_.comm, [&] {
      gpu_.emplace(on_node);
      model_.emplace(world_, *gpu_, slab_);
    });
    print_("{} x {} x {} cells, {} rank(s)\n", slab_.nx, slab_.ny, slab_.nz, world_.size);
    begin();
    if (!settings_.output.empty()) output_.emplace(settings_.output, world_.comm, slab_, settings_.options);
    if (settings_.restart.empty()) write();
    const long long end = sweep_ + settings_.sweeps;
    while (sweep_ < end) one_sweep(end);
    progress_.clear();
    if (output_) in_output_.time([&] { output_->close(); });
    print_("time   model {:.2f} s, output {:.2f} s\n", in_model_.seconds, in_output_.seconds);
    const std::vector<double> values = model_->to_host();
    if (settings_.verify) {
      on_host_ = swept_on_host(world_, slab_, std::move(on_host_), settings_.sweeps);
      verify(values);
    }
    print_("state  {:016x}\n", checksum(world_, slab_, values));
  }

 private:
  void begin() {
    if (!settings_.restart.empty()) {
      in_output_.time([&] { sweep_ = read_last(world_.comm, settings_.restart, slab_, model_->own()); });
      print_("restart at sweep {} from {}\n", sweep_, settings_.restart);
    }
    model_->exchange();
    if (settings_.verify) on_host_ = model_->to_host();
  }

  void one_sweep(long long end) {
    in_model_.time([&] {
      model_->sweep();
      model_->exchange();
    });
    ++sweep_;
    progress_.show(static_cast<double>(sweep_), static_cast<double>(end));
    if (sweep_ % settings_.every == 0) write();
  }

  void write() {
    if (!output_) return;
    progress_.clear();
    in_output_.time([&] { output_->write(sweep_, model_->own()); });
    print_("esker  {}: {}\n", settings_.output, output_->writer().last_step().to_string());
  }

  /// All cells of this rank have the bits that the host computes.
  void verify(const std::vector<double>& values) {
    miniapp::together(world_.comm, [&] {
      const auto same_bits = [](double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
      };
      const auto wrong = std::mismatch(values.begin(), values.end(), on_host_.begin(), same_bits).first;
      if (wrong == values.end()) return;
      const auto cell = wrong - values.begin();
      throw std::runtime_error(
          fmt::format("--verify: expected {} in cell {} of the slab, as the host computes, found {}",
                      on_host_[static_cast<std::size_t>(cell)], cell, *wrong));
    });
    print_("verified: all cells have the bits that the host computes\n");
  }

  const World& world_;
  const Settings& settings_;
  Slab slab_;
  std::optional<Gpu> gpu_;
  std::optional<Model> model_;
  std::optional<Output> output_;
  std::vector<double> on_host_;
  long long sweep_ = 0;
  miniapp::Printer print_;
  miniapp::Progress progress_;
  miniapp::Stopwatch in_model_, in_output_;
};

}  // namespace

void run(MPI_Comm comm, const Settings& settings) {
  const World world(comm);
  Run(world, settings).execute();
}

}  // namespace jacobi
