// The catalog of a dataset of several parts: esker.json in its directory lists the parts and the committed
// steps. For Esker it is authoritative when several .idx files make one dataset.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "grid/bitmask.h"

namespace esker::idx {

/// Where in its grid an .idx has its samples, if the partitions of the grid are stored separately.
struct PartPlace {
  int partition = 0;
  Box box;       ///< of the grid
  Bitmask mask;  ///< of the grid: its levels are those of the dataset
  friend bool operator==(const PartPlace&, const PartPlace&) = default;
};

/// One .idx of a dataset of several.
struct CatalogPart {
  /// The grid's name, followed by "_fixed" for its fixed fields, and by the partition: "xyz_p0", "xyz_p1_0".
  std::string name;
  std::string grid;
  bool fixed = false;
  std::optional<PartPlace> place = {};
  friend bool operator==(const CatalogPart&, const CatalogPart&) = default;
};

struct Catalog {
  static constexpr int kFormat = 3;  ///< 2: without partitions; 1: without a checksum, too
  static constexpr Index kMaxPartitions = Index{1} << 20;
  Index generation = 0;
  std::vector<CatalogPart> parts;  ///< part `name` is the file name.idx
  std::vector<double> times;       ///< committed steps of the dataset
  /// Options that the dataset was created with, as text, for parts that are created with the first step.
  std::map<std::string, std::string> options = {};
  friend bool operator==(const Catalog&, const Catalog&) = default;
};

/// The box of a grid whose partitions these parts are: the union of theirs.
Box box_of_partitions(const std::vector<const CatalogPart*>& parts);

/// Includes a checksum of the contents.
std::string print_catalog(const Catalog& catalog);
/// Part names are file names. Characters other than letters, digits, '_', '.', '-', a leading '.', a repeated
/// name, boxes of partitions that do not cover the box of a grid exactly once, and a wrong checksum are
/// kDataLoss.
Result<Catalog> parse_catalog(const std::string& json);

}  // namespace esker::idx
