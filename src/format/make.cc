#include "format/make.h"

#include <algorithm>
#include <array>

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
constexpr std::array<std::string_view, 4> kHdf5Suffixes{".nc", ".nc4", ".h5", ".hdf5"};

/// `text` without an end that it may have.
std::string without(const std::string& text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

bool is_hdf5(std::string_view format) { return format.starts_with("netcdf4") || format.starts_with("hdf5"); }

/// What all files of a dataset are named after, and the ending of the one that is NetCDF.
struct Names {
  std::string stem, suffix = ".nc";
};

Names names_of(const std::string& path, const std::string& format) {
  Names names{path};
  while (names.stem.size() > 1 && names.stem.ends_with('/')) names.stem.pop_back();
  if (format.ends_with("idx")) names.stem = without(names.stem, ".idx");
  if (format == "idx") return names;
  if (is_hdf5(format)) {
    const auto asked = std::ranges::find_if(kHdf5Suffixes, [&](auto end) { return path.ends_with(end); });
    if (asked != kHdf5Suffixes.end()) names.suffix = *asked;
  }
  names.stem = without(names.stem, names.suffix);
  return names;
}

class Maker {
 public:
  Maker(std::shared_ptr<Store> store, Names names, const Options& options)
      : store_(std::move(store)),
        names_(std::move(names)),
        options_(options),
        lock_(std::make_shared<WriterLock>(store_, names_.stem + ".esker-lock")) {}

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
    if (is_hdf5(format)) return make_hdf5();
    return error(Code::kUnsupported, "format '{}' is not written", format);
  }

 private:
  [[nodiscard]] std::unique_ptr<FormatWriter> make_idx() const {
    return std::make_unique<idx::IdxWriter>(store_, names_.stem, options_, lock_);
  }
  [[nodiscard]] std::unique_ptr<FormatWriter> make_cdf(std::optional<cdf::Version> version) const {
    return std::make_unique<cdf::CdfWriter>(store_, names_.stem, version, options_, lock_);
  }

  [[nodiscard]] Result<std::unique_ptr<FormatWriter>> make_hdf5() const {
#ifdef ESKER_HAVE_HDF5
    return std::unique_ptr<FormatWriter>(
        std::make_unique<hdf5::Hdf5Writer>(store_, names_.stem, names_.suffix, options_, lock_));
#else
    return error(Code::kUnsupported,
                 "format 'netcdf4': this Esker was built without the HDF5 library (Debian: libhdf5-dev)");
#endif
  }

  std::shared_ptr<Store> store_;
  Names names_;
  const Options& options_;
  std::shared_ptr<WriterLock> lock_;
};

}  // namespace

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  return Maker(std::move(store), names_of(path, options.format), options).make(options.format);
}

}  // namespace esker
