#include "formats/netcdf/hdf5/variable_text.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/schema_json.h"
#include "formats/netcdf/hdf5/global_heap.h"

namespace esker::hdf5 {
namespace {

constexpr const char* kToReference = "esker: reference";
constexpr const char* kToNothing = "esker: no text";

/// References as bytes, as in the file: no conversion is needed.
herr_t keep_bytes(hid_t stored, hid_t /*wanted*/, H5T_cdata_t* conversion, std::size_t /*n*/,
                  std::size_t /*stride*/, std::size_t /*background_stride*/, void* /*values*/,
                  void* /*background*/, hid_t /*transfer*/) {
  if (conversion->command == H5T_CONV_FREE) return 0;  // without types
  conversion->need_bkg = H5T_BKG_NO;
  return H5Tget_size(stored) == kReferenceBytes ? 0 : -1;
}

/// No text: zeros, for pointers in memory and for references in the file.
herr_t forget(hid_t /*stored*/, hid_t wanted, H5T_cdata_t* conversion, std::size_t n, std::size_t stride,
              std::size_t /*background_stride*/, void* values, void* /*background*/, hid_t /*transfer*/) {
  if (conversion->command == H5T_CONV_FREE) return 0;
  conversion->need_bkg = H5T_BKG_NO;
  if (conversion->command != H5T_CONV_CONV) return 0;
  const std::size_t n_bytes = H5Tget_size(wanted);
  for (std::size_t i = 0; i < n; ++i) {
    std::memset(static_cast<std::byte*>(values) + i * (stride > 0 ? stride : n_bytes), 0, n_bytes);
  }
  return 0;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), "text");
  checked(H5Tset_size(type, H5T_VARIABLE), "text");
  return type;
}

void read_bytes(const VirtualFile& file, std::uint64_t at, std::span<std::byte> bytes) {
  const auto end = static_cast<std::uint64_t>(file.end_of_file());
  if (at > end || bytes.size() > end - at) throw Failure("a text refers to bytes after the end of the file");
  const Status status = file.read(bytes, static_cast<Index>(at));
  if (!status.ok()) throw Failure(status.message());
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw Failure(result.status().message());
  return std::move(*result);
}

/// Reads texts from the global heap; consecutive ones are mostly in the same collection.
class Heap {
 public:
  explicit Heap(const VirtualFile& file) : file_(file) {
    std::array<std::byte, kSuperblockHead> head{};
    read_bytes(file_, 0, head);
    length_bytes_ = size_of_lengths(head);
  }

  std::string text(const HeapReference& reference) {
    if (reference.n_elements == 0 || reference.collection == 0) return {};
    if (reference.collection != at_) load(reference.collection);
    const auto object = value_of(find_object(objects_, reference.object));
    const std::size_t n = std::min<std::size_t>(object.size(), reference.n_elements);
    const auto* text = reinterpret_cast<const char*>(object.data());
    return {text, std::find(text, text + n, '\0')};
  }

 private:
  void load(std::uint64_t collection) {
    std::array<std::byte, kCollectionHead> head{};
    read_bytes(file_, collection, head);
    const std::uint64_t n_bytes = value_of(collection_bytes(head, length_bytes_));
    if (n_bytes > kMaxSidecarBytes) throw Failure("an attribute has too many bytes");
    collection_.resize(static_cast<std::size_t>(n_bytes));
    read_bytes(file_, collection, collection_);
    objects_ = objects_of(collection_, length_bytes_);
    at_ = collection;
  }

  const VirtualFile& file_;
  std::size_t length_bytes_ = 0;
  std::uint64_t at_ = 0;  // the offset of the collection; 0: none
  std::vector<std::byte> collection_;
  HeapObjects objects_;
};

}  // namespace

TextsAsReferences::TextsAsReferences() : text_(text_type()), reference_(reference_type()) {
  checked(H5Tregister(H5T_PERS_SOFT, kToReference, text_, reference_, keep_bytes), "text");
  checked(H5Tregister(H5T_PERS_SOFT, kToNothing, text_, text_, forget), "text");
}

TextsAsReferences::~TextsAsReferences() {
  H5Tunregister(H5T_PERS_SOFT, kToReference, H5I_INVALID_HID, H5I_INVALID_HID, keep_bytes);
  H5Tunregister(H5T_PERS_SOFT, kToNothing, H5I_INVALID_HID, H5I_INVALID_HID, forget);
}

Handle reference_type() { return {H5Tcreate(H5T_OPAQUE, kReferenceBytes), "reference"}; }

std::vector<std::string> texts_at(const VirtualFile& file, std::span<const std::byte> references) {
  Heap heap(file);
  std::vector<std::string> texts;
  for (; !references.empty(); references = references.subspan(kReferenceBytes)) {
    texts.push_back(heap.text(parse_reference(references.first<kReferenceBytes>())));
  }
  return texts;
}

std::vector<std::string> read_variable_texts(hid_t attribute, std::size_t n) {
  std::vector<std::byte> references(n * kReferenceBytes);
  checked(H5Aread(attribute, reference_type(), references.data()), "text");
  return texts_at(file_of(attribute), references);
}

}  // namespace esker::hdf5
