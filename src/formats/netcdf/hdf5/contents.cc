#include "formats/netcdf/hdf5/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/text.h"
#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/hdf5/chunk_places.h"
#include "formats/netcdf/hdf5/datasets.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/enumeration.h"
#include "formats/netcdf/hdf5/filters.h"

namespace esker::hdf5 {
namespace {

/// netCDF's prefix for a variable that has the name of a dimension, but other dimensions.
constexpr Index kMostIndex = std::numeric_limits<Index>::max();

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/'), at = slash == std::string::npos ? 0 : slash + 1;
  return path.compare(at, kNoCoordinatePrefix.size(), kNoCoordinatePrefix) == 0
             ? path.substr(0, at) + path.substr(at + kNoCoordinatePrefix.size())
             : path;
}

std::string group_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// A dimension of the file, also one without a variable.
struct FileDimension {
  std::string name;
  Index length = 0;
  bool is_unlimited = false;
  bool is_phony = false;
  std::optional<int> number;  // netCDF's
};

/// What axes of a dataset are: positions among the dimensions of the file.
using Axes = std::vector<std::size_t>;

class Dimensions {
 public:
  explicit Dimensions(const std::vector<DatasetInfo>& datasets) {
    for (const DatasetInfo& of : datasets) {
      if (!of.is_scale || of.extents[0] > static_cast<hsize_t>(kMostIndex)) continue;
      by_reference_[of.reference] = all_.size();
      for (const AxisOf& use : of.uses) by_use_.emplace(std::pair(use.dataset, use.axis), all_.size());
      if (of.dimension_number) by_number_.emplace(*of.dimension_number, all_.size());
      all_.push_back(
          {of.path, static_cast<Index>(of.extents[0]), of.is_unlimited[0], false, of.dimension_number});
    }
  }

  /// Unlimited dimensions grow to the extents of their variables.
  Axes axes_of(const DatasetInfo& of) {
    Axes axes;
    for (std::size_t axis = 0; axis < of.extents.size(); ++axis) {
      const auto known = named(of, axis);
      axes.push_back(known ? *known : phony(of, axis, axes));
      FileDimension& dim = all_[axes.back()];
      if (dim.is_unlimited) dim.length = std::max(dim.length, static_cast<Index>(of.extents[axis]));
    }
    return axes;
  }

  [[nodiscard]] const FileDimension& at(std::size_t dim) const { return all_[dim]; }

 private:
  template <class Places, class Key>
  static std::optional<std::size_t> find(const Places& places, const Key& key) {
    const auto place = places.find(key);
    return place == places.end() ? std::nullopt : std::optional(place->second);
  }

  [[nodiscard]] std::optional<std::size_t> named(const DatasetInfo& of, std::size_t axis) const {
    const std::size_t rank = of.extents.size();
    if (of.is_scale && rank == 1) return find(by_reference_, of.reference);
    const auto used = find(by_use_, std::pair(of.reference, static_cast<unsigned>(axis)));
    if (used || of.dimension_numbers.size() != rank) return used;
    return find(by_number_, of.dimension_numbers[axis]);
  }

  /// One for all axes of the same extent in a group, except the axes of one variable; as netCDF does.
  std::size_t phony(const DatasetInfo& of, std::size_t axis, const Axes& before) {
    std::vector<std::size_t>& alike = phony_[{group_of(of.path), of.extents[axis]}];
    const auto free = std::find_if(alike.begin(), alike.end(), [&](std::size_t dim) {
      return std::find(before.begin(), before.end(), dim) == before.end();
    });
    if (free != alike.end()) return *free;
    alike.push_back(all_.size());
    all_.push_back({fmt::format("{}phony_dim_{}", group_of(of.path), n_phony_++),
                    static_cast<Index>(of.extents[axis]), false, true, std::nullopt});
    return alike.back();
  }

  std::vector<FileDimension> all_;
  std::map<hobj_ref_t, std::size_t> by_reference_;
  std::map<std::pair<hobj_ref_t, unsigned>, std::size_t> by_use_;
  std::map<int, std::size_t> by_number_;
  std::map<std::pair<std::string, hsize_t>, std::vector<std::size_t>> phony_;
  int n_phony_ = 0;
};

class Reader {
 public:
  Reader(hid_t file, Index file_bytes)
      : file_(file),
        file_bytes_(file_bytes),
        datasets_(list_datasets(file, out_.left_out)),
        dims_(datasets_) {}

