#include "exchange/shared_options.h"

#include <vector>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "comm/roll_call.h"

namespace esker {
namespace {

/// Rank 0's options on all ranks.
Result<Options> share_options(Comm& comm, const Options& options) {
  std::string packed;
  ESKER_RETURN_IF_ERROR(share_of_root(comm, "options", packed, [&] {
    std::vector<std::string> texts;
    for (const Options::Entry& entry : options.entries()) {
      texts.insert(texts.end(), {entry.name, entry.value, entry.source});
    }
    packed = pack_texts(texts);
    return Status();
  }));
  Options shared;
  const auto unpack = [&]() -> Status {
    const auto texts = unpack_texts(packed);
    for (std::size_t t = 0; t + 2 < texts.size(); t += 3) {
      ESKER_RETURN_IF_ERROR(shared.set(texts[t], texts[t + 1], texts[t + 2]));
    }
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(comm, "options", unpack));
  return shared;
}

}  // namespace

Result<Options> open_together(Comm& comm, const char* operation, const std::string& path,
                              const Result<Options>& options, const Status& local) {
  if (comm.call_watch() && options.ok()) comm.call_watch()->set_limit(options->call_warning);
  ESKER_RETURN_IF_ERROR(wait_for_all(comm, operation, options.ok() ? options->call_timeout : 0));
  const Status& mine = local.ok() ? options.status() : local;
  ESKER_RETURN_IF_ERROR(agree(comm, Ballot{mine, operation, hash_text(0, path), path, false}));
  ESKER_ASSIGN_OR_RETURN(Options shared, share_options(comm, *options));
  if (comm.call_watch()) comm.call_watch()->set_limit(shared.call_warning);
  return shared;
}

}  // namespace esker
