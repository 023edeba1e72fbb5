#include "shared_cdf/compare_headers.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace esker::cdf {
namespace {

Attribute attribute(const std::string& name, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {name, Type::kChar, {bytes.begin(), bytes.end()}};
}

Header sample() {
  Header header;
  header.dims = {{"t", 0}, {"x", 5}, {"y", 4}};
  header.attributes = {attribute("title", "run")};
  header.variables = {{"a", {0, 1}, {attribute("units", "m")}, Type::kFloat}, {"b", {2}, {}, Type::kInt}};
  return header;
}

struct Change {
  const char* name;
  Mismatch kind;
  const char* text;
  std::function<void(Header&)> change;
};

class CompareHeaders : public testing::TestWithParam<Change> {};

TEST_P(CompareHeaders, NamesTheFirstDifference) {
  Header mine = sample();
  GetParam().change(mine);
  const HeaderDifference found = compare_headers(mine, sample());
  EXPECT_EQ(found.kind, GetParam().kind);
  EXPECT_EQ(found.text, GetParam().text);
  EXPECT_EQ(compare_headers(sample(), mine).kind, GetParam().kind);
  EXPECT_EQ(hash_definition(mine) == hash_definition(sample()), GetParam().kind == Mismatch::kNone);
}

const Change kChanges[] = {
    {"Nothing", Mismatch::kNone, "", [](Header&) {}},
    {"OffsetsAndRecords", Mismatch::kNone, "",
     [](Header& header) {
       header.num_records = 3;
       header.variables[0].begin = 512;
     }},
    {"Version", Mismatch::kOther, "version CDF- 5, on rank 0: 1",
     [](Header& header) { header.version = Version::kData64; }},
    {"NumDims", Mismatch::kNumDims, "number of dimensions 4, on rank 0: 3",
     [](Header& header) {
       header.dims.push_back({"z", 1});
     }},
    {"DimName", Mismatch::kDimName, "dimension z, on rank 0: y",
     [](Header& header) { header.dims[2].name = "z"; }},
    {"DimLength", Mismatch::kDimLength, "dimension 'x': length 6, on rank 0: 5",
     [](Header& header) { header.dims[1].length = 6; }},
    {"NumVariables", Mismatch::kNumVariables, "number of variables 1, on rank 0: 2",
     [](Header& header) { header.variables.pop_back(); }},
    {"VariableName", Mismatch::kVariableName, "variable c, on rank 0: b",
     [](Header& header) { header.variables[1].name = "c"; }},
    {"VariableNumDims", Mismatch::kVariableNumDims, "variable 'b': number of dimensions 0, on rank 0: 1",
     [](Header& header) { header.variables[1].dims.clear(); }},
    {"VariableDims", Mismatch::kVariableDims, "variable 'a': dimension 2, on rank 0: 1",
     [](Header& header) { header.variables[0].dims[1] = 2; }},
    {"VariableType", Mismatch::kVariableType, "variable 'b': type 6, on rank 0: 4",
     [](Header& header) { header.variables[1].type = Type::kDouble; }},
    {"NumAttributes", Mismatch::kNumAttributes, "the file: number of attributes 0, on rank 0: 1",
     [](Header& header) { header.attributes.clear(); }},
    {"AttributeName", Mismatch::kAttributeName, "variable 'a': attribute unit, on rank 0: units",
     [](Header& header) { header.variables[0].attributes[0].name = "unit"; }},
    {"AttributeType", Mismatch::kAttributeType, "the file: attribute 'title': type 1, on rank 0: 2",
     [](Header& header) { header.attributes[0].type = Type::kByte; }},
    {"AttributeLength", Mismatch::kAttributeLength, "the file: attribute 'title': bytes 4, on rank 0: 3",
     [](Header& header) { header.attributes[0] = attribute("title", "runs"); }},
    {"AttributeValue", Mismatch::kAttributeValue,
     "the file: attribute 'title': the values differ from those on rank 0",
     [](Header& header) { header.attributes[0] = attribute("title", "ran"); }},
    {"TheFirstOfSeveral", Mismatch::kDimName, "dimension u, on rank 0: x",
     [](Header& header) {
       header.dims[1] = {"u", 7};
       header.variables.clear();
     }},
};

INSTANTIATE_TEST_SUITE_P(Changes, CompareHeaders, testing::ValuesIn(kChanges),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esker::cdf
