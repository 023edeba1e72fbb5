#include "formats/zarr/stored_form.h"

namespace esker::zarr {

StoredForm form_of(const Array& array) {
  StoredForm form{array.shape, array.file, array.chunk.empty() ? array.file : array.chunk};
  form.is_sharded = !array.chunk.empty();
  form.chain.value_bytes = size_bytes(array.type);
  if (array.codec.kind == CodecKind::kZstd) form.chain.codecs = {ByteCodec::kInZstd};
  if (array.codec.kind == CodecKind::kZip) form.chain.codecs = {ByteCodec::kInGzip};
  if (array.codec.kind == CodecKind::kBlosc) form.chain.codecs = {ByteCodec::kInBlosc};
  form.fill = array.fill;
  return form;
}

std::string key_of(const KeyForm& keys, std::span<const Index> file) {
  std::string key = keys.has_prefix ? "/c" : "/";
  bool is_first = !keys.has_prefix;
  for (const Index number : file) {
    if (!is_first) key += keys.separator;
    key += std::to_string(number);
    is_first = false;
  }
  if (file.empty() && !keys.has_prefix) key += '0';
  return key;
}

}  // namespace esker::zarr
