#include "registration.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "door.h"
#include "table.h"

namespace esker::netcdf_plugin {
namespace {

/// A loaded library of netCDF-C.
struct Library {
  decltype(&nc_def_user_format) define = nullptr;
  decltype(&nc_inq_user_format) inquire = nullptr;
};

std::vector<std::string> loaded_objects() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

/// Those with "netcdf" in their names, or used by such. Libraries found earlier keep their numbers.
void find_libraries(std::vector<Library>& found) {
  for (const std::string& name : loaded_objects()) {
    if (name.find("netcdf") == std::string::npos && name.find("netCDF") == std::string::npos) continue;
    void* object = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!object) continue;
    const Library library{reinterpret_cast<decltype(Library::define)>(dlsym(object, "nc_def_user_format")),
                          reinterpret_cast<decltype(Library::inquire)>(dlsym(object, "nc_inq_user_format"))};
    dlclose(object);
    bool is_new = library.define && library.inquire;
    for (const Library& other : found) is_new = is_new && other.define != library.define;
    if (is_new && found.size() < std::size_t{kMaxLibraries}) found.push_back(library);
  }
}

/// Puts the table into the slot that has it for this magic number, else into a free one. Returns the slot, or 0
/// if none is free.
int register_magic(const Library& library, const NC_Dispatch* table, const char* magic) {
  int free_slot = 0;
  for (const int slot : {NC_UDF1, NC_UDF0}) {
    NC_Dispatch* taken = nullptr;
    char its_magic[NC_MAX_MAGIC_NUMBER_LEN + 1] = {};
    if (library.inquire(slot, &taken, its_magic) != NC_NOERR) continue;
    if (taken == table && std::strncmp(its_magic, magic, NC_MAX_MAGIC_NUMBER_LEN) == 0) return slot;
    if (!taken) free_slot = slot;
  }
  if (free_slot == 0) return 0;
  const int code = library.define(free_slot, const_cast<NC_Dispatch*>(table), const_cast<char*>(magic));
  return code == NC_NOERR ? free_slot : 0;
}

/// The libraries in which the table is registered.
std::vector<Library> registered(bool& everywhere) {
  static std::mutex mutex;
  static std::vector<Library> libraries;
  const std::lock_guard lock(mutex);
  find_libraries(libraries);
  everywhere = !libraries.empty();
  for (int i = 0; i < static_cast<int>(libraries.size()); ++i) {
    for (const char* magic : {kIdxMagic, kDoorMagic}) {
      const int slot = register_magic(libraries[static_cast<std::size_t>(i)], table(i), magic);
      if (slot != 0) slots(i).set(magic, slot);
      everywhere = slot != 0 && everywhere;
    }
  }
  return libraries;
}

/// Where the object with an address is loaded; null: nowhere.
const void* base_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace
}  // namespace esker::netcdf_plugin

int esker_netcdf_init() {
  bool everywhere = false;
  esker::netcdf_plugin::registered(everywhere);
  return everywhere ? NC_NOERR : NC_EINVAL;
}

const NC_Dispatch* esker_netcdf_table() {
  using namespace esker::netcdf_plugin;
  const void* caller = base_of(__builtin_return_address(0));
  bool everywhere = false;
  const std::vector<Library> libraries = registered(everywhere);
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    if (base_of(reinterpret_cast<const void*>(libraries[i].define)) == caller)
      return table(static_cast<int>(i));
  }
  return nullptr;
}
