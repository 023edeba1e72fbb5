#include "formats/idx/committed_steps.h"

#include <algorithm>

#include "formats/idx/field_errors.h"
#include "formats/idx/record_sum.h"

namespace esker::idx {

void CommittedSteps::take(const StoredStep& stored, const SetSums& sums) {
  forget_from(stored.step);
  set_sums.push_back(sums);
  times.push_back(stored.time);
  present.push_back(stored.present);
  max_errors.push_back(stored.max_errors);
}

void CommittedSteps::forget_from(Index num_steps) {
  const auto n = static_cast<std::size_t>(num_steps);
  times.resize(n);
  present.resize(n);
  max_errors.resize(n);
  set_sums.resize(n);
}

CommitRecord CommittedSteps::record_of(const Schema& schema, const Part& part, std::size_t number,
                                       Index num_steps) const {
  CommitRecord record;
  const Index listed = part.fixed ? std::min<Index>(1, std::ssize(set_sums)) : num_steps;
  for (Index step = 0; step < listed; ++step) {
    const auto& sum = set_sums[static_cast<std::size_t>(step)][number];
    if (sum) record.sets[step] = *sum;
  }
  record.alignment_bytes = part.alignment_bytes;
  record.checksums = part.checksums;
  record.corner = corner_of(part);
  record.generation = num_steps + 1;
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    const Field& field = schema.fields()[part.columns[c].field];
    if (part.columns[c].components < field.components) {
      record.split[field.name].push_back(part.header.fields[c].name);
    }
  }
  if (part.fixed) return record;
  record.times.assign(times.begin(), times.begin() + num_steps);
  for (Index step = 0; step < num_steps; ++step) {
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      if (!present[static_cast<std::size_t>(step)][part.columns[c].field]) {
        record.absent[step].push_back(part.header.fields[c].name);
      }
    }
  }
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    if (!is_lossy(part.header.fields[c])) continue;
    std::vector<double>& errors = record.errors[part.header.fields[c].name];
    for (Index step = 0; step < num_steps; ++step) {
      errors.push_back(max_errors[static_cast<std::size_t>(step)][part.columns[c].field]);
    }
  }
  return record;
}

std::string CommittedSteps::text_of(const Schema& schema, const Part& part, std::size_t number,
                                    Index num_steps) const {
  Header header = part.header;
  if (!part.fixed) header.time = TimeSteps{kTimeTemplate, {{0, num_steps - 1, 1}}};
  header.other.emplace_back(kRecordKey,
                            print_sealed_record(header, record_of(schema, part, number, num_steps)));
  return print_header(header);
}

}  // namespace esker::idx
