#include "formats/idx/block_files.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/cell_heads.h"
#include "formats/idx/stored_paths.h"

namespace esker::idx {
namespace {

constexpr std::size_t kMaxOpenFiles = 64;
constexpr Index kMaxCachedBytes = Index{256} << 20;  ///< of tables and heads, unless one file has more

constexpr Index kMaxStoredBytes = (Index{1} << 31) - 1;

/// The codec of a block: its flags name the codec, the field has the parameters.
Result<CodecSpec> codec_of(std::uint32_t codec_bits, const FieldEntry& field) {
  CodecSpec spec;
  switch (static_cast<Codec>(codec_bits)) {
    case Codec::kZip:
      spec.kind = CodecKind::kZip;
      return spec;
    case Codec::kLz4:
      spec.kind = CodecKind::kLz4;
      return spec;
    case Codec::kZfp: {
      ESKER_ASSIGN_OR_RETURN(spec, parse_codec_spec(field.compression));
      if (spec.kind == CodecKind::kZfp) return spec;
      return error(Code::kDataLoss, "zfp block in a field with compression '{}', expected compression zfp",
                   field.compression);
    }
    case Codec::kJpg:
    case Codec::kPng:
      return error(Code::kUnsupported, "blocks stored as JPG or PNG are not supported");
    default:
      return spec;  // OpenVisus treats unknown numbers as raw
  }
}

/// The form of the paths of ARCO files: time, field, four groups of four digits.
std::string arco_pattern() {
  const std::string four(4, kAnyHexDigit);
  return fmt::format("{}/{}/{}/{}/{}/{}.bin", kAnyTime, kAnyName, four, four, four, four);
}

}  // namespace

BlockFiles::BlockFiles(std::shared_ptr<Store> store, std::string directory, std::string stem,
                       FilenameTemplate files, const Header& header, bool checksums)
    : store_(std::move(store)),
      directory_(std::move(directory)),
      stem_(std::move(stem)),
      files_(std::move(files)),
      header_(header),
      checksums_(checksums) {}

std::string BlockFiles::path(int field, Index block, Index time) const {
  if (header_.arco != 0) {
    return fmt::format("{}/{}/{}/{:04x}/{:04x}/{:04x}/{:04x}.bin", stem_, time, header_.fields[field].name,
                       block >> 48 & 0xffff, block >> 32 & 0xffff, block >> 16 & 0xffff, block & 0xffff);
  }
  const std::string path = files_.path(block - block % header_.blocks_per_file, time);
  return path.starts_with('/') ? path : directory_ + path;
}

Status BlockFiles::check_identity(const BlockFile& file, Index block, Index time) const {
  const Index first_block = block - block % header_.blocks_per_file;
  if (!file.identity || *file.identity == file_identity(header_, time, first_block, file.identity->version)) {
    return {};
  }
  return error(Code::kDataLoss, "the file belongs to another step, to other fields or to other blocks");
}

// Without this check, a damaged flag, size or offset of an entry would give wrong samples.
Status BlockFiles::check_as_written(const BlockFile& file, Index block, Index time) const {
  if (!checksums_ || !file.file || header_.arco != 0) return {};
  if (file.table == TableCheck::kGood) return check_identity(file, block, time);
  return error(Code::kDataLoss,
               "the table of blocks differs from the one that Esker wrote: it is damaged, or another program "
               "changed it{}",
               header_.brick_digits > 0 ? "; if `esker merge` was interrupted, run it again" : "");
}

Result<StoredBlock> BlockFiles::find(int field, Index block, Index time) {
  ESKER_ASSIGN_OR_RETURN(auto file, open_cached(field, block, time));
  if (!file->file) return StoredBlock{};
  if (header_.arco != 0) return find_arco(field, std::move(file));
  const BlockEntry entry =
      file->entries[static_cast<std::size_t>(entry_number(field, block, header_.blocks_per_file))];
  if (entry.absent()) {
    StoredBlock nothing;
    nothing.file = std::move(file);
    return nothing;
  }
  ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(entry.codec_bits(), header_.fields[field]));
  StoredBlock stored{false, std::move(file), entry.offset_bytes, entry.size_bytes,  entry.order(),
                     codec, entry.checksum,  entry.flags,        entry.sum_version, entry.errors};
  if (has_heads(header_)) {
    ESKER_ASSIGN_OR_RETURN(stored.head, head_of(*stored.file, field, block, entry));
    stored.errors = errors_of_head(stored.head);
  }
  return stored;
}

Result<std::span<const std::byte>> BlockFiles::head_of(const BlockFile& file, int field, Index block,
                                                       const BlockEntry& entry) const {
  const HeadPlace place = head_place(header_, field, block);
  const auto head =
      std::span(file.heads)
          .subspan(static_cast<std::size_t>(place.offset_bytes), static_cast<std::size_t>(place.size_bytes));
  const bool is_good = !entry.checksum ||
                       *entry.checksum == block_checksum(field, block, entry.flags, head, entry.sum_version);
  if (!is_good) {
    return error(Code::kDataLoss, "block {}: its errors and checksums differ from those that were written",
                 block);
  }
  for (const float found : decode_head(head).errors) {
    if (!(found >= 0))
      return error(Code::kDataLoss, "block {}: expected an error of 0 or more, found {}", block, found);
  }
  return head;
}

