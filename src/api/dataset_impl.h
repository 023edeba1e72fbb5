// The implementation of Dataset: resolves queries.
#pragma once

#include <memory>
#include <string>

#include "esker/dataset.hpp"
#include "read/block_cache.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

class Dataset::Impl {
 public:
  Impl(std::unique_ptr<OpenedDataset> opened, const OpenOptions& how)
      : data(std::move(opened)), options(how), cache(how.cache_bytes) {}

  /// The store and path of a dataset's files.
  static std::shared_ptr<Store> store_of(const OpenOptions& options);
  /// Dataset::open for files of `store`; may throw.
  static Result<Dataset> open(const std::shared_ptr<Store>& store, const std::string& path,
                              const OpenOptions& options);
  /// Accesses the implementation of another object, for classes of this layer.
  static const Impl& of(const Dataset& dataset) { return *dataset.impl_; }

  /// Position of a field in the schema.
  [[nodiscard]] Result<int> find(const std::string& name) const;
  /// The same for a field that has samples.
  [[nodiscard]] Result<int> locate(const std::string& name) const;
  /// The level field of a query for a mesh level; otherwise the field itself.
  [[nodiscard]] Result<int> at_mesh_level(int field, const Query& query) const;

  /// A query with all defaults resolved.
  struct Resolved {
    int field = 0;  ///< see OpenedDataset::field_at
    Index step = 0;
    Box box;
    int level = 0;
    Lattice selection;
    int start_level = 0;
    int bits = 0;  ///< see ReadContext
  };
  [[nodiscard]] Result<Resolved> resolve(const Query& query) const;
  /// The field and the step only.
  [[nodiscard]] Result<Resolved> resolve_step(const Query& query) const;
  /// The same; without a step if the field was written at none.
  [[nodiscard]] Result<Resolved> resolve_samples(const Query& query) const;
  [[nodiscard]] bool is_at_some_step(int field) const;
  /// The same for a result in `out`, which is then complete: type, strides of components. Errors: its extents
  /// or its type are others, or samples would overlap.
  [[nodiscard]] Result<Resolved> resolve(const Query& query, MutablePatch& out) const;
  /// The dense memory of a result, if `out_bytes` is its size; its box has the extents of the selection.
  [[nodiscard]] Result<MutablePatch> dense(const Query& query, const Resolved& resolved, void* out,
                                           std::size_t out_bytes) const;
  /// Completes the memory of a result.
  static Status complete(const Field& field, MutablePatch& out);
  /// Whether the host can fill it sample by sample.
  static bool has_whole_samples(const Field& field, const MutablePatch& out);

  /// Reads a resolved query to complete memory of the host or of a device.
  Status read(const Resolved& resolved, const MutablePatch& out, const ReadOptions& how);

  std::unique_ptr<OpenedDataset> data;
  OpenOptions options;
  BlockCache cache;

 private:
  Status read(const Resolved& resolved, ReadTarget target, const ReadOptions& how);
  Status read_and_copy(const Resolved& resolved, const MutablePatch& out, bool to_device,
                       const ReadOptions& how);
  [[nodiscard]] int num_threads() const;
  [[nodiscard]] Status select(const Query& query, Resolved& resolved) const;
  [[nodiscard]] Status choose_bits(const Query& query, Resolved& resolved) const;
  [[nodiscard]] std::string known_fields() const;
  [[nodiscard]] Result<Index> step_of(const Query& query, bool fixed) const;
};

}  // namespace esker
