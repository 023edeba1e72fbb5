// Verification of a dataset.
#include <functional>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

extern "C" {

esker_status esker_verify(esker_dataset* ds, esker_progress progress, void* context,
                          esker_verify_report* report) {
  return read_call(ds, "verify", {{report, "report"}}, [&](const esker::Dataset&) -> Status {
    std::function<void(double)> forward;
    if (progress) forward = [=](double done) { progress(done, context); };
    ESKER_ASSIGN_OR_RETURN(auto found, esker::verify(ds->path, forward));
    *report = {static_cast<int64_t>(found.findings.size()),
               found.num_errors,
               found.num_warnings,
               found.steps,
               found.files,
               found.blocks,
               found.bytes,
               found.blocks_with_checksum,
               found.blocks_left_out};
    ds->findings = std::move(found.findings);
    return {};
  });
}

esker_status esker_inq_finding(esker_dataset* ds, int64_t number, int* is_error, const char** path,
                               const char** text) {
  return read_call(ds, "inq_finding", {}, [&](const esker::Dataset&) -> Status {
    ESKER_ASSIGN_OR_RETURN(const esker::Finding* finding, element(ds->findings, number, "finding"));
    give(is_error, finding->is_error);
    give(path, finding->path.c_str());
    give(text, finding->text.c_str());
    return {};
  });
}

}  // extern "C"
