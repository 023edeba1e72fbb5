// An array of another program's Zarr group: its metadata, a NUL, and the file of its first chunk or shard.
// The first byte is '2' for Zarr v2, or '3'.
#include "formats/zarr/foreign_group.h"
#include "fuzz/use_dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace esker;
  if (size == 0) return 0;
  const bool is_v2 = data[0] == '2';
  const std::string text = fuzz::text_of(data + 1, size - 1);
  const std::string metadata = text.substr(0, text.find('\0'));
  const auto store = memory_store();
  const auto put = [&](const std::string& path, const std::string& content) {
    fuzz::require(store->create_exclusive(path, content).ok(), "a file is written");
  };
  put(is_v2 ? "a.zarr/.zarray" : "a.zarr/zarr.json", metadata);
  const auto group = zarr::read_foreign_group(*store, "a.zarr");
  fuzz::require_short_message(group.status());
  if (!group.ok()) return 0;
  for (const zarr::ForeignArray& array : group->arrays) {
    fuzz::require(array.unsupported.size() < 2000, "a reason is short");
    const std::vector<Index> first(array.form.shape.size(), 0);
    if (metadata.size() < text.size())
      put("a.zarr" + zarr::key_of(array.form.keys, first), text.substr(metadata.size() + 1));
  }
  fuzz::use_stored(store, "a.zarr");
  return 0;
}
