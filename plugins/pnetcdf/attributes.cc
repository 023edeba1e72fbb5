// Functions of attributes, other than their values.
#include "attributes.h"

#include <cstring>

#include "definition.h"
#include "interface.h"

namespace esker::pnetcdf {

const std::vector<cdf::Attribute>* attributes_of(const OpenFile& file, int variable) {
  if (variable == NC_GLOBAL) return &file.header().attributes;
  return file.has_variable(variable) ? &file.variable(variable).attributes : nullptr;
}

std::vector<cdf::Attribute>& attributes_of(cdf::Header& header, int variable) {
  return variable == NC_GLOBAL ? header.attributes
                               : header.variables[static_cast<std::size_t>(variable)].attributes;
}

int find_attribute(const std::vector<cdf::Attribute>& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

void set_attribute(std::vector<cdf::Attribute>& list, cdf::Attribute attribute) {
  const int known = find_attribute(list, attribute.name);
  if (known < 0) {
    list.push_back(std::move(attribute));
  } else {
    list[static_cast<std::size_t>(known)] = std::move(attribute);
  }
}

int check_attribute_room(const OpenFile& file, const std::vector<cdf::Attribute>& list,
                         const std::string& name, std::size_t bytes) {
  if (file.file->is_defining()) return NC_NOERR;
  const int known = find_attribute(list, name);
  const bool fits = known >= 0 && bytes <= list[static_cast<std::size_t>(known)].values.size();
  return fits ? NC_NOERR : NC_ENOTINDEFINE;
}

}  // namespace esker::pnetcdf

using namespace esker::pnetcdf;
using Attributes = std::vector<esker::cdf::Attribute>;

namespace {

/// What all questions about an attribute of a name begin with: `use(attribute, number)`.
template <class Use>
int ask_attribute(int ncid, int varid, const char* name, const Use& use) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    const Attributes* list = attributes_of(file, varid);
    if (list == nullptr) return NC_ENOTVAR;
    if (const int code = check_known_name(name); code != NC_NOERR) return code;
    const int found = find_attribute(*list, name);
    if (found < 0) return NC_ENOTATT;
    use((*list)[static_cast<std::size_t>(found)], found);
    return NC_NOERR;
  });
}

int check_renamed_attribute(const OpenFile& file, int varid, const char* name, const char* newname) {
  if (!file.file->is_writable()) return NC_EPERM;
  const Attributes* list = attributes_of(file, varid);
  if (list == nullptr) return NC_ENOTVAR;
  if (const int code = check_known_name(name); code != NC_NOERR) return code;
  if (const int code = check_new_name(newname); code != NC_NOERR) return code;
  if (find_attribute(*list, name) < 0) return NC_ENOTATT;
  if (find_attribute(*list, newname) >= 0) return NC_ENAMEINUSE;
  const bool is_longer = std::strlen(newname) > std::strlen(name);
  return is_longer && !file.file->is_defining() ? NC_ENOTINDEFINE : NC_NOERR;
}

int check_deleted_attribute(const OpenFile& file, int varid, const char* name) {
  if (!file.file->is_writable()) return NC_EPERM;
  if (!file.file->is_defining()) return NC_ENOTINDEFINE;
  const Attributes* list = attributes_of(file, varid);
  if (list == nullptr) return NC_ENOTVAR;
  if (const int code = check_known_name(name); code != NC_NOERR) return code;
  return find_attribute(*list, name) < 0 ? NC_ENOTATT : NC_NOERR;
}

int check_copied_attribute(const OpenFile& in, int varid_in, const char* name, const OpenFile& out,
                           int varid_out) {
  if (!out.file->is_writable()) return NC_EPERM;
  const Attributes* from = attributes_of(in, varid_in);
  const Attributes* to = attributes_of(out, varid_out);
  if (from == nullptr || to == nullptr) return NC_ENOTVAR;
  if (const int code = check_known_name(name); code != NC_NOERR) return code;
  const int found = find_attribute(*from, name);
  if (found < 0) return NC_ENOTATT;
  return check_attribute_room(out, *to, name, (*from)[static_cast<std::size_t>(found)].values.size());
}

}  // namespace

int ncmpi_inq_att(int ncid, int varid, const char* name, int* xtype, MPI_Offset* len) {
  return ask_attribute(ncid, varid, name, [&](const esker::cdf::Attribute& attribute, int) {
    give(xtype, static_cast<int>(attribute.type));
    give(len, static_cast<esker::Index>(attribute.values.size()) / esker::netcdf::size_bytes(attribute.type));
  });
}

int ncmpi_inq_atttype(int ncid, int varid, const char* name, int* xtype) {
  return ncmpi_inq_att(ncid, varid, name, xtype, nullptr);
}

int ncmpi_inq_attlen(int ncid, int varid, const char* name, MPI_Offset* len) {
  return ncmpi_inq_att(ncid, varid, name, nullptr, len);
}

int ncmpi_inq_attid(int ncid, int varid, const char* name, int* id) {
  return ask_attribute(ncid, varid, name,
                       [&](const esker::cdf::Attribute&, int number) { give(id, number); });
}

int ncmpi_inq_attname(int ncid, int varid, int attnum, char* name) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    const Attributes* list = attributes_of(file, varid);
    if (list == nullptr) return NC_ENOTVAR;
    if (attnum < 0 || static_cast<std::size_t>(attnum) >= list->size()) return NC_ENOTATT;
    if (name == nullptr) return NC_EINVAL;
    std::strcpy(name, (*list)[static_cast<std::size_t>(attnum)].name.c_str());
    return NC_NOERR;
  });
}

int ncmpi_copy_att(int ncid_in, int varid_in, const char* name, int ncid_out, int varid_out) {
  return with_file(ncid_in, [&](OpenFile& in) {
    return with_file(ncid_out, [&](OpenFile& out) -> int {
      const int code = out.agreed(check_copied_attribute(in, varid_in, name, out, varid_out),
                                  {{text_of(name), NC_EMULTIDEFINE_ATTR_NAME},
                                   compared(varid_in, NC_EMULTIDEFINE_FNC_ARGS),
                                   compared(varid_out, NC_EMULTIDEFINE_FNC_ARGS)});
      if (code != NC_NOERR) return code;
      if (ncid_in == ncid_out && varid_in == varid_out) return NC_NOERR;
      const Attributes& from = *attributes_of(in, varid_in);
      const esker::cdf::Attribute attribute = from[static_cast<std::size_t>(find_attribute(from, name))];
      return change_header(out,
                           [&](auto& header) { set_attribute(attributes_of(header, varid_out), attribute); });
    });
  });
}

int ncmpi_rename_att(int ncid, int varid, const char* name, const char* newname) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code = file.agreed(check_renamed_attribute(file, varid, name, newname),
                                 {{text_of(name), NC_EMULTIDEFINE_ATTR_NAME},
                                  {text_of(newname), NC_EMULTIDEFINE_ATTR_NAME},
                                  compared(varid, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    return change_header(file, [&](auto& header) {
      Attributes& list = attributes_of(header, varid);
      list[static_cast<std::size_t>(find_attribute(list, name))].name = newname;
    });
  });
}

int ncmpi_del_att(int ncid, int varid, const char* name) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code =
        file.agreed(check_deleted_attribute(file, varid, name),
                    {{text_of(name), NC_EMULTIDEFINE_ATTR_NAME}, compared(varid, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    Attributes& list = attributes_of(file.file->definition(), varid);
    list.erase(list.begin() + find_attribute(list, name));
    return code;
  });
}
