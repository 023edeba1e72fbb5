#include "workload.h"

#include <algorithm>

namespace bench {
namespace {

/// Exact in a double, and different for neighbours, components, fields, steps and repetitions.
double value_at(int number, const Point& p, int component, const Salt& salt) {
  const Index place = p[0] + 4099 * p[1] + 16785407 * p[2];
  const Index what = component + 16 * number + 512 * (salt.step + 64 * salt.repeat);
  return static_cast<double>(place * 31 + what * 7919);
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
      const double first = value_at(number, p, c, salt);
      Point next = p;
      ++next[inner];
      const double step = value_at(number, next, c, salt) - first;
      for (Index i = 0; i < box.extent(inner); ++i) {
        visit(offset + i * answer.strides[inner], first + static_cast<double>(i) * step);
      }
      for (int a = 0; a < box.rank; ++a) {
        if (a == inner) continue;
        if (++p[a] < box.hi[a]) break;
        p[a] = box.lo[a];
      }
    }
  }
}

}  // namespace

void Workload::add_field(const std::string& field_name, int grid, const Box& box, int components,
                         const std::vector<int>& fastest) {
  FieldMemory field;
  field.name = field_name;
  field.grid = grid;
  field.components = components;
  field.box = box;
  Index stride = 1;
  for (const int axis : fastest) {
    field.strides[axis] = stride;
    stride *= box.extent(axis);
  }
  field.component_stride = stride;
  field.samples.resize(static_cast<std::size_t>(field.num_samples()));
  fields.push_back(std::move(field));
  const GridExtent& whole = grids[static_cast<std::size_t>(grid)];
  data_bytes += Box::from_extent(whole.rank, whole.extent).num_samples() * components * Index{sizeof(double)};
}

void Workload::compute(const Salt& salt) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    FieldMemory& field = fields[f];
    double* samples = field.samples.data();
    for_each_value(field, static_cast<int>(f), like_memory(field, samples), salt,
                   [samples](Index offset, double value) { samples[offset] = value; });
  }
}

Index Workload::bytes_of_rank() const {
  Index bytes = 0;
  for (const FieldMemory& field : fields) bytes += field.bytes();
  return bytes;
}

Samples make_samples(const Workload& workload) {
  Samples samples;
  for (const FieldMemory& field : workload.fields) samples.emplace_back(field.samples.size(), 0.0);
  return samples;
}

Index count_bad(const FieldMemory& field, int number, const Answer& answer, const Salt& salt) {
  Index bad = 0;
  for_each_value(field, number, answer, salt,
                 [&](Index offset, double value) { bad += answer.first[offset] != value; });
  return bad;
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
