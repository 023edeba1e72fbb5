#include "read/idx_part.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "grid/copy_samples.h"
#include "layout/idx_block.h"

namespace esker::idx {
namespace {

constexpr Index kMaxSteps = 10'000'000;

/// The samples of `part` that belong to the selection: their indices in steps of `step` per axis.
struct Overlap {
  Box indices;  ///< every step[a]-th index of [lo, hi)
  Point step{1, 1, 1, 1, 1};
  bool empty = false;
};

// Strides are powers of two, and the origin of a part is a multiple of its stride or lies half a stride off.
// Where the part is coarser than the answer, all its samples on that axis belong to it or none; where it is
// finer (block 0, below its own level), every k-th or none.
Overlap overlap_of(const Lattice& part, const Lattice& selection, const Box& box) {
  Overlap overlap{part.indices_in(box), {}, false};
  for (int a = 0; a < part.rank; ++a) {
    overlap.step[a] = std::max<Index>(1, selection.stride[a] / part.stride[a]);
    overlap.indices.lo[a] = round_up(overlap.indices.lo[a], overlap.step[a]);
    overlap.empty = overlap.empty || overlap.indices.lo[a] >= overlap.indices.hi[a] ||
                    part.origin[a] % std::min(part.stride[a], selection.stride[a]) != 0;
  }
  for (int a = part.rank; a < kMaxRank; ++a) overlap.step[a] = 1;
  return overlap;
}

/// Bytes of a block from the first to the last sample that is wanted.
struct ByteRange {
  Index first = 0, last = 0;
};

ByteRange range_of(const SampleMap& map, Index sample_bytes) {
  ByteRange range{0, sample_bytes};
  for (int a = 0; a < map.num_axes(); ++a) {
    const auto [low, high] = std::minmax_element(map.offsets(a).begin(), map.offsets(a).end());
    range.first += *low;
    range.last += *high;
  }
  return range;
}

/// Reads the samples of one part of a block and places them in the answer.
Status read_part(const File& file, const BlockEntry& entry, const BlockPart& part, const Overlap& overlap,
                 const Lattice& selection, Index sample_bytes, std::byte* out,
                 std::vector<std::byte>& buffer) {
  const SampleMap source = SampleMap::ordered(overlap.indices, part.order, sample_bytes, overlap.step);
  std::array<Index, kMaxRank> strides{};
  Index row_bytes = sample_bytes;
  for (int a = 0; a < selection.rank; ++a) {
    const Index first = part.lattice.origin[a] + overlap.indices.lo[a] * part.lattice.stride[a];
    const Index point_step = overlap.step[a] * part.lattice.stride[a];
    out += (first - selection.origin[a]) / selection.stride[a] * row_bytes;
    strides[a] = point_step / selection.stride[a] * row_bytes;
    row_bytes *= selection.count[a];
  }
  const SampleMap target = SampleMap::strided(source, strides);
  const ByteRange range = range_of(source, sample_bytes);
  buffer.resize(static_cast<std::size_t>(range.last - range.first));
  ESKER_RETURN_IF_ERROR(
      file.read_at(buffer, entry.offset_bytes + part.first_sample * sample_bytes + range.first));
  copy_samples(sample_bytes, buffer.data() - range.first, source, out, target);
  return {};
}

}  // namespace

IdxPart::IdxPart(std::shared_ptr<Store> store, std::string idx_path, Header header,
                 std::optional<CommitRecord> record, std::vector<Index> times, FilenameTemplate files)
    : idx_path_(std::move(idx_path)),
      header_(std::move(header)),
      blocks_(header_.bitmask, header_.bits_per_block, header_.box),
      record_(std::move(record)),
      times_(std::move(times)) {
  const std::string directory = std::filesystem::path(idx_path_).parent_path().string();
  files_ = std::make_unique<BlockFiles>(std::move(store), directory.empty() ? "" : directory + "/",
                                        std::move(files), header_.blocks_per_file,
                                        static_cast<int>(header_.fields.size()));
}

Result<std::unique_ptr<IdxPart>> IdxPart::open(std::shared_ptr<Store> store, const std::string& idx_path) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, idx_path, kMaxHeaderBytes));
  auto parsed = parse_header(text, std::filesystem::path(idx_path).stem().string());
  if (!parsed.ok()) return parsed.status().with_context(idx_path);
  Header header = std::move(*parsed);
  if (header.arco != 0) return error(Code::kUnsupported, "{}: ARCO datasets are not read yet", idx_path);

  std::vector<Index> times{0};
  if (header.time) {
    auto listed = header.time->list(kMaxSteps);
    if (!listed.ok()) return listed.status().with_context(idx_path);
    times = std::move(*listed);
  }
  std::optional<CommitRecord> record;
  if (const std::string* json = header.find_other("(esker)")) {
    auto parsed_record = parse_commit_record(*json);
    if (!parsed_record.ok()) return parsed_record.status().with_context(idx_path);
    record = std::move(*parsed_record);
  }
  auto files =
      FilenameTemplate::parse(header.filename_template, header.time ? header.time->path_template : "");
  if (!files.ok()) return files.status().with_context(idx_path);
  return std::unique_ptr<IdxPart>(new IdxPart(std::move(store), idx_path, std::move(header),
                                              std::move(record), std::move(times), std::move(*files)));
}

