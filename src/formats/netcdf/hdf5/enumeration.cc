#include "formats/netcdf/hdf5/enumeration.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "formats/netcdf/hdf5/attributes.h"

namespace esker::hdf5 {
namespace {

netcdf::Attribute text_of_enumeration(const char* name, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {name, netcdf::Type::kChar, {bytes.begin(), bytes.end()}};
}

std::string member_name(hid_t type, unsigned member) {
  char* const found = H5Tget_member_name(type, member);
  if (found == nullptr) throw Failure("an enumeration has a member without a name");
  std::string name(found);
  H5free_memory(found);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// In the form of attributes.
std::vector<std::byte> member_value(hid_t type, unsigned member, netcdf::Type numbers) {
  const Handle stored(H5Tget_super(type), "enumeration");
  const auto n_bytes = static_cast<std::size_t>(size_bytes(numbers));
  std::vector<std::byte> value(std::max(n_bytes, H5Tget_size(stored)));
  checked(H5Tget_member_value(type, member, value.data()), "enumeration");
  checked(H5Tconvert(stored, big_endian_type(numbers), 1, value.data(), nullptr, H5P_DEFAULT), "enumeration");
  value.resize(n_bytes);
  return value;
}

}  // namespace

std::vector<netcdf::Attribute> attributes_of_enumeration(hid_t type, netcdf::Type numbers) {
  if (H5Tget_class(type) != H5T_ENUM) return {};
  const auto n_members = static_cast<unsigned>(checked(H5Tget_nmembers(type), "enumeration"));
  netcdf::Attribute values{"flag_values", numbers, {}};
  std::string meanings;
  for (unsigned member = 0; member < n_members; ++member) {
    const std::vector<std::byte> value = member_value(type, member, numbers);
    values.values.insert(values.values.end(), value.begin(), value.end());
    meanings += (member > 0 ? " " : "") + member_name(type, member);
  }
  const bool is_bool = size_bytes(numbers) == 1 && meanings == "FALSE TRUE" &&
                       values.values == std::vector{std::byte{0}, std::byte{1}};
  if (is_bool) return {text_of_enumeration("dtype", "bool")};
  if (n_members == 0) return {};
  return {text_of_enumeration("flag_meanings", meanings), values};
}

}  // namespace esker::hdf5
