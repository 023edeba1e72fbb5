#include "esker/reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/dataset_impl.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "comm/roll_call.h"
#include "exchange/shared_options.h"
#include "format/json_writer.h"
#include "read/parallel/parallel_reader.h"
#include "store/store_answers.h"
#include "tune/tuning_json.h"

namespace esker {

std::string ReadReport::to_string() const {
  const double rate = seconds > 0 ? static_cast<double>(data_bytes) / seconds : 0;
  std::string text =
      fmt::format("{:.1f} MB in {:.2f} s, {:.2f} GB/s, by {} {}", static_cast<double>(data_bytes) / 1e6,
                  seconds, rate / 1e9, readers, readers == 1 ? "reader" : "readers");
  if (readers > 1) {
    text += fmt::format(" ({:.1f} to {:.1f} MB each)", static_cast<double>(least_loaded_bytes) / 1e6,
                        static_cast<double>(most_loaded_bytes) / 1e6);
  }
  return text;
}

class Reader::Impl {
 public:
  Impl(std::shared_ptr<Comm> comm, Dataset opened, const Options& options)
      : dataset(std::move(opened)),
        inner(Dataset::Impl::of(dataset)),
        together(std::move(comm), *inner.data, options, inner.options.verify) {}

  Status request(const Query& query, void* out, std::size_t out_bytes, MissingBlocks missing) {
    ESKER_ASSIGN_OR_RETURN(const auto resolved, inner.resolve(query));
    ESKER_ASSIGN_OR_RETURN(MutablePatch target, inner.dense(query, resolved, out, out_bytes));
    ESKER_RETURN_IF_ERROR(Dataset::Impl::complete(field_at(resolved.field), target));
    return add(query, resolved, target, missing);
  }

  Status request(const Query& query, MutablePatch target, MissingBlocks missing) {
    ESKER_ASSIGN_OR_RETURN(const auto resolved, inner.resolve(query, target));
    return add(query, resolved, target, missing);
  }

  Status request(const std::string& name, Index step, MutablePatch target, std::optional<int> bits,
                 MissingBlocks missing, std::optional<int> mesh_level) {
    if (target.box.empty()) return {};
    ESKER_ASSIGN_OR_RETURN(const auto resolved,
                           inner.resolve({name, step, target.box, {}, {}, bits, 0, mesh_level}));
    const Field& field = field_at(resolved.field);
    const Box grid = inner.data->box(resolved.field);
    if (!grid.contains(target.box)) {
      return error(Code::kOutOfRange, "field '{}': the box {} exceeds the grid {}", name,
                   target.box.to_string(), grid.to_string());
    }
    ESKER_RETURN_IF_ERROR(Dataset::Impl::complete(field, target));
    for (int a = 0; a < grid.rank; ++a) target.box.lo[a] -= grid.lo[a], target.box.hi[a] -= grid.lo[a];
    return add(column_of(resolved, missing), target);
  }

  /// Keeps the first error of a local call for the next collective one.
  Status remember(Status status) {
    if (local.ok()) local = status;
    return status;
  }

  Status read() {
    const std::vector<ReadRequest> mine = std::exchange(requests, {});
    const std::vector<StridedRequest> mine_strided = std::exchange(strided, {});
    return together.read(std::exchange(local, {}), mine, mine_strided).with_context("read");
  }

  Dataset dataset;
  const Dataset::Impl& inner;
  ParallelReader together;
  Status local;
  void* stream = nullptr;  // that uses memory of a GPU

 private:
  [[nodiscard]] const Field& field_at(int field) const { return inner.data->field_at(field); }

  static ReadColumn column_of(const Dataset::Impl::Resolved& resolved, MissingBlocks missing) {
    return {resolved.field, resolved.step, resolved.level, resolved.bits, static_cast<Index>(missing)};
  }

  /// Samples of a level, or of a stride, in memory that has their extents.
  Status add(const Query& query, const Dataset::Impl::Resolved& resolved, MutablePatch target,
             MissingBlocks missing) {
    if (query.stride) return add_strided(resolved, target, missing);
    ESKER_ASSIGN_OR_RETURN(const Lattice whole, level_lattice(*inner.data, resolved.field, resolved.level));
    target.box = whole.indices_in(resolved.selection.bounds());
    return add(column_of(resolved, missing), target);
  }