// An ARCO file is one encoded block and nothing else; the field names the codec.
Result<StoredBlock> BlockFiles::find_arco(int field, std::shared_ptr<const BlockFile> file) const {
  ESKER_ASSIGN_OR_RETURN(const Index size, file->file->size_bytes());
  if (size > kMaxStoredBytes) {
    return error(Code::kDataLoss, "block of {} bytes, expected less than 2 GiB", size);
  }
  ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, parse_codec_spec(header_.fields[field].compression));
  return StoredBlock{size == 0, std::move(file), 0, size, header_.fields[field].order, codec};
}

// A thread that needs a file that is being opened waits for it; other threads continue.
Result<std::shared_ptr<const BlockFile>> BlockFiles::open_cached(int field, Index block, Index time) {
  const std::string name = path(field, block, time);
  const auto slot = slot_of(name);
  const std::scoped_lock opening(slot->mutex);
  if (slot->file) return slot->file;
  ESKER_ASSIGN_OR_RETURN(auto file, open(name));
  ESKER_RETURN_IF_ERROR(check_as_written(*file, block, time));
  const std::scoped_lock lock(mutex_);
  slot->file = std::move(file);
  const auto known = cache_.find(name);
  if (known != cache_.end() && known->second->second == slot) cached_bytes_ += slot->file->cached_bytes();
  limit_open_files();
  return slot->file;
}

std::shared_ptr<BlockFiles::Slot> BlockFiles::slot_of(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = cache_.find(name); known != cache_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
  } else {
    recent_.emplace_front(name, std::make_shared<Slot>());
    cache_[name] = recent_.begin();
    limit_open_files();
  }
  return recent_.front().second;
}

void BlockFiles::limit_open_files() {
  while (recent_.size() > kMaxOpenFiles || (recent_.size() > 1 && cached_bytes_ > kMaxCachedBytes)) {
    const auto& [name, slot] = recent_.back();
    if (slot->file) cached_bytes_ -= slot->file->cached_bytes();
    cache_.erase(name);
    recent_.pop_back();
  }
}

Status BlockFiles::for_each_stored(const BlockGrid& blocks, std::span<const Index> times,
                                   const std::function<Status(const OnStorage&)>& visit) const {
  if (times.empty()) return {};
  const Index per_file = header_.blocks_per_file, end = blocks.num_blocks();
  std::map<std::string_view, int> fields;
  for (std::size_t f = 0; header_.arco != 0 && f < header_.fields.size(); ++f) {
    fields[header_.fields[f].name] = static_cast<int>(f);
  }
  // A path of that form is accepted if path() gives it for the numbers in it.
  const auto visit_match = [&](const PathMatch& match) -> Status {
    const Index block = match.block();
    const Index time = match.time.value_or(times.front());
    const auto field = fields.find(match.name);
    const bool exists =
        block >= 0 && block < end && block % per_file == 0 &&
        blocks.num_existing_before(std::min(block + per_file, end)) > blocks.num_existing_before(block);
    if (!exists || !std::binary_search(times.begin(), times.end(), time)) return {};
    if (header_.arco != 0 && field == fields.end()) return {};
    const OnStorage file{match.path, header_.arco != 0 ? field->second : 0, block, time};
    return path(file.field, block, time) == match.path ? visit(file) : Status();
  };
  if (header_.arco != 0) return for_each_path(*store_, stem_ + "/", {arco_pattern()}, visit_match);
  return for_each_path(*store_, directory_, files_.patterns(end - 1), visit_match);
}

// A file that is missing or shorter than its headers holds no block: IDX represents absent blocks this way.
Result<std::shared_ptr<const BlockFile>> BlockFiles::open(const std::string& name) const {
  auto block_file = std::make_shared<BlockFile>();
  auto opened = store_->open(name, OpenMode::kRead);
  if (opened.status().code() == Code::kNotFound) return std::shared_ptr<const BlockFile>(block_file);
  ESKER_RETURN_IF_ERROR(opened.status());
  if (header_.arco == 0) {
    const auto num_fields = static_cast<Index>(header_.fields.size());
    ESKER_ASSIGN_OR_RETURN(const Index file_bytes, (*opened)->size_bytes());
    const Index header_size = file_headers_bytes(header_);
    const auto table_size = static_cast<std::size_t>(headers_bytes(header_.blocks_per_file, num_fields));
    if (file_bytes < header_size) return std::shared_ptr<const BlockFile>(block_file);
    std::vector<std::byte> bytes(static_cast<std::size_t>(header_size));
    ESKER_RETURN_IF_ERROR((*opened)->read_at(bytes, 0));
    const auto table = std::span<const std::byte>(bytes).first(table_size);
    ESKER_ASSIGN_OR_RETURN(block_file->entries, decode_headers(table, header_.blocks_per_file * num_fields,
                                                               file_bytes, header_size));
    block_file->table = check_table(table);
    block_file->identity = identity_of(table);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(table_size));
    bytes.shrink_to_fit();
    block_file->heads = std::move(bytes);
  }
  block_file->file = std::move(*opened);
  return std::shared_ptr<const BlockFile>(block_file);
}

}  // namespace esker::idx
