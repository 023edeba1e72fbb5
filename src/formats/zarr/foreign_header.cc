#include "formats/zarr/foreign_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "base/text.h"
#include "formats/netcdf/model/values.h"

namespace esker::zarr {
namespace {

constexpr std::size_t kMostNameBytes = 128;  // of the dimension of steps, as of all names of a schema
constexpr Index kMostComponents = 256;
constexpr Index kMostSteps = Index{1} << 20;  // a longer axis is one of the grid

class HeaderMaker {
 public:
  HeaderMaker(const ForeignGroup& group, const std::vector<std::string>& texts,
              std::vector<std::string>& warnings)
      : arrays_(group.arrays), text_(texts.begin()), warnings_(warnings) {
    header_.version = netcdf::Version::kData64;
    header_.attributes = group.attributes;
  }

  netcdf::Header make() {
    name_axes();
    find_lengths();
    choose_steps();
    for (std::size_t n = 0; n < arrays_.size(); ++n) add(n);
    return std::move(header_);
  }

 private:
  using Names = std::vector<std::string>;

  [[nodiscard]] static const std::vector<Index>& shape_of(const ForeignArray& array) {
    return array.form.shape;
  }
  [[nodiscard]] bool is_coordinate(std::size_t n) const {
    return !arrays_[n].is_characters && names_[n].size() == 1 && names_[n].front() == arrays_[n].name;
  }

  /// The names of all axes. Those with most axes choose first.
  void name_axes() {
    static constexpr std::array kAxes{"x", "y", "z", "u", "v"};
    names_.resize(arrays_.size());
    std::vector<std::size_t> order(arrays_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t n) { return shape_of(arrays_[n]).size(); });
    std::map<std::string, std::vector<Index>> extents;  // of axes without names
    for (const std::size_t n : order) {
      const ForeignArray& array = arrays_[n];
      names_[n] = array.dims;
      for (std::size_t a = 0; a < array.dims.size(); ++a) {
        if (!array.dims[a].empty()) continue;
        const std::size_t from_last = array.dims.size() - 1 - a;
        const std::string axis =
            from_last < kAxes.size() ? kAxes[from_last] : fmt::format("dim{}", from_last);
        std::vector<Index>& known = extents[axis];
        const Index extent = shape_of(array)[a];
        const auto place = std::ranges::find(known, extent) - known.begin();
        if (place == std::ssize(known)) known.push_back(extent);
        names_[n][a] = place == 0 ? axis : fmt::format("{}_{}", axis, place + 1);
      }
      if (array.is_characters) names_[n].push_back(fmt::format("string{}", shape_of(array).back()));
    }
  }

  /// Those of coordinates count more than others.
  void find_lengths() {
    for (const bool is_of_coordinates : {true, false}) {
      for (std::size_t n = 0; n < arrays_.size(); ++n) {
        if (!arrays_[n].unsupported.empty() || is_coordinate(n) != is_of_coordinates) continue;
        for (std::size_t a = 0; a < names_[n].size(); ++a) {
          lengths_.emplace(names_[n][a], shape_of(arrays_[n])[a]);
        }
      }
    }
  }

  /// Whether the coordinates of a dimension are dates.
  [[nodiscard]] bool is_dated(const std::string& dim) const {
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      if (arrays_[n].name != dim || !is_coordinate(n)) continue;
      for (const netcdf::Attribute& one : arrays_[n].attributes) {
        const AttributeValue value = netcdf::to_value(one);
        const std::string* text = one.name == "units" ? text_of(value) : nullptr;
        if (text && text->find(" since ") != std::string::npos) return true;
      }
    }
    return false;
  }

