#include "formats/idx/record_sum.h"

#include <fmt/format.h>

#include "base/error.h"
#include "format/json_text.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

/// Steps as maximal runs of consecutive times: "0 2 time_%04d/" and "time_%04d/ (0,2)" are the same.
std::string steps_text(const TimeSteps& time) {
  std::string text = time.path_template;
  const auto times = time.list(kMaxSteps);
  if (!times.ok()) return text + " ?";
  for (std::size_t first = 0, last = 0; first < times->size(); first = last + 1) {
    last = first;
    while (last + 1 < times->size() && (*times)[last + 1] == (*times)[last] + 1) ++last;
    text += fmt::format(" {}-{}", (*times)[first], (*times)[last]);
  }
  return text;
}

/// A field without its display properties.
std::string field_text(FieldEntry field) {
  field.min.clear();
  field.max.clear();
  field.description.clear();
  return print_field(field);
}

}  // namespace

std::uint64_t record_sum(const Header& header, const CommitRecord& record) {
  std::string text = fmt::format("box{}", header.box.rank);
  for (int a = 0; a < header.box.rank; ++a) text += fmt::format(" {} {}", header.box.lo[a], header.box.hi[a]);
  for (const FieldEntry& field : header.fields) text += "\nfield " + field_text(field);
  text += fmt::format("\nblocks {} {} {} {} {}", header.block_mask().to_string(), header.bits_per_block,
                      header.blocks_per_file, header.arco, header.filename_template);
  if (header.brick_digits > 0) text += fmt::format(" {} bricks", Index{1} << header.brick_digits);
  text += "\naxis " + header.axis;
  if (header.time) text += "\ntime " + steps_text(*header.time);
  CommitRecord unsealed = record;
  unsealed.sum.reset();
  text += "\n" + print_commit_record(unsealed);
  return checksum(std::as_bytes(std::span(text)), 0);
}

std::string print_sealed_record(const Header& header, CommitRecord record) {
  record.sum = record_sum(header, record);
  return print_commit_record(record);
}

Status check_record_sum(const Header& header, const CommitRecord& record) {
  if (!record.sum) return {};
  const std::uint64_t expected = record_sum(header, record);
  if (*record.sum == expected) return {};
  return error(Code::kDataLoss,
               "(esker) records the checksum {}, but the text has {}: the file was edited or damaged; `esker "
               "repair --rebuild` restores it from the blocks",
               print_sum(*record.sum), print_sum(expected));
}

}  // namespace esker::idx
