#include "write/agreed.h"

#include <fmt/format.h>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/gather.h"

namespace esker {

Result<Options> share_options(Comm& comm, const Options& options) {
  std::string packed;
  ESKER_RETURN_IF_ERROR(root_does(comm, "options", [&] {
    std::vector<std::string> texts;
    for (const Options::Entry& entry : options.entries()) {
      texts.insert(texts.end(), {entry.name, entry.value, entry.source});
    }
    packed = pack_texts(texts);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(packed, share_text(comm, std::move(packed), 0));
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
