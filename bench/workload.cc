#include "workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bench {
namespace {

/// Exact in a double, and different for neighbours, components, fields, steps and repetitions.
double value_at(const FieldMemory& field, int number, const Point& p, int component, const Salt& salt) {
  const Index place =
      p[0] * field.spacing[0] + 4099 * p[1] * field.spacing[1] + 16785407 * p[2] * field.spacing[2];
  const Index what = component + 16 * number + 512 * (salt.step + 64 * salt.repeat);
  return static_cast<double>(place * 31 + what * 7919);
}

/// A wave of that length: parabolas between 0 and 1, with a continuous slope.
double wave(Index x, Index length) {
  const double t = static_cast<double>(x % length) / static_cast<double>(length);
  return t < 0.5 ? 8 * t * (0.5 - t) : 8 * (t - 0.5) * (t - 1);
}

/// Waves of three lengths, and noise of 1e-6 of their height.
double smooth_at(const FieldMemory& field, int number, const Point& p, int component, const Salt& salt) {
  const Index phase = 7 * (component + 16 * number) + 3 * salt.step + 11 * salt.repeat;
  const Index x = p[0] * field.spacing[0], y = p[1] * field.spacing[1], z = p[2] * field.spacing[2];
  const auto place = static_cast<std::uint64_t>(x + 4099 * y + 16785407 * z + 7919 * phase);
  const double noise = static_cast<double>((place * 0x9e3779b97f4a7c15) >> 40) / (1 << 24);
  return 1000 * wave(x + phase, 97) * wave(y + 2 * phase, 83) + 500 * wave(z + phase, 71) + 1e-3 * noise;
}

/// The temperature near a wrinkled sheet across z, hottest in its middle: above 1200 within Flame::thickness,
/// above 800 in a region that is half as thick again. Values differ also where it is cold.
double flame_at(const FieldMemory& field, int number, const Point& p, int component, const Salt& salt) {
  const auto period = static_cast<double>(field.flame.period);
  const double half = static_cast<double>(field.flame.thickness) / 2;
  const Index x = p[0] * field.spacing[0], y = p[1] * field.spacing[1];
  const double middle = static_cast<double>(29 * salt.step + 53 * salt.repeat) / 97 +
                        wave(x, std::max<Index>(2, field.flame.period / 2)) / 16 +
                        wave(y, std::max<Index>(2, field.flame.period / 3)) / 32;
  const double z = static_cast<double>(p[2] * field.spacing[2]) / period - middle;
  const double distance = period * std::abs(z - std::round(z));
  return std::max(300.0, 2100 - 900 * distance / half) + 1e-12 * value_at(field, number, p, component, salt);
}

/// Calls visit(offset in samples, value) for every sample of the field, in the order of `answer`'s fastest
/// axis.
template <class Visit>
void for_each_value(const FieldMemory& field, int number, const Answer& answer, const Salt& salt,
                    const Visit& visit) {
  const Box& box = field.box;
  int inner = 0;  // the axis that is dense in memory goes innermost
  for (int a = 1; a < box.rank; ++a) {
    if (answer.strides[a] < answer.strides[inner]) inner = a;
  }
  Box outer = box;
  outer.hi[inner] = box.lo[inner] + 1;
  for (int c = 0; c < field.components; ++c) {
    Point p = box.lo;
    for (Index n = outer.num_samples(); n > 0; --n) {
      Index offset = c * answer.component_stride;
      for (int a = 0; a < box.rank; ++a) offset += (p[a] - box.lo[a]) * answer.strides[a];
      Point next = p;
      if (field.values != Values::kExact) {
        const auto at = field.values == Values::kSmooth ? smooth_at : flame_at;
        for (Index i = 0; i < box.extent(inner); ++i, ++next[inner]) {
          visit(offset + i * answer.strides[inner], at(field, number, next, c, salt));
        }
      } else {
        const double first = value_at(field, number, p, c, salt);
        ++next[inner];
        const double step = value_at(field, number, next, c, salt) - first;
        for (Index i = 0; i < box.extent(inner); ++i) {
          visit(offset + i * answer.strides[inner], first + static_cast<double>(i) * step);
        }
      }
      for (int a = 0; a < box.rank; ++a) {
        if (a == inner) continue;
        if (++p[a] < box.hi[a]) break;
        p[a] = box.lo[a];
      }
    }
  }
}

/// The distance between the samples of a level, see Workload::at_level.
Point spacing_at(const GridExtent& grid, Index halvings) {
  Point spacing{1, 1, 1, 1, 1};
  for (int axis = grid.rank - 1, idle = 0;
       halvings > 0 && idle<grid.rank; axis = axis> 0 ? axis - 1 : grid.rank - 1) {
    if (spacing[axis] >= grid.extent[axis]) {
      ++idle;
      continue;
    }
    idle = 0;
    spacing[axis] *= 2;
    --halvings;
  }
  return spacing;
}

Index multiples_below(Index end, Index spacing) { return (end + spacing - 1) / spacing; }

}  // namespace

