#include "format/make.h"

#include "base/error.h"
#include "format/cdf/cdf_writer.h"
#include "format/idx/idx_writer.h"

namespace esker {

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  if (options.format == "idx") {
    return std::unique_ptr<FormatWriter>(std::make_unique<idx::IdxWriter>(std::move(store), path, options));
  }
  if (options.format == "cdf" || options.format == "cdf1" || options.format == "cdf2" ||
      options.format == "cdf5") {
    return std::unique_ptr<FormatWriter>(std::make_unique<cdf::CdfWriter>(std::move(store), path, options));
  }
  return error(Code::kUnsupported, "format '{}': this version writes idx, cdf, cdf1, cdf2 and cdf5",
               options.format);
}

}  // namespace esker
