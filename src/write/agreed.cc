#include "write/agreed.h"

#include <fmt/format.h>

#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"

namespace esker {

Status run_on_root(Comm& comm, const std::function<Status()>& action) {
  return agree(comm, comm.rank() == 0 ? guarded("rank 0", action) : Status());
}

Result<Options> share_options(Comm& comm, const Options& options) {
  std::vector<std::string> texts;
  for (const Options::Entry& entry : options.entries()) {
    texts.insert(texts.end(), {entry.name, entry.value, entry.source});
  }
  const auto shared_texts = unpack_texts(broadcast_text(comm, pack_texts(texts), 0));
  Options shared;
  for (std::size_t t = 0; t + 2 < shared_texts.size(); t += 3) {
    ESKER_RETURN_IF_ERROR(shared.set(shared_texts[t], shared_texts[t + 1], shared_texts[t + 2]));
  }
  return shared;
}

std::string describe_schema(const Schema& schema) {
  std::string text;
  for (const Dimension& dim : schema.dims()) text += fmt::format("{}={} ", dim.name, dim.size);
  for (const Grid& grid : schema.grids()) {
    text += grid.name + "(";
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      text += (d > 0 ? "," : "") + schema.dims()[grid.dims[d]].name;
    }
    text += ") ";
  }
  for (const Field& field : schema.fields()) {
    text += fmt::format("{}:{}[{}]@{}{}/{} ", field.name, name(field.type), field.components, field.grid,
                        field.fixed ? "fixed" : "", field.every);
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace esker