bool IdxPart::has(int field, Index step) const {
  if (!record_) return true;
  const auto absent = record_->absent.find(step);
  if (absent == record_->absent.end()) return true;
  const auto& names = absent->second;
  return std::find(names.begin(), names.end(), header_.fields[field].name) == names.end();
}

Lattice IdxPart::select(const Box& box, int level) const {
  const Lattice lattice = header_.bitmask.samples_up_to(level);
  const Box clipped = intersect(box, header_.box);
  Lattice selection;
  selection.rank = lattice.rank;
  for (int a = 0; a < lattice.rank; ++a) {
    const Index stride = lattice.stride[a];
    const Index first = ceil_div(clipped.lo[a], stride);
    selection.stride[a] = stride;
    selection.origin[a] = first * stride;
    selection.count[a] = std::max<Index>(0, ceil_div(clipped.hi[a], stride) - first);
  }
  return selection;
}

Status IdxPart::check_readable(const FieldEntry& field) const {
  if (!field.filter.empty()) {
    return error(Code::kUnsupported, "{}: field '{}' is stored through the filter '{}'", idx_path_,
                 field.name, field.filter);
  }
  return {};
}

Status IdxPart::read(int field_number, Index step, const Box& box, int level, std::byte* out) const {
  const FieldEntry& field = header_.fields[field_number];
  ESKER_RETURN_IF_ERROR(check_readable(field));
  const Lattice selection = select(box, level);
  if (selection.num_samples() == 0) return {};
  const Box clipped = intersect(box, header_.box);
  const Index block_bytes = blocks_.samples_per_block() * field.sample_bytes();
  std::memset(out, field.default_value & 0xff,
              static_cast<std::size_t>(selection.num_samples() * field.sample_bytes()));

  Status status;
  std::vector<std::byte> buffer;
  const auto read_block = [&](Index block) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto file, files_->find(block, times_[static_cast<std::size_t>(step)]));
    const BlockEntry entry = files_->entry(*file, field_number, block);
    if (entry.absent()) return {};
    if (entry.codec_bits() != static_cast<std::uint32_t>(Codec::kRaw)) {
      return error(Code::kUnsupported, "codec {} of block {}: only raw blocks are read yet",
                   entry.codec_bits(), block);
    }
    if (entry.size_bytes != block_bytes) {
      return error(Code::kDataLoss, "block {} has {} bytes, expected {}", block, entry.size_bytes,
                   block_bytes);
    }
    for (const BlockPart& part : block_parts(blocks_, block, entry.order())) {
      const Overlap overlap = overlap_of(part.lattice, selection, clipped);
      if (overlap.empty) continue;
      ESKER_RETURN_IF_ERROR(
          read_part(*file->file, entry, part, overlap, selection, field.sample_bytes(), out, buffer));
    }
    return {};
  };
  for (int h = blocks_.bits_per_block(); h <= std::max(level, blocks_.bits_per_block()); ++h) {
    blocks_.for_each_block_meeting(clipped, h, [&](Index block) {
      if (status.ok()) {
        status = read_block(block).with_context(files_->path(block, times_[static_cast<std::size_t>(step)]));
      }
    });
  }
  return status;
}

Status IdxPart::add_storage(Index step, StorageInfo& info) const {
  for (Index existing = 0; existing < blocks_.num_existing();) {
    const Index block = blocks_.nth_existing(existing);
    const Index file = block / files_->blocks_per_file();
    auto opened =
        files_->store().open(files_->path(block, times_[static_cast<std::size_t>(step)]), OpenMode::kRead);
    if (opened.ok()) {
      ESKER_ASSIGN_OR_RETURN(const Index bytes, (*opened)->size_bytes());
      info.bytes += bytes;
      ++info.files;
    } else if (opened.status().code() != Code::kNotFound) {
      return opened.status();
    }
    existing =
        blocks_.num_existing_before(std::min((file + 1) * files_->blocks_per_file(), blocks_.num_blocks()));
  }
  return {};
}

}  // namespace esker::idx