  Status add(const ReadColumn& column, const MutablePatch& target) {
    if (target.box.empty()) return {};
    requests.push_back({column, target});
    return find_memory(field_at(static_cast<int>(column.field)), requests.back().target);
  }

  Status add_strided(const Dataset::Impl::Resolved& resolved, MutablePatch& target, MissingBlocks missing) {
    if (target.box.empty()) return {};
    target.box = resolved.selection.all_indices();
    strided.push_back({column_of(resolved, missing), resolved.selection, target});
    return find_memory(field_at(resolved.field), strided.back().target);
  }

  Status find_memory(const Field& field, MutablePatch& target) {
    return together.find_memory_of(target, stream).with_context("field '" + field.name + "'");
  }

  std::vector<ReadRequest> requests;
  std::vector<StridedRequest> strided;
};

namespace {

/// Calls `open` with a store on all ranks. Only rank 0 accesses the storage; the other ranks receive its
/// answers.
template <class Open>
Status open_by_answers_of_root(Comm& comm, const OpenOptions& options, const Open& open) {
  std::shared_ptr<StoreAnswers> answers;
  const auto open_with = [&](std::shared_ptr<StoreAnswers> known) {
    answers = std::move(known);
    return open(remembering_store(Dataset::Impl::store_of(options), answers));
  };
  std::string packed;
  const auto open_and_share = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(open_with(std::make_shared<StoreAnswers>()));
    packed = answers->pack();
    return {};
  };
  const auto open_shared = [&]() -> Status {
    if (comm.rank() != 0) ESKER_RETURN_IF_ERROR(open_with(std::make_shared<StoreAnswers>(packed)));
    answers->forget();
    return {};
  };
  ESKER_RETURN_IF_ERROR(share_of_root(comm, "open", packed, open_and_share));
  return all_do(comm, "open", open_shared);
}

}  // namespace

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path, const Communicator& comm, const Result<Options>& options,
                            const OpenOptions& open_options) {
  Comm& ranks = *comm.get();
  const CallWatch::Call call(ranks, "open");
  ESKER_ASSIGN_OR_RETURN(const Options shared, open_together(ranks, "open", path, options, Status()));
  std::unique_ptr<Impl> impl;
  std::shared_ptr<RollCall> roll_call;
  const auto open = [&](const std::shared_ptr<Store>& store) -> Status {
    ESKER_ASSIGN_OR_RETURN(Dataset dataset, Dataset::Impl::open(store, path, open_options));
    impl = std::make_unique<Impl>(comm.get(), std::move(dataset), shared);
    if (shared.call_timeout > 0) {
      roll_call = std::make_shared<RollCall>(ranks.size(), shared.call_timeout);
    }
    return {};
  };
  ESKER_RETURN_IF_ERROR(open_by_answers_of_root(ranks, open_options, open));
  if (roll_call) ranks.set_roll_call(std::move(roll_call));  // on all ranks, or on none
  ESKER_RETURN_IF_ERROR(impl->together.tune());
  return Reader(std::move(impl));
}

const Dataset& Reader::dataset() const { return impl_->dataset; }

Status Reader::request(const Query& query, void* out, std::size_t out_bytes, MissingBlocks missing) {
  return impl_->remember(guarded("request", [&] { return impl_->request(query, out, out_bytes, missing); }));
}

Status Reader::request(const std::string& field, Index step, const MutablePatch& target,
                       std::optional<int> bits, MissingBlocks missing, std::optional<int> mesh_level) {
  return impl_->remember(
      guarded("request", [&] { return impl_->request(field, step, target, bits, missing, mesh_level); }));
}

Status Reader::request(const Query& query, const MutablePatch& target, MissingBlocks missing) {
  return impl_->remember(guarded("request", [&] { return impl_->request(query, target, missing); }));
}

void Reader::set_stream(void* stream) { impl_->stream = stream; }

void Reader::fail(const Status& reason) { (void)impl_->remember(reason); }

Status Reader::read() { return impl_->read(); }

const ReadReport& Reader::last_read() const { return impl_->together.last(); }

Result<std::string> Reader::tuning_json() const {
  ESKER_ASSIGN_OR_RETURN(const auto record, impl_->together.tuning());
  JsonWriter json;
  json.object([&] {
    if (record) write_tuning(json.key("tuning"), *record);
  });
  return json.take();
}

}  // namespace esker
