// The text header of an .idx, its steps and its file names. An accepted text can be printed, and the
// result parses as equal.
#include "formats/idx/header.h"
#include "fuzz/fuzz.h"

namespace {

using namespace esker::idx;
using esker::fuzz::require;

void check_steps(const TimeSteps& time) {
  const auto times = time.list(1000);
  if (!times.ok()) return;
  for (const esker::Index t : *times) require(time.contains(t), "a step that is listed is contained");
}

void check_names(const Header& header) {
  const auto names =
      FilenameTemplate::parse(header.filename_template, header.time ? header.time->path_template : "");
  esker::fuzz::require_short_message(names.status());
  if (!names.ok()) return;
  for (const esker::Index block : {esker::Index{0}, esker::Index{12345}, esker::Index{1} << 61}) {
    const std::string path = names->path(block, -7);
    require(!path.empty() && path.front() != '/', "names of block files are relative");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto header = parse_header(esker::fuzz::text_of(data, size), "run");
  esker::fuzz::require_short_message(header.status());
  if (!header.ok()) return 0;
  const std::string printed = print_header(*header);
  const auto again = parse_header(printed, "run");
  require(again.ok(), "a printed header parses");
  require(print_header(*again) == printed, "a printed header reads back as equal");
  if (header->time) check_steps(*header->time);
  check_names(*header);
  return 0;
}
