// Runs the HDF5 library on a file in memory.
//
// The library works on an Overlay of a file, through our own virtual file driver, so everything that it
// writes stays in the Overlay. The exception is raw data that ranks write themselves: the library is given
// their file offset, records it in the metadata, and its own writes of them are dropped. The new state of a
// file is thus computed, not written, and a failure leaves no trace.
#pragma once

#include <hdf5.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"

namespace esker::hdf5 {

/// What the library sees as a file. The action that run_session() calls uses the library through `id`.
class VirtualFile {
 public:
  explicit VirtualFile(Overlay& bytes, bool is_for_reading = false)
      : is_read_only(is_for_reading), bytes_(bytes) {}
  VirtualFile(const VirtualFile&) = delete;
  VirtualFile& operator=(const VirtualFile&) = delete;

  hid_t id = H5I_INVALID_HID;
  const bool is_read_only;

  /// Reserves space at the end of the file for raw data that other ranks write; at most once. Returns its
  /// offset, a multiple of `alignment_bytes`.
  Index reserve(Index n_bytes, Index alignment_bytes);
  /// Places the next raw data that the library allocates, `n_bytes`, at `offset` in the reserved space.
  void place_next(Index offset, Index n_bytes) { next_ = {offset, n_bytes}; }
  /// Whether the library has allocated them.
  [[nodiscard]] bool is_placed() const { return !next_; }

  // Used by the driver.
  std::optional<Index> allocate(bool is_raw, Index n_bytes);
  Status read(std::span<std::byte> bytes, Index offset) const { return bytes_.read(bytes, offset); }
  Status write(bool is_raw, std::span<const std::byte> bytes, Index offset);
  [[nodiscard]] Index end_of_allocated() const { return end_bytes_; }
  void set_end_of_allocated(Index bytes) { end_bytes_ = bytes; }
  [[nodiscard]] Index end_of_file() const { return bytes_.end_bytes(); }
  Status status;             ///< the first failure
  H5FD_t* driver = nullptr;  ///< set while the library has the file open

 private:
  Overlay& bytes_;
  Index end_bytes_ = 0;
  std::pair<Index, Index> reserved_{0, 0};       // begin and end
  std::optional<std::pair<Index, Index>> next_;  // offset, bytes
};

/// The library's error message after a failed call.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the value of a library call, or throws Failure with the library's reason if the value means
/// failure. `what` names the attempted operation.
template <class T>
T checked(T returned, const char* what);

/// An identifier of the library, released at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, const char* what) : id_(checked(id, what)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const {
    return id_;
  }  // NOLINT(google-explicit-constructor): as the library's calls want it

 private:
  hid_t id_;
};

enum class Access {
  kCreate,
  kCreateVirtual,  ///< with virtual datasets, which programs with HDF5 1.8 cannot open
  kRead,
  kWrite,
};

/// Lets the library create or open the overlay's file, runs `action`, and lets the library close the file.
/// After that the overlay holds everything that was written, and its end is the end of the file. On failure,
/// or if `action` fails or throws, the overlay is unusable. kDataLoss: the library does not accept it as an
/// HDF5 file. A process runs one session at a time.
Status run_session(Overlay& overlay, Access access, const std::function<Status(VirtualFile&)>& action);

/// The file that contains an object of the library.
const VirtualFile& file_of(hid_t object);

// ---- the template's body ----

[[noreturn]] void throw_failure(const char* what);

template <class T>
T checked(T returned, const char* what) {
  if (returned < 0) throw_failure(what);
  return returned;
}

}  // namespace esker::hdf5
