// Output: the model's fields as an Esker dataset.
//
// Grid "xy" holds thk, usurf, velsurf_mag and, fixed, topg; grid "xyz" holds temp, uvel, vvel, enthalpy.
// Fields are put directly from the model's memory by strides, see StepFields. Attributes follow the CF
// conventions; times are in days of the calendar 365_day, PISM's default.
#pragma once

#include <string>
#include <vector>

#include "esker/communicator.hpp"
#include "esker/plan.hpp"
#include "esker/writer.hpp"
#include "fields.h"
#include "state.h"

namespace pism {

/// Days in a year of the output's calendar, 365_day.
inline constexpr double kDaysPerYear = 365;

inline constexpr const char* kMapping = "mapping";  ///< name of the grid mapping, PISM's

/// Description of the run in the dataset.
struct Description {
  std::string title = "Esker ice-sheet miniapp (shallow ice, Greenland)";
  bool is_greenland = true;  ///< x and y are those of SeaRISE's projection of Greenland
};

/// The plan of writing the first step on `n_ranks`. Local; only the grid's extent is used.
esker::Result<esker::PlanReport> plan_output(const Grid& grid, esker::SampleType type, int n_ranks,
                                             const esker::Options& options);

class Output {
 public:
  /// Collective; throws AgreedError. `grid` outlives it. Creates the dataset and defines its fields of type
  /// `type` (float32 or float64).
  Output(const std::string& path, const esker::Communicator& comm, const Grid& grid, esker::SampleType type,
         const esker::Options& options, const Description& description = {});

  /// Collective: writes `state` as the next step. Throws AgreedError; the dataset then keeps its earlier
  /// steps.
  void write(const State& state);
  /// Collective: a step that `async` left in flight is committed.
  void flush();
  /// Collective.
  void close();

  /// The fields of the last step. Valid until the state changes.
  [[nodiscard]] const std::vector<PutField>& last_put() const { return fields_.last(); }
  [[nodiscard]] const esker::Writer& writer() const { return writer_; }

 private:
  void define(const Description& description);
  void describe_axes(esker::DimId x, esker::DimId y, esker::DimId z);
  void define_projection();
  void define_fields(esker::GridId map, esker::GridId volume, bool is_projected);

  const Grid& grid_;
  esker::SampleType type_;
  StepFields fields_;
  esker::Writer writer_;
  std::vector<esker::FieldId> ids_;  ///< of output_fields()
};

}  // namespace pism
