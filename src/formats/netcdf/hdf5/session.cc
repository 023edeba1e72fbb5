#include "formats/netcdf/hdf5/session.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/own_filters.h"
#include "formats/netcdf/hdf5/variable_text.h"

namespace esker::hdf5 {

Index VirtualFile::reserve(Index n_bytes, Index alignment_bytes) {
  const Index begin = round_up(end_bytes_, alignment_bytes);
  reserved_ = {begin, begin + n_bytes};
  end_bytes_ = reserved_.second;
  return begin;
}

/// Nothing: the library allocated raw data in an unexpected way.
std::optional<Index> VirtualFile::allocate(bool is_raw, Index n_bytes) {
  constexpr Index kAlignment = 8;
  if (is_raw && next_) {
    const auto [offset, expected] = *std::exchange(next_, std::nullopt);
    if (n_bytes == expected) return offset;
    status = error(Code::kInternal, "HDF5 allocates {} bytes for data, expected {}", n_bytes, expected);
    return std::nullopt;
  }
  const Index offset = round_up(end_bytes_, kAlignment);
  end_bytes_ = offset + n_bytes;
  return offset;
}

Status VirtualFile::write(bool is_raw, std::span<const std::byte> bytes, Index offset) {
  const bool is_others = reserved_.first <= offset && offset < reserved_.second;
  if (is_others && is_raw) return {};
  if (is_others)
    return error(Code::kInternal, "HDF5 writes metadata at byte {}, where data are stored", offset);
  bytes_.write(bytes, offset);
  return {};
}

namespace {

// ---- the driver: calls of the library, as calls of a VirtualFile ----

struct DriverFile {
  H5FD_t library;  // must be first: the library's view of it
  VirtualFile* file;
};

VirtualFile& file_behind(const H5FD_t* driver) { return *reinterpret_cast<const DriverFile*>(driver)->file; }

/// Returns the result of an action of the file to the library, which does not support exceptions.
template <class Action>
herr_t attempt(VirtualFile& file, const Action& action) {
  Status status = guarded("HDF5", action);
  if (status.ok()) return 0;
  if (file.status.ok()) file.status = std::move(status);
  return -1;
}

constexpr unsigned kVirtualFileMagic = 0x65736b72;
struct DriverInfo {
  unsigned magic;
  VirtualFile* file;
};

H5FD_t* open_driver(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*max*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (!info || info->magic != kVirtualFileMagic) return nullptr;
  auto driver = std::unique_ptr<DriverFile>(new (std::nothrow) DriverFile{});
  if (!driver) {
    info->file->status = out_of_memory("HDF5");
    return nullptr;
  }
  driver->file = info->file;
  return info->file->driver = reinterpret_cast<H5FD_t*>(driver.release());
}

herr_t close_driver(H5FD_t* driver) {
  file_behind(driver).driver = nullptr;
  delete reinterpret_cast<DriverFile*>(driver);
  return 0;
}

/// When writing, the library must not collect data in its own blocks, so that each allocation is seen. When
/// reading, it may read more than requested across small gaps.
herr_t query_driver(const H5FD_t* driver, unsigned long* flags) {
  *flags = driver && file_behind(driver).is_read_only ? H5FD_FEAT_DATA_SIEVE : 0;
  return 0;
}

herr_t give_file(H5FD_t* driver, hid_t /*access*/, void** file) {
  *file = &file_behind(driver);
  return 0;
}

haddr_t allocate(H5FD_t* driver, H5FD_mem_t type, hid_t /*transfer*/, hsize_t n_bytes) {
  const auto offset = file_behind(driver).allocate(type == H5FD_MEM_DRAW, static_cast<Index>(n_bytes));
  return offset ? static_cast<haddr_t>(*offset) : HADDR_UNDEF;
}

haddr_t end_of_allocated(const H5FD_t* driver, H5FD_mem_t /*type*/) {
  return static_cast<haddr_t>(file_behind(driver).end_of_allocated());
}

herr_t set_end_of_allocated(H5FD_t* driver, H5FD_mem_t /*type*/, haddr_t end) {
  file_behind(driver).set_end_of_allocated(static_cast<Index>(end));
  return 0;
}

haddr_t end_of_file(const H5FD_t* driver, H5FD_mem_t /*type*/) {
  return static_cast<haddr_t>(file_behind(driver).end_of_file());
}

herr_t read(H5FD_t* driver, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t offset, size_t n, void* to) {
  VirtualFile& file = file_behind(driver);
  return attempt(file, [&] {
    return file.read({static_cast<std::byte*>(to), n}, static_cast<Index>(offset));
  });
}

/// Failures are reported when the session ends, not to the library. If the library cannot close a file, it
/// frees it but keeps a reference, which it uses again when the program ends.
herr_t write(H5FD_t* driver, H5FD_mem_t type, hid_t /*transfer*/, haddr_t offset, size_t n,
             const void* from) {
  VirtualFile& file = file_behind(driver);
  (void)attempt(file, [&] {
    return file.write(type == H5FD_MEM_DRAW, {static_cast<const std::byte*>(from), n},
                      static_cast<Index>(offset));
  });
  return 0;
}

/// Outlives the library.
VirtualFile* nobodys_file() {
  static auto* const file = new VirtualFile(*new Overlay(nullptr, 0));
  return file;
}

/// The library tries again to close failed files when the program ends. At that time its calls have no
/// effect.
void abandon(const VirtualFile& file) {
  if (file.driver) reinterpret_cast<DriverFile*>(file.driver)->file = nobodys_file();
}

H5FD_class_t make_driver_class() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION  // since HDF5 1.14
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
  driver.name = "esker";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<Index>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_driver;
  driver.close = close_driver;
  driver.query = query_driver;
  driver.alloc = allocate;
  driver.get_eoa = end_of_allocated;
  driver.set_eoa = set_end_of_allocated;
  driver.get_eof = end_of_file;
  driver.get_handle = give_file;
  driver.read = read;
  driver.write = write;
  constexpr H5FD_mem_t kMap[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kMap), std::end(kMap), std::begin(driver.fl_map));
  return driver;
}

