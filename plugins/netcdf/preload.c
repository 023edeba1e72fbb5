/* libesker_netcdf_preload.so: for programs whose netCDF-C does not load plug-ins by itself (before 4.10).
 *
 *   LD_PRELOAD=.../libesker_netcdf_preload.so cdo sinfo run.idx
 *
 * It looks at the first bytes of each file that the program opens, and loads and registers
 * libesker_netcdf.so, which is in the same directory, when one is a dataset of Esker or a door. The plug-in's
 * libraries (HDF5, zstd ...) then do not come into a program that does not need them, nor before its own:
 * those of Python's packages may be others. For that reason this library needs the C library alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "magic.h"

typedef int (*Open)(const char* path, int mode, int* ncid);
typedef int (*OpenWithHints)(const char* path, int mode, size_t* chunk_size_hint, int* ncid);

int nc_open(const char* path, int mode, int* ncid);
int nc__open(const char* path, int mode, size_t* chunk_size_hint, int* ncid);

/* An address in this library. */
static const char self_address = 0;

static int is_ours(const char* path) {
  char first[ESKER_MAGIC_BYTES];
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  const ssize_t n_bytes = read(file, first, sizeof first);
  close(file);
  return n_bytes == ESKER_MAGIC_BYTES && (memcmp(first, ESKER_IDX_MAGIC, ESKER_MAGIC_BYTES) == 0 ||
                                          memcmp(first, ESKER_DOOR_MAGIC, ESKER_MAGIC_BYTES) == 0);
}

static void load_plugin(void) {
  static int told;
  char name[4096];
  Dl_info self;
  void* plugin = NULL;
  if (dladdr(&self_address, &self)) {
    const char* slash = strrchr(self.dli_fname, '/');
    const int length = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    snprintf(name, sizeof name, "%.*slibesker_netcdf.so", length, self.dli_fname);
    plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  int (*init)(void) = NULL;
  if (plugin) *(void**)&init = dlsym(plugin, "esker_netcdf_init");
  if (init) {
    init();
  } else if (!told) {
    told = 1;
    fprintf(stderr, "esker: the plug-in for netCDF cannot be loaded: %s\n", dlerror());
  }
}

/* The function of the library that the caller's object uses. An object that was opened by dlopen() may use
 * another library than the program does. */
static void* function_of(const void* caller, const char* name) {
  Dl_info from;
  void* function = NULL;
  if (dladdr(caller, &from)) {
    void* object = dlopen(from.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object) {
      function = dlsym(object, name);
      dlclose(object);
    }
  }
  Dl_info found;
  Dl_info self;
  const int is_self = function && dladdr(function, &found) && dladdr(&self_address, &self) &&
                      found.dli_fbase == self.dli_fbase;
  return function && !is_self ? function : dlsym(RTLD_NEXT, name);
}

int nc_open(const char* path, int mode, int* ncid) {
  Open next;
  if (is_ours(path)) load_plugin();
  *(void**)&next = function_of(__builtin_return_address(0), "nc_open");
  return next ? next(path, mode, ncid) : -1;
}

int nc__open(const char* path, int mode, size_t* chunk_size_hint, int* ncid) {
  OpenWithHints next;
  if (is_ours(path)) load_plugin();
  *(void**)&next = function_of(__builtin_return_address(0), "nc__open");
  return next ? next(path, mode, chunk_size_hint, ncid) : -1;
}
