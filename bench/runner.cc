#include "runner.h"

#include <optional>

#include "memory.h"
#include "model.h"

namespace bench {
namespace {

/// Times a collective operation on the slowest rank.
class CollectiveClock {
 public:
  explicit CollectiveClock(MPI_Comm comm) : comm_(comm) {}

  template <class Action>
  void time(const Action& action) {
    MPI_Barrier(comm_);
    const double start = MPI_Wtime();
    action();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    seconds_ += seconds;
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  MPI_Comm comm_;
  double seconds_ = 0;
};

struct WriteTimes {
  double calls_s = 0;      ///< in the calls of the case
  double in_steps_s = 0;   ///< of these, in write_step() but for the first one
  double computing_s = 0;  ///< before the steps
};

WriteTimes write(MPI_Comm comm, Case& tested, Workload& workload, Model& model, Index steps, Index repeat) {
  CollectiveClock other(comm), in_steps(comm), computing(comm);
  other.time([&] { tested.begin_write(); });
  for (Index step = 0; step < steps; ++step) {
    computing.time([&] {
      workload.compute({repeat, step});
      model.compute();
    });
    (step > 0 ? in_steps : other).time([&] { tested.write_step(workload, step); });
  }
  other.time([&] { tested.end_write(); });
  return {other.seconds() + in_steps.seconds(), in_steps.seconds(), computing.seconds()};
}

Index count_bad(const Case& tested, const Workload& workload, const Samples& samples, const Salt& salt) {
  const std::vector<KeptAbove> kept = tested.kept();
  Index bad = 0;
  for (std::size_t f = 0; f < workload.fields.size(); ++f) {
    const FieldMemory& field = workload.fields[f];
    const auto number = static_cast<int>(f);
    const Answer answer = tested.answer(field, samples[f].data());
    bad += count_bad(field, number, answer, salt, tested.tolerance(), !kept.empty());
    bad += count_lacking(workload, number, answer, kept, salt);
  }
  return bad;
}

double read(MPI_Comm comm, Case& tested, const Workload& workload, Index steps, Index repeat,
            Samples& samples, Index& bad) {
  CollectiveClock clock(comm);
  clock.time([&] { tested.begin_read(); });
  for (Index step = 0; step < steps; ++step) {
    clock.time([&] { tested.read_step(workload, step, samples); });
    bad += count_bad(tested, workload, samples, {repeat, step});
  }
  clock.time([&] { tested.end_read(); });
  return clock.seconds();
}

class Runner {
 public:
  Runner(MPI_Comm comm, Workload& workload, const Schedule& schedule)
      : comm_(comm),
        workload_(workload),
        schedule_(schedule),
        model_(comm, schedule.compute_s),
        samples_(make_samples(workload)) {
    for (const Index halvings : schedule.halvings) {
      levels_.push_back(workload.at_level(halvings));
      samples_of_levels_.push_back(make_samples(levels_.back()));
    }
  }

  /// Results without times.
  [[nodiscard]] Measured describe(const Case& tested) const {
    Measured measured;
    measured.name = tested.name();
    measured.kept = tested.kept();
    if (!tested.reads_levels()) return measured;
    for (const Workload& level : levels_) measured.levels.push_back({level.halvings, level.data_bytes, {}});
    return measured;
  }

  void run_once(Case& tested, Index repeat, Measured& measured) {
    const bool is_warm_up = repeat == schedule_.repeats;
    std::optional<MemoryWatch> watch;
    if (is_warm_up) watch.emplace();
    const WriteTimes write_times = write(comm_, tested, workload_, model_, schedule_.steps, repeat);
    if (watch) measured.extra_bytes = watch->peak_growth_bytes();
    watch.reset();
    measured.stored_bytes = tested.stored_bytes() / schedule_.steps;
    tested.after_write();
    const auto read_all = [&](const Workload& wanted, Samples& samples) {
      if (!schedule_.reads) return 0.0;
      return read(comm_, tested, wanted, schedule_.steps, repeat, samples, measured.bad_values);
    };
    const double read_s = read_all(workload_, samples_);
    for (std::size_t l = 0; l < measured.levels.size(); ++l) {
      const double level_s = read_all(levels_[l], samples_of_levels_[l]);
      if (!is_warm_up) measured.levels[l].read_s.push_back(level_s);
    }
    MPI_Barrier(comm_);
    tested.remove();
    if (is_warm_up) return;
    measured.details.push_back(tested.details());
    measured.write_s.push_back(write_times.calls_s);
    if (schedule_.compute_s > 0) {
      measured.in_steps_s.push_back(write_times.in_steps_s);
      measured.computing_s.push_back(write_times.computing_s);
      measured.total_s.push_back(write_times.calls_s + write_times.computing_s);
    }
    if (schedule_.reads) measured.read_s.push_back(read_s);
  }

 private:
  MPI_Comm comm_;
  Workload& workload_;
  const Schedule& schedule_;
  Model model_;
  std::vector<Workload> levels_;
  Samples samples_;  // shared by all cases
  std::vector<Samples> samples_of_levels_;
};

void gather(MPI_Comm comm, Measured& measured) {
  MPI_Allreduce(MPI_IN_PLACE, &measured.stored_bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &measured.bad_values, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &measured.extra_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
}

}  // namespace

std::vector<Measured> run(MPI_Comm comm, const std::vector<std::unique_ptr<Case>>& cases, Workload& workload,
                          const Schedule& schedule) {
  Runner runner(comm, workload, schedule);
  std::vector<Measured> measured;
  for (const auto& tested : cases) {
    measured.push_back(runner.describe(*tested));
    runner.run_once(*tested, schedule.repeats, measured.back());
  }
  for (Index repeat = 0; repeat < schedule.repeats; ++repeat) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t c = (i + static_cast<std::size_t>(repeat)) % cases.size();
      runner.run_once(*cases[c], repeat, measured[c]);
    }
  }
  for (Measured& m : measured) gather(comm, m);
  return measured;
}

}  // namespace bench
