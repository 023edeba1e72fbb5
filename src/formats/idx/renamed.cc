#include <filesystem>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/header.h"
#include "formats/idx/rebuild.h"
#include "formats/idx/record_sum.h"

namespace esker {

using namespace idx;

Result<std::string> renamed_idx_on(Store& store, const std::string& path, const std::string& name) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxHeaderBytes));
  auto parsed = parse_header(text, std::filesystem::path(dataset_stem(path)).filename().string());
  if (!parsed.ok()) return parsed.status().with_context(path);
  Header header = std::move(*parsed);
  const std::string blocks = blocks_directory(header);
  if (header.arco != 0 || blocks.empty()) {
    return error(Code::kUnsupported,
                 "{}: expected its blocks in one directory next to it, found filename_template '{}'", path,
                 excerpt(header.filename_template));
  }
  header.filename_template = "./" + name + header.filename_template.substr(2 + blocks.size());
  for (auto& [key, value] : header.other) {
    if (key != kRecordKey) continue;
    auto record = parse_commit_record(value);
    if (!record.ok()) return record.status().with_context(path);
    Header before = header;
    before.filename_template = "./" + blocks + header.filename_template.substr(2 + name.size());
    ESKER_RETURN_IF_ERROR(check_record_sum(before, *record).with_context(path));
    value = record->sum ? print_sealed_record(header, *record) : print_commit_record(*record);
  }
  return print_header(header);
}

}  // namespace esker
