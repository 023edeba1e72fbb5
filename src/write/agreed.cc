#include "write/agreed.h"

#include <fmt/format.h>

#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

Status run_on_root(Comm& comm, const std::function<Status()>& action) {
  return agree(comm, comm.rank() == 0 ? guarded("rank 0", action) : Status());
}

// As "length:text" after "length:text": any text may be inside.
Result<Options> share_options(Comm& comm, const Options& options) {
  std::string text;
  for (const Options::Entry& entry : options.entries()) {
    for (const std::string& part : {entry.name, entry.value, entry.source}) {
      text += fmt::format("{}:{}", part.size(), part);
    }
  }
  const std::string received = broadcast_text(comm, text, 0);
  std::size_t position = 0;
  const auto next = [&] {
    const std::size_t colon = received.find(':', position);
    const auto length = static_cast<std::size_t>(std::stoull(received.substr(position, colon - position)));
    position = colon + 1 + length;
    return received.substr(colon + 1, length);
  };
  Options shared;
  while (position < received.size()) {
    const std::string name = next();
    const std::string value = next();
    ESKER_RETURN_IF_ERROR(shared.set(name, value, next()));
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
