// clang-format off
// midx  = <dataset typename='IdxMultipleDataset' logic_box='box' physic_box='box'> *child *field </dataset>
// child = <dataset name='part' url='./part.idx' physic_box='box' />           ; where it is in the grid
// field = <field name='name'><code>output=ArrayUtils.add([input['part']['name'],...])</code></field>
// box   = first and end of each axis, x first, separated by spaces
// clang-format on
//
// What a child does not have is 0 in OpenVisus, so that the sum is the union. Checked with OpenVisus 2.2.
#include "formats/idx/midx.h"

#include <fmt/format.h>

#include <map>

namespace esker::idx {
namespace {

std::string print_half_open(const Box& box) {
  std::string text;
  for (int a = 0; a < box.rank; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", box.lo[axis], box.hi[axis]);
  }
  return text;
}

std::string print_union(const std::vector<const Part*>& parts) {
  const Part& first = *parts.front();
  const std::string whole = print_half_open(first.place->grid);
  std::string text =
      fmt::format("<dataset typename='IdxMultipleDataset' logic_box='{}' physic_box='{}'>\n", whole, whole);
  for (const Part* part : parts) {
    text += fmt::format("  <dataset name='{}' url='./{}.idx' physic_box='{}' />\n", part->name, part->name,
                        print_half_open(part->place->box));
  }
  for (const FieldEntry& field : first.header.fields) {
    std::string inputs;
    for (const Part* part : parts) {
      inputs += fmt::format("{}input['{}']['{}']", inputs.empty() ? "" : ",", part->name, field.name);
    }
    text += fmt::format("  <field name='{}'><code>output=ArrayUtils.add([{}])</code></field>\n", field.name,
                        inputs);
  }
  return text + "</dataset>\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> unions_of_parts(const std::vector<Part>& parts) {
  std::map<std::string, std::vector<const Part*>> of_path;
  for (const Part& part : parts) {
    if (part.place) of_path[part.directory + part.place->whole + ".midx"].push_back(&part);
  }
  std::vector<std::pair<std::string, std::string>> unions;
  for (const auto& [path, of_grid] : of_path) unions.emplace_back(path, print_union(of_grid));
  return unions;
}

}  // namespace esker::idx
