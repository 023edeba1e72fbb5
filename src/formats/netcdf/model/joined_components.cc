#include "formats/netcdf/model/joined_components.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/macros.h"

namespace esker {
namespace {

/// The fields of the file that make up one field: its components, or itself.
using Components = std::vector<int>;

std::optional<Index> integer_of(const Attributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return std::nullopt;
  const auto numbers = to_type(numbers_of(found->second), SampleType::kInt64);
  if (!numbers.ok()) return std::nullopt;
  const auto& list = std::get<std::vector<Index>>(*numbers);
  return list.size() == 1 ? std::optional(list[0]) : std::nullopt;
}

/// The name of the field that this one is a component of; empty if it is not a component.
std::string whole_of(const Field& field) {
  const auto found = field.attributes.find(kComponentOf);
  const std::string* name = found == field.attributes.end() ? nullptr : text_of(found->second);
  return name && field.components == 1 ? *name : std::string();
}

bool are_alike(const Field& a, const Field& b) {
  return a.grid == b.grid && a.type == b.type && a.fixed == b.fixed && a.every == b.every;
}

/// The fields that are marked as components of `whole`, in their order; empty if one is missing, duplicated,
/// or of another kind.
Components ordered(const Schema& schema, const std::string& whole, const Components& members) {
  const auto field_at = [&](int field) -> const Field& {
    return schema.fields()[static_cast<std::size_t>(field)];
  };
  const auto count = static_cast<Index>(members.size());
  if (count < 2 || schema.find_field(whole)) return {};
  Components found(members.size(), -1);
  for (const int member : members) {
    const Field& field = field_at(member);
    const auto place = integer_of(field.attributes, kComponent);
    const bool fits = are_alike(field, field_at(members.front())) &&
                      integer_of(field.attributes, kComponents) == count && place && *place >= 0 &&
                      *place < count && found[static_cast<std::size_t>(*place)] < 0;
    if (!fits) return {};
    found[static_cast<std::size_t>(*place)] = member;
  }
  return found;
}

/// Each field of the file once, in the order of the first component of each.
std::vector<Components> all_components(const Schema& schema) {
  std::map<std::string, Components> members;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const std::string whole = whole_of(schema.fields()[f]);
    if (!whole.empty()) members[whole].push_back(static_cast<int>(f));
  }
  std::map<int, Components> joined;  // by the component that is first in the file
  std::vector<bool> is_joined(schema.fields().size());
  for (const auto& [whole, fields] : members) {
    Components components = ordered(schema, whole, fields);
    for (const int field : components) is_joined[static_cast<std::size_t>(field)] = true;
    if (!components.empty()) joined[fields.front()] = std::move(components);
  }
  std::vector<Components> all;
  for (std::size_t f = 0; f < is_joined.size(); ++f) {
    const auto first = joined.find(static_cast<int>(f));
    if (first != joined.end()) all.push_back(first->second);
    if (!is_joined[f]) all.push_back({static_cast<int>(f)});
  }
  return all;
}

Status copy_grids(const Schema& from, Schema& to) {
  for (const Dimension& dim : from.dims()) {
    ESKER_ASSIGN_OR_RETURN(const DimId id, dim.implicit ? to.add_implicit_dim(dim.name)
                                                        : to.add_dim(dim.name, dim.size));
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, to.attributes_of(id));
    *attributes = dim.attributes;
  }
  for (const Grid& grid : from.grids()) {
    std::vector<DimId> dims;
    for (const int dim : grid.dims) dims.push_back({dim});
    ESKER_ASSIGN_OR_RETURN(const GridId id, to.add_grid(grid.name, dims));
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, to.attributes_of(id));
    *attributes = grid.attributes;
    for (const auto& [dim, values] : grid.coords) {
      const auto typed = grid.typed_coords.find(dim);
      ESKER_RETURN_IF_ERROR(
          to.set_coords(id, dim, typed == grid.typed_coords.end() ? Numbers(values) : typed->second));
    }
  }
  return {};
}

