#include "output.h"

#include <cstring>

namespace gcrm {
namespace {

/// Converts `width` values per cell and moves them to the positions of `order`.
template <class T>
void pack_as(const std::vector<double>& values, const std::vector<Index>& order, std::vector<char>& out) {
  const std::size_t width = order.empty() ? 1 : values.size() / order.size();
  out.resize(values.size() * sizeof(T));
  for (std::size_t c = 0; c < order.size(); ++c) {
    char* to = out.data() + order[c] * width * sizeof(T);
    for (std::size_t k = 0; k < width; ++k) {
      const T value = static_cast<T>(values[c * width + k]);
      std::memcpy(to + k * sizeof(T), &value, sizeof(T));
    }
  }
}

}  // namespace

Output::Output(MPI_Comm comm, const std::string& path, const Panels& panels, const Mesh& mesh, int layers,
               esker_type type, const Options& options)
    : mesh_(mesh),
      layers_(layers),
      type_(type),
      dataset_(comm, path, options),
      arrangement_(make_arrangement(options.get("format"), dataset_, panels, mesh, layers)) {
  describe_dataset();
  for (int v = 0; v < static_cast<int>(kVariables.size()); ++v) {
    arrangement_->define(dataset_, v, type_of(v));
  }
  arrangement_->define_mesh(dataset_);
}

/// Attributes of the dataset and of the steps' times. An arrangement describes its dimensions.
void Output::describe_dataset() {
  dataset_.attribute({ESKER_DATASET}, "title", "Esker atmosphere miniapp: a tracer around a geodesic grid");
  dataset_.attribute({ESKER_DATASET}, "source", "esker-gcrm");
  dataset_.attribute({ESKER_TIME}, "units", "days since 2000-01-01");
  dataset_.attribute({ESKER_TIME}, "calendar", "standard");
  dataset_.attribute({ESKER_TIME}, "units_metadata", "leap_seconds: none");
  dataset_.attribute({ESKER_TIME}, "standard_name", "time");
  dataset_.attribute({ESKER_TIME}, "axis", "T");
}

void Output::pack(int variable, const std::vector<double>& tracer) {
  const auto values = values_of(variable, mesh_, layers_, tracer);
  if (type_of(variable) == ESKER_FLOAT32) {
    pack_as<float>(values, arrangement_->order(), packed_[variable]);
  } else {
    pack_as<double>(values, arrangement_->order(), packed_[variable]);
  }
}

void Output::write(double days, const std::vector<double>& tracer) {
  dataset_.begin_step(days);
  for (int v = 0; v < static_cast<int>(kVariables.size()); ++v) {
    if (kVariables[v].fixed && !is_first_step_) continue;
    pack(v, tracer);
    arrangement_->put(dataset_, v, type_of(v), packed_[v].data());
  }
  if (is_first_step_) arrangement_->put_mesh(dataset_);
  dataset_.end_step();
  for (int v = 0; v < static_cast<int>(kVariables.size()); ++v) {
    if (kVariables[v].fixed) std::vector<char>().swap(packed_[v]);
  }
  is_first_step_ = false;
}

}  // namespace gcrm
