#include "write/agreed.h"

#include <fmt/format.h>

#include <sstream>

#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

Status run_on_root(Comm& comm, const std::function<Status()>& action) {
  return agree(comm, comm.rank() == 0 ? action() : Status());
}

// As lines "name\tvalue\tsource": no option's value contains a tab or a line break.
Result<Options> share_options(Comm& comm, const Options& options) {
  std::string text;
  for (const Options::Entry& entry : options.entries()) {
    text += entry.name + "\t" + entry.value + "\t" + entry.source + "\n";
  }
  std::istringstream lines(broadcast_text(comm, text, 0));
  Options shared;
  for (std::string name, value, source;
       std::getline(lines, name, '\t') && std::getline(lines, value, '\t') && std::getline(lines, source);) {
    ESKER_RETURN_IF_ERROR(shared.set(name, value, source));
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
