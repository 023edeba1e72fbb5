#include "formats/registry/make_writer.h"

#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/cdf/cdf_writer.h"
#include "formats/registry/dual_writer.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/hdf5_writer.h"
#endif
#include "formats/idx/existing.h"
#include "formats/idx/idx_writer.h"
#include "formats/registry/suffix.h"
#include "store/commit.h"

namespace esker {
namespace {

constexpr std::string_view kAndIdx = "+idx";
constexpr std::string_view kIdx = "idx", kCdf = "cdf";

/// Strips `end` from the end of `text`, if present.
std::string without(const std::string& text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

bool has_idx(std::string_view format) { return format == kIdx || format.ends_with(kAndIdx); }

bool is_hdf5(std::string_view format) { return format.starts_with("netcdf4") || format.starts_with("hdf5"); }

/// The common stem of a dataset's files, and the suffix of its NetCDF file.
struct Names {
  std::string stem, suffix = ".nc";
};

Names names_of(const std::string& path, const std::string& format) {
  Names names{path};
  while (names.stem.size() > 1 && names.stem.ends_with('/')) names.stem.pop_back();
  if (has_idx(format)) names.stem = without(names.stem, ".idx");
  if (format == "idx") return names;
  if (is_hdf5(format)) {
    const Suffix* asked = suffix_of(names.stem);
    if (asked && asked->of_hdf5) names.suffix = asked->text;
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
    if (format == "idx") return make_idx("");
    if (!format.ends_with(kAndIdx)) {
      ESKER_ASSIGN_OR_RETURN(auto netcdf, make_netcdf(format));
      return std::unique_ptr<FormatWriter>(std::move(netcdf));
    }
    ESKER_ASSIGN_OR_RETURN(auto netcdf, make_netcdf(without(format, kAndIdx)));
    return std::unique_ptr<FormatWriter>(
        std::make_unique<DualWriter>(std::move(netcdf), make_idx(names_.suffix)));
  }

 private:
  [[nodiscard]] std::unique_ptr<FormatWriter> make_idx(const std::string& netcdf_suffix) const {
    return std::make_unique<idx::IdxWriter>(store_, names_.stem, options_, lock_, netcdf_suffix);
  }

  [[nodiscard]] Result<std::unique_ptr<NetcdfWriter>> make_netcdf(const std::string& format) const {
    if (format == "cdf") return make_cdf(std::nullopt);
    if (format == "cdf1") return make_cdf(cdf::Version::kClassic);
    if (format == "cdf2") return make_cdf(cdf::Version::kOffset64);
    if (format == "cdf5") return make_cdf(cdf::Version::kData64);
    if (is_hdf5(format)) return make_hdf5();
    return error(Code::kUnsupported, "format '{}' is not written", format);
  }

  [[nodiscard]] std::unique_ptr<NetcdfWriter> make_cdf(std::optional<cdf::Version> version) const {
    return std::make_unique<cdf::CdfWriter>(store_, names_.stem, version, options_, lock_);
  }

  [[nodiscard]] Result<std::unique_ptr<NetcdfWriter>> make_hdf5() const {
#ifdef ESKER_HAVE_HDF5
    return std::unique_ptr<NetcdfWriter>(
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

/// The origin of an option, for messages.
std::string source_of(std::string_view name, const Options& options) {
  for (const Options::Entry& entry : options.entries()) {
    if (entry.name == name) return entry.source == "built-in" ? "program" : entry.source;
  }
  return {};
}

/// "cdf" or "netcdf4"; "" for any other file, or no file.
Result<std::string> netcdf_format_of(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string begin, read_begin(store, path, 4));
  if (begin == "\x89HDF") return std::string("netcdf4");
  return std::string(begin.starts_with("CDF") ? "cdf" : "");
}

Result<bool> idx_exists(Store& store, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  if (has_catalog) return true;
  return store.exists(paths.single_idx());
}

/// For an IDX dataset. The NetCDF file may only exist under its temporary name (dual_writer.h). A user who
/// has removed it continues with the IDX dataset.
Result<AppendTarget> find_idx_target(Store& store, const std::string& path, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_netcdf_suffix(store, paths));
  if (suffix.empty()) return AppendTarget{path, "idx"};
  const std::string netcdf = paths.stem + suffix;
  for (const std::string& file : {netcdf, temporary_of(netcdf)}) {
    ESKER_ASSIGN_OR_RETURN(const std::string format, netcdf_format_of(store, file));
    if (!format.empty()) return AppendTarget{netcdf, format + std::string(kAndIdx)};
  }
  return AppendTarget{path, "idx"};
}

/// For a NetCDF file of that format.
Result<AppendTarget> find_netcdf_target(Store& store, const std::string& path, const std::string& format) {
  const Names names = names_of(path, format);
  const idx::DatasetPaths paths{names.stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (!is_there) return AppendTarget{path, format};
  ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_netcdf_suffix(store, paths));
  return AppendTarget{path, suffix == names.suffix ? format + std::string(kAndIdx) : format};
}

}  // namespace

Result<std::string> choose_format(const std::string& path, const Options& options) {
  const std::string& format = options.format;
  const Suffix* suffix = suffix_of(path);
  if (format == "auto") return std::string(suffix ? suffix->format : kIdx);
  const bool is_cdf = format.starts_with(kCdf);
  if (!suffix || (suffix->of_idx && has_idx(format)) || (suffix->of_cdf && is_cdf) ||
      (suffix->of_hdf5 && is_hdf5(format))) {
    return format;
  }
  return error(Code::kInvalidArgument,
               "{}: the suffix {} is of {}, but the option format is {} (set by: {}); leave out the suffix, or "
               "change one of them",
               path, suffix->text, suffix->of_idx ? "IDX datasets" : suffix->of_cdf ? "netCDF files" : "HDF5 files",
               format, source_of("format", options));
}

Result<AppendTarget> find_append_target(Store& store, const std::string& path, const std::string& format) {
  if (format != "auto") return AppendTarget{path, format};
  ESKER_ASSIGN_OR_RETURN(const std::string of_file, netcdf_format_of(store, path));
  if (!of_file.empty()) return find_netcdf_target(store, path, of_file);
  const idx::DatasetPaths paths{names_of(path, "idx").stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (is_there) return find_idx_target(store, path, paths);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix_of(path) || !suffix.of_hdf5) continue;
    const std::string netcdf = paths.stem + std::string(suffix.text);
    ESKER_ASSIGN_OR_RETURN(const std::string found, netcdf_format_of(store, netcdf));
    if (!found.empty()) return AppendTarget{netcdf, found};
  }
  return AppendTarget{path, format};
}

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  ESKER_ASSIGN_OR_RETURN(const std::string format, choose_format(path, options));
  return Maker(std::move(store), names_of(path, format), options).make(format);
}

}  // namespace esker
