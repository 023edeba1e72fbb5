// Printing: the keys in the order in which OpenVisus writes them. Source: docs/formats/idx.md, section 1.
#include <fmt/format.h>

#include "base/text.h"
#include "formats/idx/header.h"

namespace esker::idx {
namespace {

void append(std::string& text, std::string_view key, std::string_view value) {
  text += key;
  text += '\n';
  text += value;
  text += '\n';
}

/// The text stores the last index of each axis, not the end.
std::string print_box(const Box& box) {
  std::string text;
  for (int a = 0; a < box.rank; ++a) {
    text += fmt::format("{}{} {}", a == 0 ? "" : " ", box.lo[a], box.hi[a] - 1);
  }
  return text;
}

std::string print_fields(const std::vector<FieldEntry>& fields) {
  std::string text;
  for (const FieldEntry& field : fields) text += (text.empty() ? "" : "\n+ ") + print_field(field);
  return text;
}

}  // namespace

std::string print_header(const Header& header) {
  std::string text;
  append(text, "(version)", std::to_string(header.version));
  append(text, "(box)", print_box(header.box));
  if (!header.axis.empty()) append(text, "(axis)", header.axis);
  if (!header.physic_box.empty()) append(text, "(physic_box)", print_reals(header.physic_box));
  if (!header.logic_to_physic.empty()) append(text, "(logic_to_physic)", print_reals(header.logic_to_physic));
  append(text, "(fields)", print_fields(header.fields));
  append(text, "(bits)", header.block_mask().to_string());
  append(text, "(bitsperblock)", std::to_string(header.bits_per_block));
  append(text, "(blocksperfile)", std::to_string(header.blocks_per_file));
  append(text, "(interleave block)", std::to_string(header.interleave_block));
  if (header.time) append(text, "(time)", print_time(*header.time));
  append(text, "(filename_template)", header.filename_template);
  append(text, "(missing_blocks)", std::to_string(header.missing_blocks));
  append(text, "(arco)", std::to_string(header.arco));
  if (header.brick_digits > 0) append(text, kBricksKey, std::to_string(Index{1} << header.brick_digits));
  for (const auto& [key, value] : header.other) append(text, key, value);
  return text;
}

}  // namespace esker::idx
