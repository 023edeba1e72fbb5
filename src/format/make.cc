#include "format/make.h"

#include "base/error.h"
#include "base/macros.h"
#include "format/cdf/cdf_writer.h"
#include "format/dual_writer.h"
#ifdef ESKER_HAVE_HDF5
#include "format/hdf5/hdf5_writer.h"
#endif
#include "format/idx/idx_writer.h"

namespace esker {
namespace {

constexpr std::string_view kAndIdx = "+idx";

/// The path without the suffix of a file, if it has it.
std::string without(const std::string& path, std::string_view suffix) {
  return path.ends_with(suffix) ? path.substr(0, path.size() - suffix.size()) : path;
}

class Maker {
 public:
  Maker(std::shared_ptr<Store> store, std::string stem, const Options& options)
      : store_(std::move(store)),
        stem_(std::move(stem)),
        options_(options),
        lock_(std::make_shared<WriterLock>(store_, stem_ + ".esker-lock")) {}

  Result<std::unique_ptr<FormatWriter>> make(const std::string& format) const {
    if (format.ends_with(kAndIdx)) {
      ESKER_ASSIGN_OR_RETURN(auto netcdf, make(without(format, kAndIdx)));
      return std::unique_ptr<FormatWriter>(std::make_unique<DualWriter>(std::move(netcdf), make_idx()));
    }
    if (format == "idx") return make_idx();
    if (format == "cdf") return make_cdf(std::nullopt);
    if (format == "cdf1") return make_cdf(cdf::Version::kClassic);
    if (format == "cdf2") return make_cdf(cdf::Version::kOffset64);
    if (format == "cdf5") return make_cdf(cdf::Version::kData64);
    if (format == "netcdf4" || format == "hdf5") return make_netcdf4();
    return error(Code::kUnsupported, "format '{}' is not written", format);
  }

 private:
  [[nodiscard]] std::unique_ptr<FormatWriter> make_idx() const {
    return std::make_unique<idx::IdxWriter>(store_, stem_, options_, lock_);
  }
  [[nodiscard]] std::unique_ptr<FormatWriter> make_cdf(std::optional<cdf::Version> version) const {
    return std::make_unique<cdf::CdfWriter>(store_, stem_, version, options_, lock_);
  }

  [[nodiscard]] Result<std::unique_ptr<FormatWriter>> make_netcdf4() const {
#ifdef ESKER_HAVE_HDF5
    return std::unique_ptr<FormatWriter>(std::make_unique<hdf5::Hdf5Writer>(store_, stem_, options_, lock_));
#else
    return error(Code::kUnsupported,
                 "format '{}': this Esker was built without the HDF5 library (Debian: libhdf5-dev)",
                 options_.format);
#endif
  }

  std::shared_ptr<Store> store_;
  std::string stem_;
  const Options& options_;
  std::shared_ptr<WriterLock> lock_;
};

}  // namespace

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  std::string stem = path;
  while (stem.size() > 1 && stem.ends_with('/')) stem.pop_back();
  if (options.format.ends_with("idx")) stem = without(stem, ".idx");
  if (options.format != "idx") stem = without(stem, ".nc");
  return Maker(std::move(store), std::move(stem), options).make(options.format);
}

}  // namespace esker