  Contents read() {
    out_.header.version = netcdf::Version::kData64;
    const Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), "group");
    out_.header.attributes = take_attributes(root, "");
    out_.parts = text_attribute(root, kPartsAttribute);
    std::vector<std::pair<const DatasetInfo*, Axes>> variables;
    for (const DatasetInfo& of : datasets_) {
      if (of.is_variable && is_small(of)) variables.emplace_back(&of, dims_.axes_of(of));
    }
    choose_records(variables);
    if (!records_) out_.header.num_records = steps_without_times(root);
    for (const auto& [of, axes] : variables) {
      const std::string why_not = of->why_not.empty() ? misfit(*of, axes) : of->why_not;
      why_not.empty() ? add(*of, axes) : leave_out(*of, why_not);
    }
    return std::move(out_);
  }

 private:
  void leave_out(const DatasetInfo& of, const std::string& why) {
    out_.left_out.push_back(fmt::format("variable '{}' is left out: {}", excerpt(name_of(of.path)), why));
  }

  bool is_small(const DatasetInfo& of) {
    const bool fits = std::all_of(of.extents.begin(), of.extents.end(),
                                  [](hsize_t extent) { return extent <= static_cast<hsize_t>(kMostIndex); });
    if (!fits) leave_out(of, "its number of values exceeds 63 bits");
    return fits;
  }

  std::vector<netcdf::Attribute> take_attributes(hid_t object, const std::string& of) {
    std::map<std::string, std::string> notes;
    auto attributes = read_attributes(object, &notes);
    for (const auto& [name, note] : notes) {
      out_.left_out.push_back(fmt::format("attribute '{}' {}{}", excerpt(name),
                                          of.empty() ? "" : "of '" + excerpt(of) + "' ", note));
    }
    return attributes;
  }

  /// Of the unlimited dimensions that are the slowest of a variable, the one that netCDF numbers first, or
  /// that is first in the file. A dimension of a variable that also has other axes is preferred.
  void choose_records(const std::vector<std::pair<const DatasetInfo*, Axes>>& variables) {
    const auto rank_of = [&](const Axes& axes) {
      const FileDimension& dim = dims_.at(axes[0]);
      return std::tuple(axes.size() == 1, dim.number.value_or(std::numeric_limits<int>::max()), axes[0]);
    };
    const Axes* best = nullptr;
    for (const auto& [of, axes] : variables) {
      if (axes.empty() || !dims_.at(axes[0]).is_unlimited) continue;
      if (!best || rank_of(axes) < rank_of(*best)) best = &axes;
    }
    if (!best) return;
    records_ = best->front();
    const FileDimension& dim = dims_.at(*records_);
    if (dim.length > most_values(file_bytes_, 1)) {
      throw Failure(fmt::format("{} records do not fit in a file of {} bytes", dim.length, file_bytes_));
    }
    number_of_[*records_] = 0;
    out_.header.dims.push_back({dim.name, 0});
    out_.header.num_records = dim.length;
  }

  /// Why the variable does not fit the classic model; empty if it does.
  [[nodiscard]] std::string misfit(const DatasetInfo& of, const Axes& axes) const {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const FileDimension& dim = dims_.at(axes[axis]);
      const auto extent = static_cast<Index>(of.extents[axis]);
      if (axes[axis] == records_) {
        if (axis > 0 && extent == 0) return "it has no values";
      } else if (dim.length == 0) {
        return fmt::format("its dimension '{}' has length 0", excerpt(dim.name));
      } else if (!dim.is_unlimited && extent != dim.length) {
        return fmt::format("it has {} values along '{}', which has length {}", extent, excerpt(dim.name),
                           dim.length);
      }
    }
    return "";
  }

  void add(const DatasetInfo& of, const Axes& axes) {
    const Handle dataset(H5Dopen2(file_, of.path.c_str(), H5P_DEFAULT), "variable");
    netcdf::Variable variable{name_of(of.path), {}, take_attributes(dataset, name_of(of.path)), *of.type, 0};
    add_meanings(dataset, variable);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const bool is_ordinary = axis > 0 && axes[axis] == records_;
      variable.dims.push_back(is_ordinary ? ordinary_records(of, axis) : number_of(axes[axis]));
    }
    if (of.is_virtual) variable.missing = kInOtherFiles;
    StoredVariable stored{of.path,
                          {of.extents.begin(), of.extents.end()},
                          chunk_of(dataset, of.extents.size()),
                          is_plain(dataset),
                          most_inflation(dataset),
                          of.is_virtual};
    if (of.text_bytes) add_characters(*of.text_bytes, variable, stored);
    out_.header.variables.push_back(std::move(variable));
    out_.variables.push_back(std::move(stored));
  }

  /// The axis of the characters of texts: one dimension for each number of bytes.
  void add_characters(Index text_bytes, netcdf::Variable& variable, StoredVariable& stored) {
    const auto [place, is_new] = characters_.emplace(text_bytes, static_cast<int>(out_.header.dims.size()));
    if (is_new) out_.header.dims.push_back({fmt::format("string{}", text_bytes), text_bytes});
    variable.dims.push_back(place->second);
    stored.extents.push_back(text_bytes);
    if (!stored.chunk.empty()) stored.chunk.push_back(text_bytes);
  }

  /// Attributes of the file come first.
  static void add_meanings(hid_t dataset, netcdf::Variable& variable) {
    const Handle type(H5Dget_type(dataset), "variable");
    for (netcdf::Attribute& made : attributes_of_enumeration(type, variable.type)) {
      const auto same = [&](const netcdf::Attribute& known) { return known.name == made.name; };
      if (std::ranges::none_of(variable.attributes, same)) variable.attributes.push_back(std::move(made));
    }
    std::ranges::sort(variable.attributes, {}, &netcdf::Attribute::name);
  }

  int number_of(std::size_t dim) {
    const auto [place, is_new] = number_of_.emplace(dim, static_cast<int>(out_.header.dims.size()));
    if (is_new) out_.header.dims.push_back({name_of(dims_.at(dim).name), dims_.at(dim).length});
    return place->second;
  }

  /// The dimension of an axis along the steps that is not the slowest: one for each number of values.
  int ordinary_records(const DatasetInfo& of, std::size_t axis) {
    const auto extent = static_cast<Index>(of.extents[axis]);
    const auto [place, is_new] = ordinary_.emplace(extent, static_cast<int>(out_.header.dims.size()));
    std::vector<netcdf::Dimension>& dims = out_.header.dims;
    if (is_new) dims.push_back({fmt::format("{}_{}", dims[0].name, ordinary_.size() + 1), extent});
    out_.left_out.push_back(
        fmt::format("variable '{}' is read as a fixed field, because the dimension of the steps, '{}', is "
                    "not its slowest axis, and becomes '{}'",
                    excerpt(name_of(of.path)), excerpt(dims[0].name),
                    dims[static_cast<std::size_t>(place->second)].name));
    return place->second;
  }

  /// For an Esker file without times.
  static Index steps_without_times(hid_t root) {
    const std::vector<int> storage = read_ints(root, kStorageAttribute);
    return storage.size() == 3 && storage[2] > 0 ? 1 : 0;
  }

  static std::vector<Index> chunk_of(hid_t dataset, std::size_t rank) {
    const Handle list(H5Dget_create_plist(dataset), "storage");
    if (H5Pget_layout(list) != H5D_CHUNKED) return {};
    std::vector<hsize_t> extents(rank);
    checked(H5Pget_chunk(list, static_cast<int>(rank), extents.data()), "chunk");
    return {extents.begin(), extents.end()};
  }

  static Index most_inflation(hid_t dataset) {
    const Handle list(H5Dget_create_plist(dataset), "storage");
    return has_filter(list, kZfpFilter) || has_filter(list, kZstdFilter) ? kMostInflationByPlugIn
                                                                         : kMostInflation;
  }

  hid_t file_;
  Index file_bytes_;
  Contents out_;
  std::vector<DatasetInfo> datasets_;
  Dimensions dims_;
  std::optional<std::size_t> records_;
  std::map<std::size_t, int> number_of_;  // in the header, by position among the dimensions of the file
  std::map<Index, int> characters_;       // the same of add_characters(), by number of bytes
  std::map<Index, int> ordinary_;         // the same of ordinary_records(), by number of values
};

}  // namespace

Index most_values(Index file_bytes, Index value_bytes) {
  constexpr Index kSmall = Index{1} << 20;
  const Index most_bytes =
      file_bytes < kMostIndex / kMostInflation ? file_bytes * kMostInflation : kMostIndex;
  return std::max(kSmall, most_bytes / value_bytes);
}

Contents read_contents(hid_t file, Index file_bytes) { return Reader(file, file_bytes).read(); }

}  // namespace esker::hdf5
