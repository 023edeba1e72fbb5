// Dataset: a dataset that is written through Esker's C interface. Its functions are Esker's, with exceptions
// as errors.
//
// Only collective calls throw, AgreedError on all ranks. They also report errors of earlier local calls on
// any rank.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "esker/esker_mpi.h"
#include "options.h"

namespace gcrm {

/// The object of an attribute: its kind and, for fields and dimensions, its number.
struct Object {
  esker_object kind = ESKER_DATASET;
  int number = 0;
};

class Dataset {
 public:
  /// Collective.
  Dataset(MPI_Comm comm, const std::string& path, const Options& options);

  /// Local, like esker_def_*. They return Esker's IDs.
  int dim(const char* name, std::int64_t size);
  int grid(const char* name, std::initializer_list<int> dims);
  int field(int grid, const std::string& name, esker_type type, int components, bool fixed);
  void coords(int grid, int dim, const double* values, std::int64_t count);
  void attribute(const Object& of, const char* name, const std::string& text);
  void attribute(const Object& of, const char* name, std::int64_t value);
  void attribute(const Object& of, const char* name, const std::vector<double>& values);

  void begin_step(double time);
  /// Local. `data` must not change until the step ends.
  void put(int field, esker_type type, std::initializer_list<std::int64_t> lo,
           std::initializer_list<std::int64_t> extent, const void* data);
  /// Collective.
  void end_step();
  void close();
  /// Collective: the report of the run, as text.
  std::string report();
  /// The report of the last step. Local.
  [[nodiscard]] esker_step_report last_step();

 private:
  void check_all(esker_status status);

  std::unique_ptr<esker_comm, void (*)(esker_comm*)> comm_;
  std::unique_ptr<esker_dataset, void (*)(esker_dataset*)> handle_;
};

}  // namespace gcrm
