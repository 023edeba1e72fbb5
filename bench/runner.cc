#include "runner.h"

#include <optional>

#include "memory.h"

namespace bench {
namespace {

/// Time that passes on the slowest rank while all do something together.
class Clock {
 public:
  explicit Clock(MPI_Comm comm) : comm_(comm) {}

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

double write(MPI_Comm comm, Case& tested, Workload& workload, Index steps, Index repeat) {
  Clock clock(comm);
  clock.time([&] { tested.begin_write(); });
  for (Index step = 0; step < steps; ++step) {
    workload.compute({repeat, step});
    clock.time([&] { tested.write_step(workload, step); });
  }
  clock.time([&] { tested.end_write(); });
  return clock.seconds();
}

Index count_bad(const Case& tested, const Workload& workload, const Samples& samples, const Salt& salt) {
  Index bad = 0;
  for (std::size_t f = 0; f < workload.fields.size(); ++f) {
    const FieldMemory& field = workload.fields[f];
    bad += count_bad(field, static_cast<int>(f), tested.answer(field, samples[f].data()), salt);
  }
  return bad;
}

double read(MPI_Comm comm, Case& tested, const Workload& workload, Index steps, Index repeat,
            Samples& samples, Index& bad) {
  Clock clock(comm);
  clock.time([&] { tested.begin_read(); });
  for (Index step = 0; step < steps; ++step) {
    clock.time([&] { tested.read_step(workload, step, samples); });
    bad += count_bad(tested, workload, samples, {repeat, step});
  }
  clock.time([&] { tested.end_read(); });
  return clock.seconds();
}

void run_once(MPI_Comm comm, Case& tested, Workload& workload, const Schedule& schedule, Index repeat,
              Samples& samples, Measured& measured) {
  const bool is_warm_up = repeat == schedule.repeats;
  std::optional<MemoryWatch> watch;
  if (is_warm_up) watch.emplace();
  const double write_s = write(comm, tested, workload, schedule.steps, repeat);
  if (watch) measured.extra_bytes = watch->peak_growth_bytes();
  watch.reset();
  measured.stored_bytes = tested.stored_bytes() / schedule.steps;
  tested.after_write();
  const double read_s = read(comm, tested, workload, schedule.steps, repeat, samples, measured.bad_values);
  MPI_Barrier(comm);
  tested.remove();
  if (is_warm_up) return;
  measured.details.push_back(tested.details());
  measured.write_s.push_back(write_s);
  measured.read_s.push_back(read_s);
}

void gather(MPI_Comm comm, Measured& measured) {
  MPI_Allreduce(MPI_IN_PLACE, &measured.stored_bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &measured.bad_values, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &measured.extra_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
}

}  // namespace

std::vector<Measured> run(MPI_Comm comm, const std::vector<std::unique_ptr<Case>>& cases, Workload& workload,
                          const Schedule& schedule) {
  std::vector<Measured> measured(cases.size());
  Samples samples = make_samples(workload);  // lent to all cases
  for (std::size_t c = 0; c < cases.size(); ++c) {
    measured[c].name = cases[c]->name();
    run_once(comm, *cases[c], workload, schedule, schedule.repeats, samples, measured[c]);
  }
  for (Index repeat = 0; repeat < schedule.repeats; ++repeat) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t c = (i + static_cast<std::size_t>(repeat)) % cases.size();
      run_once(comm, *cases[c], workload, schedule, repeat, samples, measured[c]);
    }
  }
  for (Measured& m : measured) gather(comm, m);
  return measured;
}

}  // namespace bench
