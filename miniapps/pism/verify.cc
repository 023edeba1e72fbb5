#include "verify.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "esker/dataset.hpp"

namespace pism {
namespace {

/// Compares dense samples `read` with the patch's memory. `Bits` is the unsigned type of a sample's size.
template <class Bits>
void compare(const PutField& field, Index step, const std::vector<Bits>& read) {
  const esker::Patch& patch = field.patch;
  const auto* first = static_cast<const char*>(patch.data);
  const Bits* found = read.data();
  for (Index z = 0; z < patch.box.extents()[2]; ++z) {
    for (Index y = 0; y < patch.box.extents()[1]; ++y) {
      const char* row = first + z * patch.stride_bytes[2] + y * patch.stride_bytes[1];
      for (Index x = 0; x < patch.box.extents()[0]; ++x, ++found) {
        Bits expected;
        std::memcpy(&expected, row + x * patch.stride_bytes[0], sizeof expected);
        if (*found == expected) continue;
        throw std::runtime_error(
            fmt::format("verification of field '{}', step {}: sample ({}, {}, {}) has bits {:#x} on storage, "
                        "{:#x} in memory",
                        field.name, step, patch.box.lo[0] + x, patch.box.lo[1] + y, patch.box.lo[2] + z,
                        *found, expected));
      }
    }
  }
}

template <class Bits>
void verify_field(const esker::Dataset& dataset, const PutField& field, Index step) {
  const esker::Query query{.field = field.name, .step = step, .box = field.patch.box};
  const Index samples = dataset.select(query).value().num_samples();
  if (samples != field.patch.box.num_samples()) {
    throw std::runtime_error(
        fmt::format("verification of field '{}', step {}: {} samples on storage, {} in memory", field.name,
                    step, samples, field.patch.box.num_samples()));
  }
  std::vector<Bits> read(samples);
  dataset.read(query, read.data(), read.size() * sizeof(Bits)).check();
  compare(field, step, read);
}

}  // namespace

void verify_step(const std::string& path, Index step, const std::vector<PutField>& fields) {
  const auto dataset = esker::Dataset::open(path).value();
  for (const PutField& field : fields) {
    if (field.patch.type == esker::SampleType::kFloat32) {
      verify_field<std::uint32_t>(dataset, field, step);
    } else {
      verify_field<std::uint64_t>(dataset, field, step);
    }
  }
}

}  // namespace pism