// ---- errors ----

/// The library prints its errors by default; other users of it in the program may want that.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// What the library says of a failure.
struct Reason {
  const char* first = nullptr;    // of the innermost call
  const char* version = nullptr;  // the first that is about the version of a structure in the file
};

herr_t record_error(unsigned /*number*/, const H5E_error2_t* entry, void* reason) {
  auto& found = *static_cast<Reason*>(reason);
  if (!found.first) found.first = entry->desc;
  const std::string_view text = entry->desc;
  const bool is_unknown = entry->min_num == H5E_VERSION || text.find("version number") != text.npos;
  if (!found.version && is_unknown) found.version = entry->desc;
  return 0;
}

/// The library cannot tell a damaged version number from one of a later library.
std::string newer_version_text(const char* reason) {
  return fmt::format(
      "{}; the file probably needs a newer HDF5 than {}.{}.{}, which Esker was built with: copy it with "
      "h5repack --low=0 --high={} of the newer HDF5, or build Esker with that (ESKER_HDF5)",
      reason, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, static_cast<int>(H5F_LIBVER_LATEST));
}

// ---- sessions ----

Handle access_list(hid_t driver, VirtualFile& file, Access to_do) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), "property list");
  const DriverInfo info{kVirtualFileMagic, &file};
  checked(H5Pset_driver(access, driver, &info), "driver");
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "driver");
  if (!file.is_read_only) {
    const H5F_libver_t newest = to_do == Access::kCreateVirtual ? H5F_LIBVER_V110 : H5F_LIBVER_V18;
    checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, newest), "versions");  // as netCDF
  }
  return access;
}

/// In creation order, as netCDF requires for groups and their attributes. Without times.
Handle creation_list() {
  Handle creation(H5Pcreate(H5P_FILE_CREATE), "property list");
  constexpr unsigned kInOrder = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  checked(H5Pset_link_creation_order(creation, kInOrder), "order of variables");
  checked(H5Pset_attr_creation_order(creation, kInOrder), "order of attributes");
  checked(H5Pset_obj_track_times(creation, false), "times");
  return creation;
}

hid_t open_file(hid_t access_properties, Access access) {
  if (access == Access::kCreate || access == Access::kCreateVirtual) {
    return H5Fcreate("esker", H5F_ACC_TRUNC, creation_list(), access_properties);
  }
  return H5Fopen("esker", access == Access::kRead ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access_properties);
}

Status act(VirtualFile& file, Access access, const std::function<Status(VirtualFile&)>& action) {
  static const H5FD_class_t driver_class = make_driver_class();
  std::optional<TextsAsReferences> texts;
  if (access == Access::kRead) texts.emplace();
  const Handle driver(H5FDregister(&driver_class), "driver");
  const Handle properties = access_list(driver, file, access);
  file.id = checked(open_file(properties, access), "open");
  Status status;
  try {
    status = action(file);
  } catch (...) {
    H5Fclose(file.id);
    throw;
  }
  checked(H5Fclose(file.id), "close");
  return status;
}

/// A program may load another HDF5 library whose symbols take precedence; the library itself would then
/// abort.
Status check_version() {
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0)
    return error(Code::kInternal, "the HDF5 library cannot be initialized");
  if (major == H5_VERS_MAJOR && minor == H5_VERS_MINOR && release == H5_VERS_RELEASE) return {};
  return error(Code::kUnsupported,
               "the program has loaded HDF5 {}.{}.{}, but Esker was built with {}; build Esker with the "
               "program's HDF5 (ESKER_HDF5)",
               major, minor, release, H5_VERS_INFO);
}

}  // namespace

void throw_failure(const char* what) {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, record_error, &reason);
  if (reason.version) throw Failure(fmt::format("{}: {}", what, newer_version_text(reason.version)));
  throw Failure(fmt::format("{}: {}", what, reason.first ? reason.first : "no reason given"));
}

const VirtualFile& file_of(hid_t object) {
  const Handle file(H5Iget_file_id(object), "file");
  void* handle = nullptr;
  checked(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), "file");
  return *static_cast<const VirtualFile*>(handle);
}

Status run_session(Overlay& overlay, Access access, const std::function<Status(VirtualFile&)>& action) {
  static std::mutex mutex;  // not every build of the library is thread-safe
  const std::scoped_lock lock(mutex);
  ESKER_RETURN_IF_ERROR(check_version());
  const Silence silence;
  const OwnFilters filters(access == Access::kCreate);
  (void)nobodys_file();  // created while memory is still available
  VirtualFile file(overlay, access == Access::kRead);
  const Status done = guarded("HDF5", [&]() -> Status {
    try {
      return act(file, access, action);
    } catch (const Failure& failure) {
      return error(Code::kDataLoss, "HDF5: {}", failure.what());
    }
  });
  abandon(file);
  if (!file.status.ok()) return file.status;
  ESKER_RETURN_IF_ERROR(done);
  overlay.set_end_bytes(file.end_of_allocated());
  return {};
}

}  // namespace esker::hdf5
