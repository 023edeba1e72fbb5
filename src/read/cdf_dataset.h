// CdfDataset: a CDF file opened for reading, of Esker or of any other program.
#pragma once

#include <memory>
#include <string>

#include "format/cdf/existing.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker::cdf {

class CdfDataset final : public OpenedDataset {
 public:
  /// Errors: kNotFound, kDataLoss (damaged, or shorter than a file of Esker is), kIoError.
  static Result<CdfDataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  [[nodiscard]] bool has_samples(int field) const override;
  [[nodiscard]] bool has(int field, Index step) const override;
  [[nodiscard]] Box box(int field) const override;
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override;
  Status read(int field, Index step, const Box& box, int level, std::byte* out, bool verify) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  void verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  [[nodiscard]] const Field& field_at(int field) const {
    return schema.fields()[static_cast<std::size_t>(field)];
  }
  Status list_parts();

  std::shared_ptr<Store> store_;
  std::string path_;
  std::unique_ptr<File> file_;
  CdfFile cdf_;
  bool is_ours_ = false;
};

}  // namespace esker::cdf
