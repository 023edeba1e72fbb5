#include "formats/registry/verify.h"

#include "base/error.h"
#include "base/macros.h"
#include "formats/registry/open_dataset.h"
#include "read/findings.h"

namespace esker {

Result<VerifyReport> verify_dataset(const std::shared_ptr<Store>& store, const std::string& path,
                                    const std::function<void(double)>& progress,
                                    const ReadOriginal* original) {
  ESKER_ASSIGN_OR_RETURN(const auto dataset, open_dataset(store, path));
  VerifyReport report;
  report.steps = static_cast<Index>(dataset->times.size());
  for (const std::string& warning : dataset->warnings) Findings(report).warning(path, warning);
  ESKER_RETURN_IF_ERROR(original ? dataset->verify_against(*original, report, progress)
                                 : dataset->verify(report, progress));
  if (original && report.good() && report.blocks > 0 && report.blocks_compared == 0) {
    return error(Code::kInvalidArgument, "{}: the original has no field and step of the dataset", path);
  }
  if (progress) progress(1.0);
  return report;
}

}  // namespace esker