Result<Schema> joined_schema(const Schema& from, const std::vector<Components>& all) {
  Schema schema;
  ESKER_RETURN_IF_ERROR(schema.set_time(from.time_name(), from.time_type()));
  ESKER_RETURN_IF_ERROR(copy_grids(from, schema));
  schema.attributes() = from.attributes();
  schema.time_attributes() = from.time_attributes();
  for (const Scalar& scalar : from.scalars()) ESKER_RETURN_IF_ERROR(schema.add_scalar(scalar).status());
  for (const Components& components : all) {
    Field field = from.fields()[static_cast<std::size_t>(components.front())];
    if (components.size() > 1) {
      field.name = whole_of(field);
      field.components = static_cast<int>(components.size());
      for (const char* name : {kComponentOf, kComponent, kComponents}) field.attributes.erase(name);
    }
    ESKER_RETURN_IF_ERROR(schema.add_field(std::move(field)).status());
  }
  return schema;
}

class JoinedDataset : public OpenedDataset {
 public:
  JoinedDataset(std::unique_ptr<OpenedDataset> file, Schema joined, std::vector<Components> all)
      : file_(std::move(file)), all_(std::move(all)) {
    schema = std::move(joined);
    times = file_->times;
    infos = file_->infos;
    warnings = file_->warnings;
    for (PartInfo& info : infos) rename(info.fields);
  }

  [[nodiscard]] bool has_samples(int field) const override {
    return every(field, [&](int component) { return file_->has_samples(component); });
  }
  [[nodiscard]] bool has(int field, Index step) const override {
    return every(field, [&](int component) { return file_->has(component, step); });
  }
  [[nodiscard]] Box box(int field) const override { return file_->box(components(field).front()); }
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override {
    return file_->bitmask(components(field).front());
  }

  Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const override {
    const Index size = esker::size_bytes(schema.fields()[static_cast<std::size_t>(field)].type);
    ReadTarget of_component = target;
    for (const int component : components(field)) {
      ESKER_RETURN_IF_ERROR(file_->read(component, step, of_component, context));
      of_component.out += size;
    }
    return {};
  }

  [[nodiscard]] ReadUnit read_unit(int field, int level) const override {
    return file_->read_unit(components(field).front(), level);
  }
  [[nodiscard]] Result<StorageInfo> storage() const override { return file_->storage(); }
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override {
    return file_->verify(report, progress);
  }

 private:
  [[nodiscard]] const Components& components(int field) const {
    return all_[static_cast<std::size_t>(field)];
  }
  template <class Holds>
  [[nodiscard]] bool every(int field, const Holds& holds) const {
    return std::all_of(components(field).begin(), components(field).end(), holds);
  }

  /// Names of components by those of their fields.
  void rename(std::vector<std::string>& names) const {
    std::vector<std::string> renamed;
    for (const std::string& name : names) {
      const Field* field = file_->schema.find_field(name);
      const bool is_joined = field && !schema.find_field(name);
      const std::string& shown = is_joined ? *text_of(field->attributes.at(kComponentOf)) : name;
      if (std::find(renamed.begin(), renamed.end(), shown) == renamed.end()) renamed.push_back(shown);
    }
    names = std::move(renamed);
  }

  std::unique_ptr<OpenedDataset> file_;
  std::vector<Components> all_;
};

}  // namespace

Result<std::unique_ptr<OpenedDataset>> join_components(std::unique_ptr<OpenedDataset> dataset) {
  std::vector<Components> all = all_components(dataset->schema);
  if (all.size() == dataset->schema.fields().size()) return dataset;
  ESKER_ASSIGN_OR_RETURN(Schema schema, joined_schema(dataset->schema, all));
  return std::unique_ptr<OpenedDataset>(
      std::make_unique<JoinedDataset>(std::move(dataset), std::move(schema), std::move(all)));
}

}  // namespace esker
