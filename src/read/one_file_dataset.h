// OneFileDataset: what datasets have in common that are one file of netCDF's data model (CDF, HDF5).
#pragma once

#include <memory>
#include <string>

#include "read/findings.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

class OneFileDataset : public OpenedDataset {
 public:
  [[nodiscard]] bool has_samples(int field) const override;
  [[nodiscard]] bool has(int field, Index step) const override;
  [[nodiscard]] Box box(int field) const override;
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override;

 protected:
  OneFileDataset(std::shared_ptr<Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}

  [[nodiscard]] const Field& field_at(int field) const {
    return schema.fields()[static_cast<std::size_t>(field)];
  }
  /// Fills `infos`: a part for each grid's fields that vary in time, and one for its fixed ones.
  Status list_parts();
  /// A warning if a writer of Esker has the file.
  void look_for_writer(Findings& findings) const;

  std::shared_ptr<Store> store_;
  std::string path_;
  bool is_ours_ = false;  ///< written by Esker: fixed fields come with the first step
};

}  // namespace esker
