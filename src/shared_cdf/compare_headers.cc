#include "shared_cdf/compare_headers.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "store/checksum.h"

namespace esker::cdf {
namespace {

/// Collects the first difference.
class Comparison {
 public:
  /// Whether everything is equal so far, and these two are.
  template <class Value>
  bool same(Mismatch kind, const std::string& what, const Value& mine, const Value& of_root) {
    if (found_.kind != Mismatch::kNone) return false;
    if (mine == of_root) return true;
    found_ = {kind, fmt::format("{} {}, on rank 0: {}", what, mine, of_root)};
    return false;
  }

  void attributes(const std::string& of, const std::vector<Attribute>& mine,
                  const std::vector<Attribute>& of_root) {
    if (!same(Mismatch::kNumAttributes, of + ": number of attributes", mine.size(), of_root.size())) return;
    for (std::size_t a = 0; a < mine.size(); ++a) {
      const std::string what = fmt::format("{}: attribute '{}': ", of, mine[a].name);
      same(Mismatch::kAttributeName, of + ": attribute", mine[a].name, of_root[a].name);
      same(Mismatch::kAttributeType, what + "type", static_cast<int>(mine[a].type),
           static_cast<int>(of_root[a].type));
      same(Mismatch::kAttributeLength, what + "bytes", mine[a].values.size(), of_root[a].values.size());
      if (found_.kind == Mismatch::kNone && mine[a].values != of_root[a].values) {
        found_ = {Mismatch::kAttributeValue, what + "the values differ from those on rank 0"};
      }
    }
  }

  HeaderDifference found() && { return std::move(found_); }

 private:
  HeaderDifference found_;
};

/// Hashes what Comparison compares.
class DefinitionHash {
 public:
  void number(std::uint64_t value) { add(std::as_bytes(std::span(&value, 1))); }
  void text(const std::string& text) { bytes(std::as_bytes(std::span(text))); }
  void attributes(const std::vector<Attribute>& list) {
    number(list.size());
    for (const Attribute& attribute : list) {
      text(attribute.name);
      number(static_cast<std::uint64_t>(attribute.type));
      bytes(attribute.values);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  void bytes(std::span<const std::byte> bytes) {
    number(bytes.size());
    add(bytes);
  }
  void add(std::span<const std::byte> bytes) { hash_ = checksum(bytes, hash_); }

  std::uint64_t hash_ = 0;
};

}  // namespace

std::uint64_t hash_definition(const Header& header) {
  DefinitionHash hash;
  hash.number(static_cast<std::uint64_t>(header.version));
  hash.number(header.dims.size());
  for (const Dimension& dim : header.dims) {
    hash.text(dim.name);
    hash.number(static_cast<std::uint64_t>(dim.length));
  }
  hash.number(header.variables.size());
  for (const Variable& variable : header.variables) {
    hash.text(variable.name);
    hash.number(variable.dims.size());
    for (const int dim : variable.dims) hash.number(static_cast<std::uint64_t>(dim));
    hash.number(static_cast<std::uint64_t>(variable.type));
    hash.attributes(variable.attributes);
  }
  hash.attributes(header.attributes);
  return hash.value();
}

HeaderDifference compare_headers(const Header& mine, const Header& of_root) {
  Comparison comparison;
  comparison.same(Mismatch::kOther, "version CDF-", static_cast<int>(mine.version),
                  static_cast<int>(of_root.version));
  if (comparison.same(Mismatch::kNumDims, "number of dimensions", mine.dims.size(), of_root.dims.size())) {
    for (std::size_t d = 0; d < mine.dims.size(); ++d) {
      comparison.same(Mismatch::kDimName, "dimension", mine.dims[d].name, of_root.dims[d].name);
      comparison.same(Mismatch::kDimLength, fmt::format("dimension '{}': length", mine.dims[d].name),
                      mine.dims[d].length, of_root.dims[d].length);
    }
  }
  if (comparison.same(Mismatch::kNumVariables, "number of variables", mine.variables.size(),
                      of_root.variables.size())) {
    for (std::size_t v = 0; v < mine.variables.size(); ++v) {
      const Variable& variable = mine.variables[v];
      const Variable& other = of_root.variables[v];
      const std::string of = fmt::format("variable '{}'", variable.name);
      comparison.same(Mismatch::kVariableName, "variable", variable.name, other.name);
      if (comparison.same(Mismatch::kVariableNumDims, of + ": number of dimensions", variable.dims.size(),
                          other.dims.size())) {
        for (std::size_t d = 0; d < variable.dims.size(); ++d) {
          comparison.same(Mismatch::kVariableDims, of + ": dimension", variable.dims[d], other.dims[d]);
        }
      }
      comparison.same(Mismatch::kVariableType, of + ": type", static_cast<int>(variable.type),
                      static_cast<int>(other.type));
      comparison.attributes(of, variable.attributes, other.attributes);
    }
  }
  comparison.attributes("the file", mine.attributes, of_root.attributes);
  return std::move(comparison).found();
}

}  // namespace esker::cdf
