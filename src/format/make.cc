#include "format/make.h"

#include "base/error.h"
#include "format/idx/idx_writer.h"

namespace esker {

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  if (options.format != "idx") {
    return error(Code::kUnsupported, "format '{}': this version writes idx", options.format);
  }
  return std::unique_ptr<FormatWriter>(std::make_unique<idx::IdxWriter>(std::move(store), path, options));
}

}  // namespace esker
