// Steps: what ranks put, and the collective calls that commit or remove it.
#include "capi/handle.h"
#include "capi/translate.h"

using esker::Code;
using esker::Index;
using esker::Patch;
using esker::Result;
using esker::Status;
using esker::Writer;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

/// The patch of a field, without strides.
Result<Patch> to_patch(const Writer& writer, const esker::Field& field, esker_type type, const int64_t* lo,
                       const int64_t* extent, const void* data) {
  const esker::Schema& schema = writer.schema();
  const int rank = schema.rank_of(schema.grid_of(field));
  Patch patch;
  patch.data = data;
  ESKER_ASSIGN_OR_RETURN(patch.type, to_type(type));
  ESKER_ASSIGN_OR_RETURN(patch.box, to_box(rank, lo, extent));
  return patch;
}

/// Dense, x fastest, components together. If the products overflow, the box does not fit its grid, and put()
/// reports that.
void make_dense(Patch& patch, int components) {
  std::uint64_t stride =
      static_cast<std::uint64_t>(esker::size_bytes(patch.type)) * static_cast<std::uint64_t>(components);
  for (int a = 0; a < patch.box.rank; ++a) {
    patch.stride_bytes[a] = static_cast<Index>(stride);
    stride *= static_cast<std::uint64_t>(patch.box.hi[a]) - static_cast<std::uint64_t>(patch.box.lo[a]);
  }
}

/// Strides as C gives them: NULL for dense.
struct Strides {
  const int64_t* bytes = nullptr;
  int64_t component_bytes = 0;
};

template <class... Level>
using Put = Status (Writer::*)(esker::FieldId, Level..., const Patch&);

/// Passes the patch to `put`, with the level that fields of meshes need.
template <class... Level>
Status put_patch(Writer& writer, Put<Level...> put, const char* operation, int number, Level... level,
                 esker_type type, const int64_t* lo, const int64_t* extent, const void* data,
                 const Strides& strides) {
  const auto field = element(writer.schema().fields(), number, "field");
  if (!field.ok()) return field.status().with_context(operation);
  auto patch = to_patch(writer, **field, type, lo, extent, data);
  if (!patch.ok()) return patch.status().with_context(operation + (" '" + (*field)->name + "'"));
  if (strides.bytes) {
    std::copy_n(strides.bytes, patch->box.rank, patch->stride_bytes.begin());
    patch->component_stride_bytes = strides.component_bytes;
  } else {
    make_dense(*patch, (*field)->components);
  }
  return (writer.*put)({number}, level..., *patch);
}

/// Keeps a report until the next one, and gives it to the caller.
Status keep_report(esker_dataset& ds, const char** text, Result<std::string> made) {
  ESKER_ASSIGN_OR_RETURN(ds.report, std::move(made));
  give(text, ds.report.c_str());
  return {};
}

}  // namespace

extern "C" {

esker_status esker_begin_step(esker_dataset* ds, double time) {
  return recorded_call(ds, "begin_step", {}, [&](Writer& writer) { return writer.begin_step(time); });
}

esker_status esker_put(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                       const int64_t* extent, const void* data) {
  return recorded_call(ds, "put", {{lo, "lo"}, {extent, "extent"}}, [&](Writer& writer) {
    return put_patch<>(writer, &Writer::put, "put", field, type, lo, extent, data, {});
  });
}

esker_status esker_put_strided(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                               const int64_t* extent, const void* data, const int64_t* stride_bytes,
                               int64_t component_stride_bytes) {
  return recorded_call(ds, "put", {{lo, "lo"}, {extent, "extent"}, {stride_bytes, "stride_bytes"}},
                       [&](Writer& writer) {
                         return put_patch<>(writer, &Writer::put, "put", field, type, lo, extent, data,
                                            {stride_bytes, component_stride_bytes});
                       });
}

esker_status esker_put_buffered(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                                const int64_t* extent, const void* data, const int64_t* stride_bytes,
                                int64_t component_stride_bytes) {
  return recorded_call(ds, "put_buffered", {{lo, "lo"}, {extent, "extent"}}, [&](Writer& writer) {
    return put_patch<>(writer, &Writer::put_buffered, "put_buffered", field, type, lo, extent, data,
                       {stride_bytes, component_stride_bytes});
  });
}

esker_status esker_put_level(esker_dataset* ds, int field, int level, esker_type type, const int64_t* lo,
                             const int64_t* extent, const void* data, const int64_t* stride_bytes,
                             int64_t component_stride_bytes) {
  return recorded_call(ds, "put", {{lo, "lo"}, {extent, "extent"}}, [&](Writer& writer) {
    return put_patch<int>(writer, &Writer::put, "put", field, level, type, lo, extent, data,
                          {stride_bytes, component_stride_bytes});
  });
}

esker_status esker_put_buffered_level(esker_dataset* ds, int field, int level, esker_type type,
                                      const int64_t* lo, const int64_t* extent, const void* data,
                                      const int64_t* stride_bytes, int64_t component_stride_bytes) {
  return recorded_call(ds, "put_buffered", {{lo, "lo"}, {extent, "extent"}}, [&](Writer& writer) {
    return put_patch<int>(writer, &Writer::put_buffered, "put_buffered", field, level, type, lo, extent, data,
                          {stride_bytes, component_stride_bytes});
  });
}

esker_status esker_set_stream(esker_dataset* ds, void* stream) {
  return call(ds, "set_stream", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, "set_stream"));
    if (ds->writer) ds->writer->set_stream(stream);
    if (ds->together) ds->together->set_stream(stream);
    ds->stream = stream;
    return {};
  });
}

