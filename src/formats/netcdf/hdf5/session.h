// The HDF5 library at work on a file in memory.
//
// It is given an Overlay for a file (a virtual file driver of our own): all that it writes stays there. Raw
// data that ranks write themselves are the exception: the library is told where they are to stand, notes
// that in its metadata, and what it would write there is dropped. So what becomes of a file is computed, not
// carried out, and whatever fails leaves no trace.
#pragma once

#include <hdf5.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include "esker/box.hpp"
#include "esker/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"

namespace esker::hdf5 {

/// What the library takes for a file. Who gets it from run_session() uses the library through `id`.
class VirtualFile {
 public:
  explicit VirtualFile(Overlay& bytes, bool is_for_reading = false)
      : is_read_only(is_for_reading), bytes_(bytes) {}
  VirtualFile(const VirtualFile&) = delete;
  VirtualFile& operator=(const VirtualFile&) = delete;

  hid_t id = H5I_INVALID_HID;
  const bool is_read_only;

  /// Sets room aside at the end of the file, for raw data that others write; once. Where it begins: at a
  /// multiple of `alignment_bytes`.
  Index reserve(Index n_bytes, Index alignment_bytes);
  /// The raw data that the library asks room for next, `n_bytes`, stand at `offset` in what was set aside.
  void place_next(Index offset, Index n_bytes) { next_ = {offset, n_bytes}; }
  /// Whether it has asked for it.
  [[nodiscard]] bool is_placed() const { return !next_; }

  // For the driver.
  std::optional<Index> allocate(bool is_raw, Index n_bytes);
  Status read(std::span<std::byte> bytes, Index offset) const { return bytes_.read(bytes, offset); }
  Status write(bool is_raw, std::span<const std::byte> bytes, Index offset);
  [[nodiscard]] Index end_of_allocated() const { return end_bytes_; }
  void set_end_of_allocated(Index bytes) { end_bytes_ = bytes; }
  [[nodiscard]] Index end_of_file() const { return bytes_.end_bytes(); }
  Status status;             ///< what it could not do first
  H5FD_t* driver = nullptr;  ///< while the library has it open

 private:
  Overlay& bytes_;
  Index end_bytes_ = 0;
  std::pair<Index, Index> reserved_{0, 0};       // where it begins and ends
  std::optional<std::pair<Index, Index>> next_;  // offset, bytes
};

/// What a call of the library said when it failed.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value that a call of the library returned, unless that means failure: then it throws Failure with
/// the library's reason. `what` says what was tried.
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

enum class Access { kCreate, kRead, kWrite };

/// Lets the library create or open the overlay's file, runs `action`, and lets it close the file: then all
/// that was written stands in the overlay, whose end is the file's. On failure, or if `action` fails or
/// throws, the overlay is good for nothing. kDataLoss: the library does not take it for a good HDF5 file.
/// One session at a time runs in a process.
Status run_session(Overlay& overlay, Access access, const std::function<Status(VirtualFile&)>& action);

/// The file that an object of the library is in.
const VirtualFile& file_of(hid_t object);

// ---- the template's body ----

[[noreturn]] void throw_failure(const char* what);

template <class T>
T checked(T returned, const char* what) {
  if (returned < 0) throw_failure(what);
  return returned;
}

}  // namespace esker::hdf5
