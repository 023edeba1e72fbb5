// Reads the raw datasets that OpenVisus wrote: every listed query, every sample, against the formula it was
// made from. (tests/python compares the same answers with OpenVisus' own checksums.)
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "formats/idx/idx_dataset.h"
#include "support/read_box.h"
#include "support/scenario.h"

namespace esker {
namespace {

using Json = nlohmann::json;
using Formula = std::function<double(const Point&, Index t, int c)>;

const std::string kGolden = std::string(ESKER_GOLDEN_DIR) + "/openvisus";

/// The manifest's formulas of the raw datasets, in C++. Floor division and remainder have only non-negative
/// operands.
const std::map<std::string, Formula> kFormulas{
    {"x+8*y+1", [](const Point& p, Index, int) { return p[0] + 8 * p[1] + 1; }},
    {"x+16*y+256*z+1", [](const Point& p, Index, int) { return p[0] + 16 * p[1] + 256 * p[2] + 1; }},
    {"(7*x+13*y+x*y)%251",
     [](const Point& p, Index, int) { return (7 * p[0] + 13 * p[1] + p[0] * p[1]) % 251; }},
    {"x+32*y+1024*z+0.5", [](const Point& p, Index, int) { return p[0] + 32 * p[1] + 1024 * p[2] + 0.5; }},
    {"x+100*y+10000*z+t*0.25",
     [](const Point& p, Index t, int) {
       return p[0] + 100 * p[1] + 10000 * p[2] + static_cast<double>(t) * 0.25;
     }},
    {"(x*(c+1)+y*(c+2)-z)*0.5+t*100",
     [](const Point& p, Index t, int c) {
       return static_cast<double>(p[0] * (c + 1) + p[1] * (c + 2) - p[2]) * 0.5 +
              static_cast<double>(t * 100);
     }},
    {"1000*x-y", [](const Point& p, Index, int) { return 1000 * p[0] - p[1]; }},
    {"100*x-3*y", [](const Point& p, Index, int) { return 100 * p[0] - 3 * p[1]; }},
    {"x+100*y+10000*z", [](const Point& p, Index, int) { return p[0] + 100 * p[1] + 10000 * p[2]; }},
    {"x+20*y+400*z", [](const Point& p, Index, int) { return p[0] + 20 * p[1] + 400 * p[2]; }},
    {"x+50*y", [](const Point& p, Index, int) { return p[0] + 50 * p[1]; }},
    {"x+10*y+100*z+1000*u-3000",
     [](const Point& p, Index, int) { return p[0] + 10 * p[1] + 100 * p[2] + 1000 * p[3] - 3000; }},
    {"((131*x+71*y)%4096)*0.25-100.0",
     [](const Point& p, Index, int) {
       return static_cast<double>((131 * p[0] + 71 * p[1]) % 4096) * 0.25 - 100.0;
     }},
    {"(x*3-y*2)*0.5+c*1000",
     [](const Point& p, Index, int c) { return static_cast<double>(p[0] * 3 - p[1] * 2) * 0.5 + c * 1000; }},
    {"(x*x-3*x*y+2*y*y)*0.125",
     [](const Point& p, Index, int) {
       return static_cast<double>(p[0] * p[0] - 3 * p[0] * p[1] + 2 * p[1] * p[1]) * 0.125;
     }},
    {"(x*x+y*y+z*z)*0.0625-x*y",
     [](const Point& p, Index, int) {
       return static_cast<double>(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * 0.0625 -
              static_cast<double>(p[0] * p[1]);
     }},
    {"((x//4)+(y//4)+(z//4)+t)%3",
     [](const Point& p, Index t, int) { return (p[0] / 4 + p[1] / 4 + p[2] / 4 + t) % 3; }},
    {"x*y*z-t*1000.5",
     [](const Point& p, Index t, int) {
       return static_cast<double>(p[0] * p[1] * p[2]) - static_cast<double>(t) * 1000.5;
     }},
    {"(x*x+2*y*y-3*z*z+x*y)*0.125",
     [](const Point& p, Index, int) {
       return static_cast<double>(p[0] * p[0] + 2 * p[1] * p[1] - 3 * p[2] * p[2] + p[0] * p[1]) * 0.125;
     }},
    {"x+1000*y", [](const Point& p, Index, int) { return p[0] + 1000 * p[1]; }},
    {"x*2+y*3+z*5+t*7", [](const Point& p, Index t, int) { return p[0] * 2 + p[1] * 3 + p[2] * 5 + t * 7; }},
    {"x*x*0.5", [](const Point& p, Index, int) { return static_cast<double>(p[0] * p[0]) * 0.5; }},
};

template <class T>
double load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<double>(value);
}

double load_value(SampleType type, const std::byte* from) {
  switch (type) {
    case SampleType::kUint8:
      return load<std::uint8_t>(from);
    case SampleType::kInt16:
      return load<std::int16_t>(from);
    case SampleType::kUint16:
      return load<std::uint16_t>(from);
    case SampleType::kInt32:
      return load<std::int32_t>(from);
    case SampleType::kFloat32:
      return load<float>(from);
    case SampleType::kFloat64:
      return load<double>(from);
    default:
      ADD_FAILURE() << "type " << name(type) << " is not in this test";
      return 0;
  }
}

Box box_of(const Json& corners) {
  Box box;
  box.rank = static_cast<int>(corners[0].size());
  for (int a = 0; a < box.rank; ++a) {
    box.lo[a] = corners[0][a];
    box.hi[a] = corners[1][a];
  }
  return box;
}

/// One query of the manifest: its lattice as OpenVisus reports it, and every sample.
void check_query(const idx::IdxDataset& dataset, const Json& facts, const Json& query) {
  std::size_t f = 0;
  while (facts["fields"][f]["name"] != query["field"]) ++f;
  const auto& place = dataset.places[f];
  const idx::IdxPart& part = *dataset.parts[place.part];
  const Lattice selection = part.select(box_of(query["box"]), query["end_resolution"]);
  if (query.value("empty", false)) {
    EXPECT_EQ(selection.num_samples(), 0);
    return;
  }
  for (int a = 0; a < selection.rank; ++a) {
    ASSERT_EQ(selection.count[a], query["shape"][selection.rank - 1 - a]);
    ASSERT_EQ(selection.stride[a], query["stride"][a]);
    ASSERT_EQ(selection.origin[a], query["logic_box"][0][a]);
  }
  const Field& field = dataset.schema.fields()[f];
  std::vector<std::byte> answer(static_cast<std::size_t>(selection.num_samples() * field.sample_bytes()));
  const auto& times = part.times();
  const Index time = query["time"];
  const Index step = std::find(times.begin(), times.end(), time) - times.begin();
  const Status status = testing_support::read_box(part, place.columns, step, box_of(query["box"]),
                                                  query["end_resolution"], answer.data());
  ASSERT_TRUE(status.ok()) << status.message();
  const Formula& formula = kFormulas.at(facts["fields"][f]["formula"]);
  const std::byte* next = answer.data();
  Box indices;
  indices.rank = selection.rank;
  indices.hi = selection.count;
  testing_support::for_each_point(indices, [&](const Point& i) {
    Point p{};
    for (int a = 0; a < selection.rank; ++a) p[a] = selection.origin[a] + i[a] * selection.stride[a];
    for (int c = 0; c < field.components; ++c, next += size_bytes(field.type)) {
      ASSERT_EQ(load_value(field.type, next), formula(p, time, c)) << query.dump();
    }
  });
}

TEST(OpenVisusStorage, IsAllFilesExceptTheHeader) {
  std::ifstream file(kGolden + "/manifest.json");
  const Json manifest = Json::parse(file);
  for (const Json& facts : manifest["datasets"]) {
    const auto dataset =
        idx::IdxDataset::open(posix_store(), kGolden + "/" + std::string(facts["idx"])).value();
    StorageInfo found, listed;
    ASSERT_TRUE(dataset.parts[0]->add_storage(found, dataset.infos[0].num_steps).ok());
    for (const Json& stored : facts["files"]) {
      if (stored["path"] == facts["idx"]) continue;
      ++listed.files;
      listed.bytes += stored["bytes"].get<Index>();
    }
    EXPECT_EQ(std::pair(found.files, found.bytes), std::pair(listed.files, listed.bytes)) << facts["name"];
  }
}

class OpenVisus : public testing::TestWithParam<const char*> {};

TEST_P(OpenVisus, EveryListedQueryOfALosslessDataset) {
  std::ifstream file(kGolden + "/manifest.json");
  const Json manifest = Json::parse(file);
  for (const Json& facts : manifest["datasets"]) {
    if (facts["name"] != GetParam()) continue;
    const auto dataset = idx::IdxDataset::open(posix_store(), kGolden + "/" + std::string(facts["idx"]));
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    for (const Json& query : facts["queries"]) check_query(*dataset, facts, query);
    return;
  }
  FAIL() << "not in the manifest";
}

INSTANTIATE_TEST_SUITE_P(Golden, OpenVisus,
                         testing::Values("ex8x8_hz", "ex8x8_rm", "ex16cubed_hz", "ex16cubed_rm",
                                         "d2_pow2_u8_raw_rm", "d2_pow2_u8_raw_hz", "d3_pow2_f32_raw_rm",
                                         "d3_pow2_f32_raw_hz", "d3_2fields_3times_raw_rm", "d2_one_block",
                                         "d2_custom_mask_rm", "d3_custom_mask_hz", "d3_many_files",
                                         "d3_flat_axis", "d4_i16_raw_rm", "d1_f32", "d2_np2_f32_zip_rm",
                                         "d2_np2_f32_zip_hz", "d2_np2_f32x3_lz4_rm", "d2_np2_f64_lz4_hz",
                                         "d3_np2_f64_zip_rm", "d3_np2_f64_zip_hz", "d3_2fields_3times_mixed",
                                         "d3_zfp_reversible_rm", "d3_zfp_reversible_hz", "d2_origin",
                                         "d3_arco_zip"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace esker