esker_status esker_end_step(esker_dataset* ds) {
  return writer_call(ds, "end_step", [](Writer& writer) { return writer.end_step(); });
}

esker_status esker_end_step_async(esker_dataset* ds) {
  return writer_call(ds, "end_step_async", [](Writer& writer) { return writer.end_step_async(); });
}

esker_status esker_flush(esker_dataset* ds) {
  return writer_call(ds, "flush", [](Writer& writer) { return writer.flush(); });
}

esker_status esker_rewind(esker_dataset* ds, double time) {
  return writer_call(ds, "rewind", [&](Writer& writer) { return writer.rewind(time); });
}

esker_status esker_abandon(esker_dataset* ds, esker_status status, const char* message) {
  return writer_call(ds, "abandon", [&](Writer& writer) {
    const bool is_error = status > ESKER_OK && status <= ESKER_CANCELLED;
    const auto code = is_error ? static_cast<Code>(status) : Code::kInternal;
    return writer.abandon(status == ESKER_OK ? Status() : Status(code, message ? message : "abandoned"));
  });
}

// Not a recorded_call: the error that is recorded is not one of this call.
esker_status esker_fail(esker_dataset* ds, esker_status status, const char* message) {
  return call(ds, "fail", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, "fail"));
    ESKER_RETURN_IF_ERROR(check_given("fail", {{message, "message"}}));
    if (status <= ESKER_OK || status > ESKER_CANCELLED) {
      return esker::error(Code::kInvalidArgument, "fail: status {} is not an error", status);
    }
    const Status reason(static_cast<Code>(status), message);
    if (ds->writer) return ds->writer->fail(reason), Status();
    if (ds->together) return ds->together->fail(reason), Status();
    return esker::error(
        Code::kWrongOrder,
        "fail: the dataset is open for reading only, by this rank; expected one that several ranks opened");
  });
}

esker_status esker_inq_last_step(esker_dataset* ds, esker_step_report* report) {
  return writer_call(ds, "inq_last_step", [&](Writer& writer) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("inq_last_step", {{report, "report"}}));
    const esker::StepReport& last = writer.last_step();
    *report = {last.step,    last.time,    last.data_bytes, last.stored_bytes,
               last.seconds, last.writers, last.files};
    return {};
  });
}

esker_status esker_report_text(esker_dataset* ds, const char** text) {
  return writer_call(ds, "report",
                     [&](const Writer& writer) { return keep_report(*ds, text, writer.report_text()); });
}

esker_status esker_report_json(esker_dataset* ds, const char** text) {
  if (ds && ds->together) {
    return parallel_call(ds, "report", [&](const esker::Reader& reader) {
      return keep_report(*ds, text, reader.tuning_json());
    });
  }
  return writer_call(ds, "report",
                     [&](const Writer& writer) { return keep_report(*ds, text, writer.report_json()); });
}

}  // extern "C"
