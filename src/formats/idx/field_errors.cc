#include "formats/idx/field_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "codec/codec_spec.h"
#include "formats/idx/joined_parts.h"

namespace esker::idx {

bool is_lossy(const FieldEntry& field) {
  if (field.stored_bits > 0) return true;
  const auto codec = parse_codec_spec(field.compression);
  return codec.ok() && !codec->lossless();
}

void ErrorSum::add(const BlockErrors& errors, Index num_values) {
  const double rms = errors.rms;
  largest_ = std::max(largest_, static_cast<double>(errors.largest));
  squares_ += rms * rms * static_cast<double>(num_values);
  num_values_ += num_values;
  ++num_blocks_;
}

FieldErrors ErrorSum::result() const {
  if (num_values_ == 0) return {};
  const double rounding = 1 + static_cast<double>(num_blocks_ + 8) * std::numeric_limits<double>::epsilon();
  return {largest_, std::min(std::sqrt(squares_ / static_cast<double>(num_values_)) * rounding, largest_)};
}

namespace {

bool is_exact(const IdxPart& part, const std::vector<int>& columns) {
  return std::none_of(columns.begin(), columns.end(), [&](int column) {
    return is_lossy(part.header().fields[static_cast<std::size_t>(column)]);
  });
}

Index num_values(const IdxPart& part, const std::vector<int>& columns) {
  Index components = 0;
  for (const int column : columns) {
    components += part.header().fields[static_cast<std::size_t>(column)].components;
  }
  return components * part.header().box.num_samples();
}

/// Adds those of the blocks of an .idx; false if they are not known.
Result<bool> add_errors(const IdxPart& part, const std::vector<int>& columns, Index step, ErrorSum& sum) {
  const BlockGrid& blocks = part.blocks();
  const Index time = part.times()[static_cast<std::size_t>(step)];
  for (const int column : columns) {
    const FieldEntry& field = part.header().fields[static_cast<std::size_t>(column)];
    if (!part.is_ours() || !is_lossy(field)) return false;
    ESKER_ASSIGN_OR_RETURN(const auto sparse, part.blocks_at(column, step));
    const BlockSet all(blocks);
    const BlockSet& held = sparse ? *sparse : all;
    for (Index n = 0; n < held.size(); ++n) {
      const Index block = held.nth(n);
      const auto stored = part.files().find(column, block, time);
      if (!stored.ok()) return stored.status().with_context(part.files().path(column, block, time));
      if (stored->absent) {
        return error(Code::kDataLoss, "{}: block {} of field '{}' is missing",
                     part.files().path(column, block, time), block, field.name);
      }
      if (!stored->errors) return false;
      const Index samples = blocks.lattice(block).indices_in(blocks.box()).num_samples();
      sum.add(*stored->errors, samples * field.components);
    }
  }
  return true;
}

}  // namespace

Result<std::optional<FieldErrors>> field_errors(const IdxPart& part, const std::vector<int>& columns,
                                                Index step) {
  ErrorSum sum;
  bool are_known = true;
  if (part.partitions().empty()) {
    ESKER_ASSIGN_OR_RETURN(are_known, add_errors(part, columns, step, sum));
  }
  for (const JoinedPart& joined : part.partitions()) {
    if (is_exact(*joined.part, columns) && !is_exact(part, columns)) {  // a tiny part of a lossy field
      sum.add({}, num_values(*joined.part, columns));
      continue;
    }
    const Index here = joined.part->step_at(part.times()[static_cast<std::size_t>(step)]);
    ESKER_ASSIGN_OR_RETURN(const bool here_known, add_errors(*joined.part, columns, here, sum));
    are_known = are_known && here_known;
  }
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (!are_known && !is_exact(part, columns)) return std::optional(FieldErrors{kUnknown, kUnknown});
  if (!are_known) return std::optional<FieldErrors>();
  FieldErrors errors = sum.result();
  if (part.header().cells) errors.rms = errors.largest;  // only that bounds it
  return std::optional(errors);
}

std::map<std::string, std::vector<double>> recorded_errors(const Header& header, const CommitRecord& record,
                                                           const std::vector<std::vector<double>>& largest) {
  const auto whole_of = fields_of_columns(record);
  std::map<std::string, std::vector<double>> of_fields, of_columns;
  std::map<std::string, std::string> field_of;  // of each lossy column
  for (std::size_t f = 0; f < header.fields.size(); ++f) {
    const std::string& column = header.fields[f].name;
    if (!is_lossy(header.fields[f])) continue;
    const auto whole = whole_of.find(column);
    const std::string& field = whole == whole_of.end() ? column : whole->second;
    field_of[column] = field;
    std::vector<double>& errors = of_fields[field];
    errors.resize(largest.size());
    for (std::size_t step = 0; step < largest.size(); ++step) {
      errors[step] = std::max(errors[step], largest[step][f]);
    }
  }
  for (const auto& [column, field] : field_of) of_columns[column] = of_fields[field];
  return of_columns;
}

}  // namespace esker::idx
