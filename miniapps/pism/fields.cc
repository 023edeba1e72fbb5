#include "fields.h"

#include <algorithm>
#include <array>

#include "rheology.h"

namespace pism {
namespace {

constexpr std::array<FieldSpec, 8> kFields{{
    {"topg", &State::topg, false, true, "m", "bedrock surface elevation", "bedrock_altitude"},
    {"thk", &State::thk, false, false, "m", "land ice thickness", "land_ice_thickness"},
    {"usurf", &State::usurf, false, false, "m", "ice or land surface elevation", "surface_altitude"},
    {"velsurf_mag", &State::velsurf_mag, false, false, "m year-1",
     "magnitude of horizontal velocity of ice at ice surface", ""},
    {"temp", &State::temp, true, false, "K", "ice temperature", "land_ice_temperature"},
    {"uvel", &State::uvel, true, false, "m year-1", "horizontal velocity of ice in the x direction",
     "land_ice_x_velocity"},
    {"vvel", &State::vvel, true, false, "m year-1", "horizontal velocity of ice in the y direction",
     "land_ice_y_velocity"},
    {"enthalpy", nullptr, true, false, "J kg-1", "specific enthalpy of cold ice, zero at 223.15 K", ""},
}};

/// The own columns of an array in place: z is the fastest axis in memory, the last in the box.
template <class T>
esker::Patch patch_in_place(const Grid& grid, const Array<T>& array, bool volume) {
  if (volume)
    return esker::Patch::strided(grid.own_volume(), array.column(0, 0),
                                 {array.stride_x(), array.stride_y(), 1});
  return esker::Patch::strided(grid.own_map(), array.column(0, 0), {array.stride_x(), array.stride_y()});
}

}  // namespace

std::span<const FieldSpec> output_fields() { return kFields; }

StepFields::StepFields(const Grid& grid, esker::SampleType type)
    : grid_(grid), type_(type), enthalpy_(grid, grid.Mz), converted_(kFields.size()) {}

esker::Patch StepFields::patch_of(std::size_t number, const State& state) {
  const FieldSpec& spec = kFields[number];
  const Array<double>& array = spec.array ? state.*spec.array : enthalpy_;
  if (type_ == esker::SampleType::kFloat64) return patch_in_place(grid_, array, spec.volume);
  auto& converted = converted_[number];
  if (!converted) converted.emplace(grid_, array.levels());
  std::transform(array.values().begin(), array.values().end(), converted->values().begin(),
                 [](double v) { return static_cast<float>(v); });
  return patch_in_place(grid_, *converted, spec.volume);
}

const std::vector<PutField>& StepFields::of(const State& state, bool with_fixed) {
  std::transform(state.temp.values().begin(), state.temp.values().end(), enthalpy_.values().begin(),
                 enthalpy);
  put_.clear();
  for (std::size_t f = 0; f < kFields.size(); ++f) {
    if (kFields[f].fixed && !with_fixed) continue;
    put_.push_back({kFields[f].name, f, patch_of(f, state)});
  }
  return put_;
}

}  // namespace pism
