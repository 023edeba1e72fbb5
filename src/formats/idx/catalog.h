// The catalog of a dataset of several parts: esker.json in its directory lists the parts and the committed
// steps. For Esker it is authoritative when several .idx files make one dataset.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::idx {

/// One .idx of a dataset of several grids.
struct CatalogPart {
  std::string name;  ///< the grid's name, followed by "_fixed" for its fixed fields
  std::string grid;
  bool fixed = false;
  friend bool operator==(const CatalogPart&, const CatalogPart&) = default;
};

struct Catalog {
  static constexpr int kFormat = 2;  ///< 1: without a checksum
  Index generation = 0;
  std::vector<CatalogPart> parts;  ///< part `name` is the file name.idx
  std::vector<double> times;       ///< committed steps of the dataset
  /// Options that the dataset was created with, as text, for parts that are created with the first step.
  std::map<std::string, std::string> options = {};
  friend bool operator==(const Catalog&, const Catalog&) = default;
};

/// Includes a checksum of the contents.
std::string print_catalog(const Catalog& catalog);
/// Part names are file names. Characters other than letters, digits, '_', '.', '-', a leading '.', a repeated
/// name, and a wrong checksum are kDataLoss.
Result<Catalog> parse_catalog(const std::string& json);

}  // namespace esker::idx
