#include "hints.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace esker::pnetcdf {
namespace {

struct NameOfOption {
  const char* hint;
  const char* option;
};
constexpr NameOfOption kNames[] = {{"cb_nodes", "aggregators"},
                                   {"cb_buffer_size", "collective_buffer"},
                                   {"striping_unit", "stripe_size"},
                                   {"striping_factor", "stripe_count"}};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void add_from_environment(Hints& hints) {
  const char* text = std::getenv("PNETCDF_HINTS");
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) continue;
    hints.emplace_back(trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)));
  }
}

bool is_set(const Options& options, const std::string& name) {
  for (const Options::Entry& entry : options.entries()) {
    if (entry.name == name) return entry.source != "built-in";
  }
  return true;  // unknown: not to be set
}

Index number_in(const Hints& hints, const std::string& name) {
  const long long number = std::strtoll(hint_of(hints, name).c_str(), nullptr, 10);
  constexpr Index kFileAlignment = netcdf::kCdfAlignment;
  return number > 0 ? (number + kFileAlignment - 1) / kFileAlignment * kFileAlignment : 0;
}

}  // namespace

Hints read_hints(MPI_Info info) {
  Hints hints;
  int n = 0;
  if (info != MPI_INFO_NULL) MPI_Info_get_nkeys(info, &n);
  for (int i = 0; i < n; ++i) {
    char name[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
    int has_value = 0;
    MPI_Info_get_nthkey(info, i, name);
    MPI_Info_get(info, name, MPI_MAX_INFO_VAL, value, &has_value);
    if (has_value != 0) hints.emplace_back(name, trimmed(value));
  }
  add_from_environment(hints);
  return hints;
}

std::string hint_of(const Hints& hints, const std::string& name) {
  std::string value;
  for (const auto& [known, text] : hints) {
    if (known == name) value = text;
  }
  return value;
}

void apply_hints(const Hints& hints, Options& options) {
  for (const NameOfOption& name : kNames) {
    const std::string value = hint_of(hints, name.hint);
    if (value.empty() || is_set(options, name.option)) continue;
    (void)options.set(name.option, value, std::string("hint ") + name.hint);
  }
}

cdf::FileRoom room_of(const Hints& hints) {
  cdf::FileRoom room;
  const Index variables =
      std::max(number_in(hints, "nc_header_align_size"), number_in(hints, "nc_var_align_size"));
  if (variables > 0) room.variable_alignment_bytes = variables;
  const Index records = number_in(hints, "nc_record_align_size");
  if (records > 0) room.record_alignment_bytes = records;
  return room;
}

MPI_Info used_hints(const Hints& hints, const cdf::FileRoom& room,
                    const std::vector<std::pair<std::string, std::string>>& used_settings) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  const auto set = [&](const std::string& name, const std::string& value) {
    if (!name.empty() && !value.empty()) MPI_Info_set(info, name.c_str(), value.c_str());
  };
  for (const auto& [name, value] : hints) set(name, value);
  for (const auto& [option, value] : used_settings) {
    for (const NameOfOption& name : kNames) {
      if (option == name.option) set(name.hint, value);
    }
  }
  for (const char* name : {"nc_header_align_size", "nc_var_align_size"}) {
    const Index asked = number_in(hints, name);
    set(name, std::to_string(asked > 0 ? asked : room.variable_alignment_bytes));
  }
  set("nc_record_align_size", std::to_string(room.record_alignment_bytes));
  // What PnetCDF also tells, and Esker does not have: values are never swapped in the caller's memory.
  set("nc_in_place_swap", "disable");
  set("nc_ibuf_size", "0");
  set("nc_header_read_chunk_size", "0");
  set("pnetcdf_subfiling", "disable");
  set("nc_num_subfiles", "0");
  return info;
}

}  // namespace esker::pnetcdf