  void choose_steps() {
    std::set<std::string> first, inner;
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      if (!arrays_[n].unsupported.empty() || names_[n].empty()) continue;
      first.insert(names_[n].front());
      inner.insert(names_[n].begin() + 1, names_[n].end());
    }
    const auto is_of_steps = [&](const std::string& dim) { return !inner.contains(dim) && is_dated(dim); };
    const auto dated = std::ranges::find_if(first, is_of_steps);
    const std::string dim = first.contains("time") ? "time" : dated == first.end() ? "" : *dated;
    if (dim.empty() || dim.size() > kMostNameBytes) return;
    Index num_steps = lengths_.at(dim);
    bool has_times = false;
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      has_times = has_times || (is_coordinate(n) && arrays_[n].name == dim && arrays_[n].unsupported.empty());
    }
    for (std::size_t n = 0; n < arrays_.size() && !has_times; ++n) {
      if (!arrays_[n].unsupported.empty() || names_[n].empty() || names_[n].front() != dim) continue;
      num_steps = std::max(num_steps, shape_of(arrays_[n]).front());
    }
    if (num_steps > kMostSteps) return;
    steps_ = dim;
    header_.num_records = num_steps;
    header_.dims.push_back({dim, 0});
    places_[dim] = 0;
  }

  [[nodiscard]] bool is_of_steps(std::size_t n, std::size_t axis) const {
    return !steps_.empty() && axis == 0 && names_[n][axis] == steps_;
  }

  /// Why the array does not fit; empty if it does.
  [[nodiscard]] std::string misfit(std::size_t n) const {
    const ForeignArray& array = arrays_[n];
    const std::vector<Index>& shape = shape_of(array);
    for (std::size_t a = 0; a < names_[n].size(); ++a) {
      if (is_of_steps(n, a)) continue;
      const Index length = names_[n][a] == steps_ ? shape[a] : lengths_.at(names_[n][a]);
      if (shape[a] == 0) return fmt::format("its dimension '{}' has length 0", excerpt(names_[n][a]));
      if (shape[a] != length)
        return fmt::format("it has {} values along '{}', which has length {}", shape[a],
                           excerpt(names_[n][a]), length);
    }
    if (is_coordinate(n) && !is_of_steps(n, 0) && shape.front() > kMostCoordinates)
      return fmt::format("it has {} coordinates; at most {} are supported", shape.front(), kMostCoordinates);
    return "";
  }

  int place_of(const std::string& name, Index length) {
    const auto [place, is_new] = places_.emplace(name, static_cast<int>(header_.dims.size()));
    if (is_new) header_.dims.push_back({name, length});
    return place->second;
  }

  /// The dimension of an axis along the steps that is not the slowest: one for each number of values.
  int ordinary_steps(const ForeignArray& array, Index extent) {
    const std::string name = fmt::format("{}_{}", steps_, extent);
    warnings_.push_back(
        fmt::format("variable '{}' is read as a fixed field, because the dimension of the steps, '{}', is "
                    "not its slowest "
                    "axis, and becomes '{}'",
                    excerpt(array.name), excerpt(steps_), excerpt(name)));
    return place_of(name, extent);
  }

  void add(std::size_t n) {
    const ForeignArray& array = arrays_[n];
    netcdf::Variable variable{array.name, {}, array.attributes};
    const bool is_text = array.is_text || array.is_characters;
    variable.type = is_text ? netcdf::Type::kChar : netcdf::type_of(array.type);
    variable.missing = array.unsupported.empty() ? misfit(n) : array.unsupported;
    for (const std::string& name : array.left_out) {
      warnings_.push_back(fmt::format("attribute '{}' of '{}' is left out: expected numbers or texts",
                                      excerpt(name), excerpt(array.name)));
    }
    if (!variable.missing.empty()) {
      if (array.is_text && array.unsupported.empty()) ++text_;
      header_.variables.push_back(std::move(variable));
      return;
    }
    for (std::size_t a = 0; a < names_[n].size(); ++a) {
      const Index extent = shape_of(array)[a];
      const bool is_ordinary = a > 0 && names_[n][a] == steps_ && !steps_.empty();
      variable.dims.push_back(is_ordinary ? ordinary_steps(array, extent) : place_of(names_[n][a], extent));
    }
    variable.has_components = has_components(n);
    if (array.is_text) {
      const Index length = std::ssize(*text_++);
      if (length > 1) variable.dims.push_back(place_of(fmt::format("string{}", length), length));
    }
    header_.variables.push_back(std::move(variable));
  }

  /// Whether the last axis is that of the components of vectors, with the name that Esker gives it, and each
  /// chunk has all of them next to each other.
  [[nodiscard]] bool has_components(std::size_t n) const {
    const StoredForm& form = arrays_[n].form;
    const std::size_t before = !names_[n].empty() && is_of_steps(n, 0) ? 2 : 1;
    if (names_[n].size() <= before || arrays_[n].is_characters) return false;
    std::string_view name = names_[n].back();
    constexpr std::string_view kName = "component";
    const auto is_end = [](char c) { return c == '_' || (c >= '0' && c <= '9'); };
    return name.starts_with(kName) && std::ranges::all_of(name.substr(kName.size()), is_end) &&
           form.chain.order.empty() && form.chunk.back() == form.shape.back() && form.shape.back() > 1 &&
           form.shape.back() <= kMostComponents;
  }

  const std::vector<ForeignArray>& arrays_;
  std::vector<std::string>::const_iterator text_;
  std::vector<std::string>& warnings_;
  netcdf::Header header_;
  std::vector<Names> names_;              // of the axes of each array
  std::map<std::string, Index> lengths_;  // of dimensions
  std::string steps_;                     // their dimension; empty: none
  std::map<std::string, int> places_;     // of dimensions in the header
};

}  // namespace

netcdf::Header header_of(const ForeignGroup& group, const std::vector<std::string>& texts,
                         std::vector<std::string>& warnings) {
  for (const std::string& name : group.left_out) {
    warnings.push_back(fmt::format("attribute '{}' is left out: expected numbers or texts", excerpt(name)));
  }
  return HeaderMaker(group, texts, warnings).make();
}

}  // namespace esker::zarr
