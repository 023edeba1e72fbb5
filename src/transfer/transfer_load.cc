#include "transfer/transfer_load.h"

#include "base/byte_order.h"
#include "base/macros.h"
#include "store/read_present.h"

namespace esker {

Status TransferLoad::operator()(const Round& round, std::span<std::byte> bytes) const {
  const auto number = static_cast<std::size_t>(&round - plan_.exchange().plan.rounds.data());
  const auto runs = plan_.wanted().of_round(number);
  if (runs.empty()) return {};
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file_.size_bytes());
  for (const WantedRuns::Run& run : runs) {
    const auto part = bytes.subspan(static_cast<std::size_t>(run.begin - round.content.begin),
                                    static_cast<std::size_t>(run.end - run.begin));
    const Index offset = plan_.place_at(run.begin, arrays_).offset_bytes;
    ESKER_RETURN_IF_ERROR(read_present(file_, file_bytes, part, offset));
    const auto layout = static_cast<std::size_t>(plan_.space().layout_at(run.begin));
    const FileArray& array = arrays_[static_cast<std::size_t>(plan_.parts()[layout].array)];
    swap_bytes(part, static_cast<int>(array.sample_bytes()));
  }
  return {};
}

}  // namespace esker
