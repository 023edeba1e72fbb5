// Reads a field at a sixteenth of its samples, without MPI: read_cc
#include <iostream>
#include <vector>

#include "esker/esker.hpp"

int main() {
  // [README
  auto ds = esker::Dataset::open("run.idx").value();
  esker::Query query{.field = "thk", .step = -1, .level = ds.max_level("thk").value() - 4};
  auto answer = ds.select(query).value();  // which samples: origin, stride, count
  std::vector<float> samples(answer.num_samples());
  ds.read(query, samples.data(), samples.size() * sizeof(float)).check();
  // README]
  std::cout << "thk: " << answer.count[0] << " x " << answer.count[1] << " samples, first " << samples.front()
            << ", last " << samples.back() << '\n';
}
