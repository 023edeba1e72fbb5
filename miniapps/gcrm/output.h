// Output: steps of a run as an Esker dataset.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "arrangement.h"
#include "dataset.h"

namespace gcrm {

class Output {
 public:
  /// Collective; throws AgreedError. `mesh` outlives it. `type`: ESKER_FLOAT32 or ESKER_FLOAT64, for
  /// variables that change in time; fixed variables are float64.
  Output(MPI_Comm comm, const std::string& path, const Panels& panels, const Mesh& mesh, int layers,
         esker_type type, const Options& options);

  /// Collective: writes the tracer (as Transport has it) as the next step. Throws AgreedError.
  void write(double days, const std::vector<double>& tracer);
  /// Collective.
  void close() { dataset_.close(); }

  [[nodiscard]] Dataset& dataset() { return dataset_; }

 private:
  void describe_dataset();
  /// A variable's values in the type and order of the put.
  void pack(int variable, const std::vector<double>& tracer);
  [[nodiscard]] esker_type type_of(int variable) const {
    return kVariables[variable].fixed ? ESKER_FLOAT64 : type_;
  }

  const Mesh& mesh_;
  int layers_;
  esker_type type_;
  Dataset dataset_;
  std::unique_ptr<Arrangement> arrangement_;
  std::array<std::vector<char>, kVariables.size()> packed_;
  bool is_first_step_ = true;
};

}  // namespace gcrm