Box FieldMemory::points() const {
  Box points = box;
  for (int a = 0; a < box.rank; ++a) {
    points.lo[a] = box.lo[a] * spacing[a];
    points.hi[a] = box.empty() ? points.lo[a] : (box.hi[a] - 1) * spacing[a] + 1;
  }
  return points;
}

void Workload::add_field(const std::string& field_name, int grid, const Box& box, int components,
                         const std::vector<int>& fastest) {
  FieldMemory field;
  field.name = field_name;
  field.grid = grid;
  field.components = components;
  field.box = box;
  field.set_strides(fastest);
  field.samples.resize(static_cast<std::size_t>(field.num_samples()));
  fields.push_back(std::move(field));
  const GridExtent& whole = grids[static_cast<std::size_t>(grid)];
  data_bytes += Box::from_extent(whole.rank, whole.extent).num_samples() * components * Index{sizeof(double)};
}

void FieldMemory::set_strides(const std::vector<int>& fastest) {
  Index stride = 1;
  for (const int axis : fastest) {
    strides[axis] = stride;
    stride *= box.extent(axis);
  }
  component_stride = stride;
}

void Workload::compute(const Salt& salt) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    FieldMemory& field = fields[f];
    double* samples = field.samples.data();
    for_each_value(field, static_cast<int>(f), like_memory(field, samples), salt,
                   [samples](Index offset, double value) { samples[offset] = value; });
  }
}

Workload Workload::at_level(Index below) const {
  Workload level{name, grids, {}, 0, below};
  for (const FieldMemory& whole : fields) {
    FieldMemory field{whole.name, whole.grid, whole.components, whole.box,  {}, {},
                      0,          {},         whole.values,     whole.flame};
    const GridExtent& grid = grids[static_cast<std::size_t>(whole.grid)];
    field.spacing = spacing_at(grid, below);
    std::vector<int> fastest;
    Index samples = whole.components;
    for (int a = 0; a < grid.rank; ++a) {
      field.box.lo[a] = multiples_below(whole.box.lo[a], field.spacing[a]);
      field.box.hi[a] = multiples_below(whole.box.hi[a], field.spacing[a]);
      samples *= multiples_below(grid.extent[a], field.spacing[a]);
      fastest.push_back(a);
    }
    std::stable_sort(fastest.begin(), fastest.end(),
                     [&](int a, int b) { return whole.strides[a] < whole.strides[b]; });
    field.set_strides(fastest);
    level.data_bytes += samples * Index{sizeof(double)};
    level.fields.push_back(std::move(field));
  }
  return level;
}

Index Workload::bytes_of_rank() const {
  Index bytes = 0;
  for (const FieldMemory& field : fields) bytes += field.bytes();
  return bytes;
}

int Workload::flame() const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f.values == Values::kFlame; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

Samples make_samples(const Workload& workload) {
  Samples samples;
  for (const FieldMemory& field : workload.fields)
    samples.emplace_back(static_cast<std::size_t>(field.num_samples()), 0.0);
  return samples;
}

Index count_bad(const FieldMemory& field, int number, const Answer& answer, const Salt& salt,
                double tolerance, bool may_lack) {
  Index bad = 0;
  for_each_value(field, number, answer, salt, [&](Index offset, double value) {
    const double found = answer.first[offset];
    bad += !(std::abs(found - value) <= tolerance) && !(may_lack && std::isnan(found));
  });
  return bad;
}

Index count_lacking(const Workload& workload, int number, const Answer& answer,
                    const std::vector<KeptAbove>& kept, const Salt& salt) {
  const FieldMemory& field = workload.fields[static_cast<std::size_t>(number)];
  const int flame = workload.flame();
  Index lacking = 0;
  for (const KeptAbove& level : kept) {
    const Workload samples = workload.at_level(level.halvings);
    FieldMemory asked = samples.fields[static_cast<std::size_t>(flame < 0 ? number : flame)];
    asked.components = 1;
    Answer of_level = answer;
    for (int a = 0; a < field.box.rank; ++a) {
      of_level.first += (asked.box.lo[a] * asked.spacing[a] - field.box.lo[a]) * answer.strides[a];
      of_level.strides[a] *= asked.spacing[a];
    }
    for_each_value(asked, flame, of_level, salt, [&](Index offset, double temperature) {
      if (temperature < level.from_temperature) return;
      for (int c = 0; c < field.components; ++c) {
        lacking += std::isnan(of_level.first[offset + c * answer.component_stride]);
      }
    });
  }
  return lacking;
}

Answer like_memory(const FieldMemory& field, const double* first) {
  return {first, field.strides, field.component_stride};
}

Answer dense(const FieldMemory& field, const double* first) {
  Answer answer{first, {}, 1};
  Index stride = field.components;
  for (int a = 0; a < field.box.rank; ++a) {
    answer.strides[a] = stride;
    stride *= field.box.extent(a);
  }
  return answer;
}

}  // namespace bench
