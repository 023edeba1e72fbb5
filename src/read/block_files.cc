#include "read/block_files.h"

#include "base/error.h"
#include "base/macros.h"

namespace esker::idx {
namespace {

constexpr std::size_t kMaxOpenFiles = 64;

/// The codec of a block: its flags say which, the field with which parameters.
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
      return error(Code::kDataLoss, "a zfp block, but the field's compression is '{}'", field.compression);
    }
    case Codec::kJpg:
    case Codec::kPng:
      return error(Code::kUnsupported, "blocks stored as jpg or png are not read");
    default:
      return spec;  // OpenVisus takes unknown numbers for raw
  }
}

}  // namespace

BlockFiles::BlockFiles(std::shared_ptr<Store> store, std::string directory, std::string stem,
                       FilenameTemplate files, const Header& header)
    : store_(std::move(store)),
      directory_(std::move(directory)),
      stem_(std::move(stem)),
      files_(std::move(files)),
      header_(header) {}

std::string BlockFiles::path(int field, Index block, Index time) const {
  if (header_.arco != 0) {
    return fmt::format("{}/{}/{}/{:04x}/{:04x}/{:04x}/{:04x}.bin", stem_, time, header_.fields[field].name,
                       block >> 48 & 0xffff, block >> 32 & 0xffff, block >> 16 & 0xffff, block & 0xffff);
  }
  const std::string path = files_.path(block - block % header_.blocks_per_file, time);
  return path.starts_with('/') ? path : directory_ + path;
}

Result<StoredBlock> BlockFiles::find(int field, Index block, Index time) {
  ESKER_ASSIGN_OR_RETURN(auto file, open_cached(path(field, block, time)));
  if (!file->file) return StoredBlock{};
  if (header_.arco != 0) return find_arco(field, std::move(file));
  const BlockEntry entry =
      file->entries[static_cast<std::size_t>(entry_number(field, block, header_.blocks_per_file))];
  if (entry.absent()) return StoredBlock{};
  ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(entry.codec_bits(), header_.fields[field]));
  return StoredBlock{false,         std::move(file), entry.offset_bytes, entry.size_bytes,
                     entry.order(), codec,           entry.checksum};
}

// An ARCO file is one encoded block and nothing else; the field says how.
Result<StoredBlock> BlockFiles::find_arco(int field, std::shared_ptr<const BlockFile> file) const {
  ESKER_ASSIGN_OR_RETURN(const Index size, file->file->size_bytes());
  ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, parse_codec_spec(header_.fields[field].compression));
  return StoredBlock{size == 0, std::move(file), 0, size, header_.fields[field].order, codec};
}

Result<std::shared_ptr<const BlockFile>> BlockFiles::open_cached(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = cache_.find(name); known != cache_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    return recent_.front().second;
  }
  ESKER_ASSIGN_OR_RETURN(auto file, open(name));
  recent_.emplace_front(name, std::move(file));
  cache_[name] = recent_.begin();
  if (recent_.size() > kMaxOpenFiles) {
    cache_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return recent_.front().second;
}

// A file that is missing or shorter than its headers holds no block: that is how IDX says "nothing here".
Result<std::shared_ptr<const BlockFile>> BlockFiles::open(const std::string& name) const {
  auto block_file = std::make_shared<BlockFile>();
  auto opened = store_->open(name, OpenMode::kRead);
  if (opened.status().code() == Code::kNotFound) return std::shared_ptr<const BlockFile>(block_file);
  ESKER_RETURN_IF_ERROR(opened.status());
  if (header_.arco == 0) {
    const auto num_fields = static_cast<Index>(header_.fields.size());
    ESKER_ASSIGN_OR_RETURN(const Index file_bytes, (*opened)->size_bytes());
    const Index header_size = headers_bytes(header_.blocks_per_file, num_fields);
    if (file_bytes < header_size) return std::shared_ptr<const BlockFile>(block_file);
    std::vector<std::byte> bytes(static_cast<std::size_t>(header_size));
    ESKER_RETURN_IF_ERROR((*opened)->read_at(bytes, 0));
    ESKER_ASSIGN_OR_RETURN(block_file->entries,
                           decode_headers(bytes, header_.blocks_per_file * num_fields, file_bytes));
    block_file->table = check_table(bytes);
  }
  block_file->file = std::move(*opened);
  return std::shared_ptr<const BlockFile>(block_file);
}

}  // namespace esker::idx
