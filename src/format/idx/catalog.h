// The JSON files beside the .idx files: the schema, and the catalog of a dataset of several grids.
//
// The schema file (attributes, coordinates, names of dimensions) is never needed to read the samples.
// The catalog (esker.json in the dataset's directory) lists the parts and the committed steps: the truth
// for Esker when several .idx make one dataset. Reals that JSON lacks are "NaN", "Infinity", "-Infinity".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker::idx {

inline constexpr std::size_t kMaxSidecarBytes = std::size_t{64} << 20;  ///< larger texts are refused

/// The whole schema as indented JSON, keys in a fixed order: the same schema gives the same bytes, and
/// parse_schema(print_schema(s)) is s again. Attributes have passed check_attribute.
std::string print_schema(const Schema& schema);
/// Errors: kDataLoss (what was expected, what was found), kUnsupported (a newer format).
Result<Schema> parse_schema(const std::string& json);

/// One .idx of a dataset of several grids.
struct CatalogPart {
  std::string name;  ///< the grid's name, "_fixed" behind it for its fixed fields
  std::string grid;
  bool fixed = false;
  friend bool operator==(const CatalogPart&, const CatalogPart&) = default;
};

struct Catalog {
  static constexpr int kFormat = 1;
  Index generation = 0;
  std::vector<CatalogPart> parts;  ///< part `name` is the file name.idx
  std::vector<double> times;       ///< committed steps of the dataset
  /// Options that the dataset was created with, as text: for parts that are made with the first step.
  std::map<std::string, std::string> options = {};
  friend bool operator==(const Catalog&, const Catalog&) = default;
};

std::string print_catalog(const Catalog& catalog);
/// Part names are file names: anything but letters, digits, '_', '.', '-' (or a leading '.', or a name that
/// occurs twice) is kDataLoss.
Result<Catalog> parse_catalog(const std::string& json);

}  // namespace esker::idx
