#include "table.h"

#include <cstring>
#include <exception>
#include <new>

#include "door.h"
#include "inquiry.h"
#include "open_files.h"

namespace esker::netcdf_plugin {
namespace {

/// Functions that the plug-in does not have, of any arguments.
template <class... Args>
int not_permitted(Args...) {
  return NC_EPERM;
}
template <class... Args>
int no_type(Args...) {
  return NC_EBADTYPE;
}
template <class... Args>
int no_filter(Args...) {
  return NC_ENOFILTER;
}
template <class... Args>
int nothing(Args...) {
  return NC_NOERR;
}

/// The result of an action, which may run out of memory.
template <class Action>
int guarded(const Action& action) noexcept {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return NC_ENOMEM;
  } catch (const std::exception&) {
    return NC_EINVAL;
  }
}

int name_of_root(char* name) {
  if (name) std::strcpy(name, "/");
  return NC_NOERR;
}

/// Groups: only the root.
int find_group(int ncid, const char* name, int* group) {
  if (name && std::strcmp(name, "/") != 0 && *name) return NC_ENOGRP;
  if (group) *group = ncid;
  return NC_NOERR;
}

/// The functions of a library's table.
template <int library>
struct Functions {
  static OpenFiles& files() {
    static OpenFiles open;
    return open;
  }

  /// Calls `function` with the view behind `ncid` and the other arguments.
  template <auto function, class... Args>
  static int of_view(int ncid, Args... args) {
    return guarded([&] {
      const View* view = files().find(ncid);
      return view ? function(*view, args...) : NC_EBADID;
    });
  }

  static int open(const char* path, int mode, int, std::size_t*, void*, const NC_Dispatch*, int ncid) {
    return guarded([&] { return files().open(path, mode, ncid); });
  }
  static int close(int ncid, void*) {
    return guarded([&] { return files().close(ncid); });
  }
  static int abort(int ncid) { return close(ncid, nullptr); }

  static int inq_unlimdim(int ncid, int* dim) { return of_view<&inq>(ncid, nullptr, nullptr, nullptr, dim); }
  static int inq_dimids(int ncid, int* num_dims, int* dims, int) {
    return of_view<&netcdf_plugin::inq_dimids>(ncid, num_dims, dims);
  }

  static int inq_format_extended(int ncid, int* format, int* mode) {
    const View* view = files().find(ncid);
    if (!view) return NC_EBADID;
    const int slot = slots(library).of(view->magic());
    if (format) *format = slot == NC_UDF1 ? NC_FORMATX_UDF1 : NC_FORMATX_UDF0;
    if (mode) *mode = slot | NC_NETCDF4;
    return NC_NOERR;
  }

  static int inq_var_all(int ncid, int variable, char* name, nc_type* type, int* num_dims, int* dims,
                         int* num_attributes, int* shuffle, int* deflate, int* deflate_level, int* fletcher32,
                         int* contiguous, std::size_t* chunks, int* no_fill, void* fill, int* endianness,
                         unsigned int* filter, std::size_t* num_params, unsigned int*) {
    for (int* place : {shuffle, deflate, deflate_level, fletcher32, no_fill, endianness}) {
      if (place) *place = 0;
    }
    if (filter) *filter = 0;
    if (num_params) *num_params = 0;
    if (const int code = of_view<&inq_var>(ncid, variable, name, type, num_dims, dims, num_attributes))
      return code;
    if (const int code = of_view<&inq_var_chunks>(ncid, variable, contiguous, chunks)) return code;
    return of_view<&inq_var_fill>(ncid, variable, fill);
  }

  static int get_vara(int ncid, int variable, const std::size_t* start, const std::size_t* count,
                      void* values, nc_type type) {
    return get_varm(ncid, variable, start, count, nullptr, nullptr, values, type);
  }
  static int get_vars(int ncid, int variable, const std::size_t* start, const std::size_t* count,
                      const std::ptrdiff_t* stride, void* values, nc_type type) {
    return get_varm(ncid, variable, start, count, stride, nullptr, values, type);
  }
  static int get_varm(int ncid, int variable, const std::size_t* start, const std::size_t* count,
                      const std::ptrdiff_t* stride, const std::ptrdiff_t* map, void* values, nc_type type) {
    return of_view<&get>(ncid, variable, start, count, stride, map, values, type);
  }

