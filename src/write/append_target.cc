#include "write/append_target.h"

#include <vector>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "formats/registry/make_writer.h"

namespace esker {

Status share_append_target(Comm& comm, Store& store, std::string& path, std::string& format) {
  std::string found;
  ESKER_RETURN_IF_ERROR(root_does(comm, "append", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(const AppendTarget target, find_append_target(store, path, format));
    found = pack_texts({target.path, target.format});
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(found, share_text(comm, std::move(found), 0));
  return all_do(comm, "append", [&] {
    const std::vector<std::string> texts = unpack_texts(found);
    path = texts.at(0);
    format = texts.at(1);
    return Status();
  });
}

}  // namespace esker
