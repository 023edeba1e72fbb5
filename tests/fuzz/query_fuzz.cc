// A whole dataset: opened, measured and read. The input is the .idx, the bytes of its first block files and a
// schema file, one after the other with a line "----" between them.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "formats/idx/header.h"
#include "formats/idx/idx_dataset.h"
#include "fuzz/fuzz.h"
#include "support/read_box.h"

namespace {

using namespace esker;

/// The part up to the next line "----", which is cut off `rest` together with it.
std::string_view take_part(std::string_view& rest) {
  constexpr std::string_view kLine = "\n----\n";
  const std::size_t end = std::min(rest.find(kLine), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + kLine.size(), rest.size()));
  return part;
}

void put(Store& store, const std::string& path, std::string_view content) {
  const auto file = store.open(path, OpenMode::kWrite);
  if (file.ok()) (void)(*file)->write_at(std::as_bytes(std::span(content)), 0);
}

/// Stores the same bytes as blocks 0 to 3 of the first field at the first steps.
void put_blocks(const std::shared_ptr<Store>& store, const idx::Header& header, std::string_view content) {
  auto names =
      idx::FilenameTemplate::parse(header.filename_template, header.time ? header.time->path_template : "");
  if (!names.ok()) return;
  const idx::BlockFiles files(store, "", "run", *names, header, false);
  const auto times = header.time ? header.time->list(1000) : std::vector<Index>{0};
  if (!times.ok()) return;
  for (std::size_t t = 0; t < std::min<std::size_t>(2, times->size()); ++t) {
    for (Index block = 0; block < 4; ++block) put(*store, files.path(0, block, (*times)[t]), content);
  }
}

void read(const idx::IdxPart& part, int field, Index step, const Box& box, int level) {
  constexpr Index kMostBytes = 1 << 20;
  const Lattice selection = part.select(box, level);
  const Index sample_bytes = part.header().fields[static_cast<std::size_t>(field)].sample_bytes();
  if (selection.num_samples() > kMostBytes / sample_bytes) return;
  std::vector<std::byte> out(static_cast<std::size_t>(selection.num_samples() * sample_bytes));
  fuzz::require_short_message(testing_support::read_box(part, {field}, step, box, level, out.data()));
}

/// Small boxes at both ends and in the middle of the grid; on coarse levels also the whole grid and more.
void query(const idx::IdxPart& part, int field, Index step) {
  const Box& all = part.header().box;
  const int max_level = part.header().bitmask.max_level();
  for (const int part_of_8 : {0, 3, 7}) {
    Box box = all;
    for (int a = 0; a < box.rank; ++a) {
      box.lo[a] = all.lo[a] + all.extent(a) / 8 * part_of_8;
      box.hi[a] = std::min(box.lo[a] + 3, all.hi[a]);
    }
    read(part, field, step, box, max_level);
    read(part, field, step, box, max_level / 2);
  }
  Box beyond = all;
  std::fill_n(beyond.lo.begin(), all.rank, std::numeric_limits<Index>::min());
  std::fill_n(beyond.hi.begin(), all.rank, std::numeric_limits<Index>::max());
  for (const int level : {0, 3, max_level}) read(part, field, step, beyond, std::min(level, max_level));
  std::swap(beyond.lo, beyond.hi);
  fuzz::require(part.select(beyond, max_level).num_samples() == 0, "a box with its corners swapped is empty");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input = fuzz::text_of(data, size);
  std::string_view rest = input;
  const std::string_view text = take_part(rest), blocks = take_part(rest), schema = take_part(rest);
  const auto store = memory_store();
  put(*store, "run.idx", text);
  if (!schema.empty()) put(*store, "run.schema.json", schema);
  const auto header = idx::parse_header(text, "run");
  if (header.ok()) put_blocks(store, *header, blocks);

  const auto dataset = idx::IdxDataset::open(store, "run.idx");
  fuzz::require_short_message(dataset.status());
  if (!dataset.ok()) return 0;
  const idx::IdxPart& part = *dataset->parts[0];
  StorageInfo storage;
  fuzz::require_short_message(part.add_storage(storage, dataset->infos[0].num_steps));
  const auto num_steps = std::min<Index>(2, dataset->infos[0].num_steps);
  const auto num_fields = std::min<std::size_t>(2, part.header().fields.size());
  for (Index step = 0; step < num_steps; ++step) {
    for (std::size_t f = 0; f < num_fields; ++f) query(part, static_cast<int>(f), step);
  }
  for (std::size_t f = 0; f < std::min<std::size_t>(2, dataset->schema.fields().size()); ++f) {
    const int field = static_cast<int>(f);
    fuzz::require_short_message(dataset->largest_errors(field).status());
    if (num_steps == 0 || !dataset->has(field, 0)) continue;
    fuzz::require_short_message(dataset->errors(field, 0).status());
  }
  return 0;
}
