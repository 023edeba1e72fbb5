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

/// Memory for a field; `fastest` lists the axes from the densest on, components slowest.
FieldMemory make_field(const std::string& name, int grid, const Box& box, int components,
                       const std::vector<int>& fastest) {
  FieldMemory field;
  field.name = name;
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
  return field;
}

void count_bytes(Workload& workload) {
  for (const FieldMemory& field : workload.fields) {
    const GridExtent& grid = workload.grids[field.grid];
    workload.data_bytes +=
        Box::from_extent(grid.rank, grid.extent).num_samples() * field.components * Index{sizeof(double)};
  }
}

}  // namespace

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

Workload make_s3d(int rank, int n_ranks, const Point& block) {
  const auto ranks = esker::BrickDecomposition::near_cubic(3, {n_ranks, n_ranks, n_ranks}, n_ranks).value();
  Point extent{}, parts{};
  for (int a = 0; a < 3; ++a) {
    parts[a] = ranks.num_parts(a);
    extent[a] = parts[a] * block[a];
  }
  const Box box = esker::BrickDecomposition::even(3, extent, parts).value().box(rank);
  Workload workload{"s3d", {{"xyz", 3, extent}}, {}, 0};
  const std::vector<int> x_fastest{0, 1, 2};
  workload.fields.push_back(make_field("pressure", 0, box, 1, x_fastest));
  workload.fields.push_back(make_field("temperature", 0, box, 1, x_fastest));
  workload.fields.push_back(make_field("velocity", 0, box, 3, x_fastest));
  workload.fields.push_back(make_field("species", 0, box, 11, x_fastest));
  count_bytes(workload);
  return workload;
}

Workload make_icesheet(int rank, int n_ranks, const Point& points, IceSheetOrder order) {
  const auto columns = esker::BrickDecomposition::pism(2, points, n_ranks).value();
  const Box map = columns.box(rank);
  Box volume = map;
  volume.rank = 3;
  volume.hi[2] = points[2];
  Workload workload{"icesheet", {{"xyz", 3, points}, {"xy", 2, {points[0], points[1]}}}, {}, 0};
  if (order == IceSheetOrder::kZFastest) {
    workload.name = "icesheet_yxz";
    workload.grids[0] = {"zxy", 3, {points[2], points[0], points[1]}};
    volume = Box(3, {0, map.lo[0], map.lo[1]}, {points[2], map.hi[0], map.hi[1]});
  }
  const std::vector<int> z_fastest =
      order == IceSheetOrder::kZFastest ? std::vector{0, 1, 2} : std::vector{2, 0, 1};
  workload.fields.push_back(make_field("enthalpy", 0, volume, 1, z_fastest));
  for (const char* name : {"thk", "usurf", "topg", "velsurf_mag", "velbase_mag", "bmelt", "tillwat", "tauc",
                           "climatic_mass_balance", "ice_surface_temp"}) {
    workload.fields.push_back(make_field(name, 1, map, 1, {0, 1}));
  }
  count_bytes(workload);
  return workload;
}

}  // namespace bench
