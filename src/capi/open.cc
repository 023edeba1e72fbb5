// Opens, closes and frees datasets.
#include <memory>
#include <new>

#include "capi/handle.h"

using esker::Code;
using esker::Communicator;
using esker::Options;
using esker::Reader;
using esker::Status;
using esker::Writer;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

/// Collective: a rank with wrong arguments, or without memory, takes part in the first agreement of the call
/// and so reports its error to the others. `check()` checks further arguments; `opening(path, communicator,
/// options)` is the call.
template <class Check, class Opening>
Status open_together(esker_dataset* ds, const char* operation, const char* path, const esker_comm* comm,
                     const esker_options* options, esker_dataset** out, const Check& check,
                     const Opening& opening) {
  if (comm && !comm->group) return comm->failure;  // on all ranks
  const Communicator group = comm ? *comm->group : Communicator::serial();
  Options chosen;
  Status ready = esker::guarded(operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_given(operation, {{path, "path"}, {out, "out"}}));
    if (!ds) return esker::out_of_memory(operation);
    ds->path = path;
    if (options) chosen = options->values;
    return check();
  });
  const esker::Result<Options> agreed(ready.ok() ? esker::Result<Options>(std::move(chosen))
                                                 : esker::Result<Options>(std::move(ready)));
  static const std::string kNoPath;  // a reference like ds->path: nothing may be allocated here
  return opening(ds ? ds->path : kNoPath, group, agreed);
}

using OpenWriter = esker::Result<Writer> (*)(const std::string&, const Communicator&,
                                             const esker::Result<Options>&);

Status open_writer(esker_dataset* ds, const char* operation, OpenWriter open, const char* path,
                   const esker_comm* comm, const esker_options* options, esker_dataset** out) {
  return open_together(
      ds, operation, path, comm, options, out, [] { return Status(); },
      [&](const std::string& agreed, const Communicator& group,
          const esker::Result<Options>& chosen) -> Status {
        ESKER_ASSIGN_OR_RETURN(auto writer, open(agreed, group, chosen));
        ds->writer = std::move(writer);
        return {};
      });
}

Status check_open_flags(unsigned flags) {
  if ((flags & ~static_cast<unsigned>(ESKER_OPEN_VERIFY)) == 0) return {};
  return esker::error(Code::kInvalidArgument, "open: flags {:#x}, expected 0 or ESKER_OPEN_VERIFY", flags);
}

esker::OpenOptions open_options_of(unsigned flags) { return {(flags & ESKER_OPEN_VERIFY) != 0}; }

/// Makes the handle and returns it even if `opening` fails, which receives the handle, or nullptr.
template <class Work>
esker_status open_dataset(const char* operation, esker_dataset** out, const Work& opening) noexcept {
  std::unique_ptr<esker_dataset> ds(new (std::nothrow) esker_dataset());
  if (out) *out = nullptr;
  Status opened = esker::guarded(operation, [&] { return opening(ds.get()); });
  const esker_status code = code_of(opened);
  if (!ds || !out) return code;
  if (!opened.ok()) {
    ds->failure = esker::guarded(operation, [&] { return opened; });
    ds->opening = std::move(opened);
  }
  *out = ds.release();
  return code;
}

}  // namespace

extern "C" {

esker_status esker_create(const char* path, const esker_comm* comm, const esker_options* options,
                          esker_dataset** out) {
  return open_dataset("create", out, [&](esker_dataset* ds) {
    return open_writer(ds, "create", Writer::create, path, comm, options, out);
  });
}

esker_status esker_append(const char* path, const esker_comm* comm, const esker_options* options,
                          esker_dataset** out) {
  return open_dataset("append", out, [&](esker_dataset* ds) {
    return open_writer(ds, "append", Writer::append, path, comm, options, out);
  });
}

esker_status esker_open(const char* path, unsigned flags, esker_dataset** out) {
  return open_dataset("open", out, [&](esker_dataset* ds) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("open", {{path, "path"}, {out, "out"}}));
    if (!ds) return esker::out_of_memory("open");
    ESKER_RETURN_IF_ERROR(check_open_flags(flags));
    ds->path = path;
    ESKER_ASSIGN_OR_RETURN(auto dataset, esker::Dataset::open(path, open_options_of(flags)));
    ds->alone = std::move(dataset);
    return {};
  });
}

esker_status esker_open_parallel(const char* path, const esker_comm* comm, const esker_options* options,
                                 unsigned flags, esker_dataset** out) {
  return open_dataset("open", out, [&](esker_dataset* ds) {
    return open_together(
        ds, "open", path, comm, options, out, [&] { return check_open_flags(flags); },
        [&](const std::string& agreed, const Communicator& group,
            const esker::Result<Options>& chosen) -> Status {
          ESKER_ASSIGN_OR_RETURN(auto reader, Reader::open(agreed, group, chosen, open_options_of(flags)));
          ds->together = std::move(reader);
          return {};
        });
  });
}

esker_status esker_close(esker_dataset* ds) {
  return call(ds, "close", [&]() -> Status {
    if (!ds->opening.ok()) return ds->opening;
    ds->alone.reset();
    ds->together.reset();
    return ds->writer ? ds->writer->close() : Status();
  });
}

void esker_count_from(esker_dataset* ds, int first) {
  if (ds) ds->first_number = first == 1 ? 1 : 0;
}

void esker_free(esker_dataset* ds) { delete ds; }

const char* esker_message(const esker_dataset* ds) {
  return ds ? ds->failure.message().c_str() : "the dataset is NULL";
}

}  // extern "C"