  static NC_Dispatch make();
};

int inq_format(int, int* format) {
  if (format) *format = NC_FORMAT_NETCDF4;
  return NC_NOERR;
}

int type_of_file(int, nc_type type, char* name, std::size_t* n_bytes) {
  return inq_type(type, name, n_bytes);
}

int find_type(int, const char* name, nc_type* type) {
  char found[NC_MAX_NAME + 1];
  for (nc_type candidate = NC_BYTE; candidate <= NC_STRING; ++candidate) {
    inq_type(candidate, found, nullptr);
    if (std::strcmp(name, found) != 0) continue;
    if (type) *type = candidate;
    return NC_NOERR;
  }
  return NC_EBADTYPE;
}

int is_same_type(int, nc_type a, int, nc_type b, int* equal) {
  if (equal) *equal = a == b;
  return NC_NOERR;
}

/// A list without members.
int no_members(int, int* count, int*) {
  if (count) *count = 0;
  return NC_NOERR;
}

int full_name(int, std::size_t* length, char* name) {
  if (length) *length = 1;
  return name_of_root(name);
}

int no_filters(int, int, std::size_t* count, unsigned int*) {
  if (count) *count = 0;
  return NC_NOERR;
}

int no_quantization(int, int, int* mode, int* digits) {
  if (mode) *mode = NC_NOQUANTIZE;
  if (digits) *digits = 0;
  return NC_NOERR;
}

int no_chunk_cache(int, int, std::size_t* n_bytes, std::size_t* count, float* preemption) {
  if (n_bytes) *n_bytes = 0;
  if (count) *count = 0;
  if (preemption) *preemption = 0;
  return NC_NOERR;
}

/// What writes, or defines something.
void refuse_changes(NC_Dispatch& t) {
  t.create = not_permitted;
  t.redef = not_permitted;
  t._enddef = not_permitted;
  t.set_fill = not_permitted;
  t.def_dim = not_permitted;
  t.rename_dim = not_permitted;
  t.rename_att = not_permitted;
  t.del_att = not_permitted;
  t.put_att = not_permitted;
  t.def_var = not_permitted;
  t.rename_var = not_permitted;
  t.put_vara = not_permitted;
  t.put_vars = not_permitted;
  t.put_varm = not_permitted;
  t.def_var_fill = not_permitted;
  t.def_grp = not_permitted;
  t.rename_grp = not_permitted;
  t.def_compound = not_permitted;
  t.insert_compound = not_permitted;
  t.insert_array_compound = not_permitted;
  t.def_vlen = not_permitted;
  t.put_vlen_element = not_permitted;
  t.def_enum = not_permitted;
  t.insert_enum = not_permitted;
  t.def_opaque = not_permitted;
  t.def_var_deflate = not_permitted;
  t.def_var_fletcher32 = not_permitted;
  t.def_var_chunking = not_permitted;
  t.def_var_endian = not_permitted;
  t.def_var_filter = not_permitted;
  t.def_var_quantize = not_permitted;
}

/// Groups, types of users, and how files of other formats are stored.
void add_what_all_files_share(NC_Dispatch& t) {
  t.inq_ncid = find_group;
  t.inq_grps = no_members;
  t.inq_grpname = [](int, char* name) { return name_of_root(name); };
  t.inq_grpname_full = full_name;
  t.inq_grp_parent = [](int, int*) { return NC_ENOGRP; };
  t.inq_grp_full_ncid = find_group;
  t.set_var_chunk_cache = nothing;
  t.get_var_chunk_cache = no_chunk_cache;
  t.inq_var_filter_ids = no_filters;
  t.inq_var_filter_info = no_filter;
  t.inq_var_quantize = no_quantization;
  t.inq_filter_avail = no_filter;
  t.var_par_access = nothing;
  t.show_metadata = nothing;
  t.sync = nothing;
  t.inq_format = netcdf_plugin::inq_format;
  t.inq_type = type_of_file;
  t.inq_typeids = no_members;
  t.inq_type_equal = is_same_type;
  t.inq_typeid = find_type;
  t.inq_user_type = no_type;
  t.inq_compound_field = no_type;
  t.inq_compound_fieldindex = no_type;
  t.get_vlen_element = no_type;
  t.inq_enum_member = no_type;
  t.inq_enum_ident = no_type;
}

template <int library>
NC_Dispatch Functions<library>::make() {
  NC_Dispatch t{};
  t.model = NC_FORMATX_UDF0;
  t.dispatch_version = NC_DISPATCH_VERSION;
  refuse_changes(t);
  add_what_all_files_share(t);
  t.open = open;
  t.abort = abort;
  t.close = close;
  t.inq = of_view<&inq>;
  t.inq_dimid = of_view<&inq_dimid>;
  t.inq_dim = of_view<&inq_dim>;
  t.inq_unlimdim = inq_unlimdim;
  t.inq_format_extended = inq_format_extended;
  t.inq_att = of_view<&inq_att>;
  t.inq_attid = of_view<&inq_attid>;
  t.inq_attname = of_view<&inq_attname>;
  t.get_att = of_view<&get_att>;
  t.inq_varid = of_view<&inq_varid>;
  t.get_vara = get_vara;
  t.get_vars = get_vars;
  t.get_varm = get_varm;
  t.inq_var_all = inq_var_all;
  t.inq_unlimdims = of_view<&inq_unlimdims>;
  t.inq_varids = of_view<&inq_varids>;
  t.inq_dimids = inq_dimids;
  return t;
}

}  // namespace

const NC_Dispatch* table(int library) {
  static const NC_Dispatch tables[kMaxLibraries] = {Functions<0>::make(), Functions<1>::make(),
                                                    Functions<2>::make(), Functions<3>::make()};
  return &tables[library];
}

void Slots::set(const char* magic, int slot) {
  (std::strcmp(magic, kDoorMagic) == 0 ? of_doors_ : of_idx_).store(slot);
}

int Slots::of(const char* magic) const {
  return (std::strcmp(magic, kDoorMagic) == 0 ? of_doors_ : of_idx_).load();
}

Slots& slots(int library) {
  static Slots of_libraries[kMaxLibraries];
  return of_libraries[library];
}

}  // namespace esker::netcdf_plugin
