// Fields with stored bits: on threads as ranks, and a store in memory.
#include "codec/cells.h"

#include <gtest/gtest.h>
#include <zfp.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "formats/registry/open_dataset.h"
#include "grid/selection.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/slabs.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

/// Two grids with odd extents, every type, several components, a fixed field, and one without stored bits.
Schema schema_of_cells() {
  Schema schema;
  const DimId x = schema.add_dim("x", 33).value(), y = schema.add_dim("y", 18).value(),
              z = schema.add_dim("z", 21).value();
  const int volume = schema.add_grid("volume", {x, y, z}).value().index;
  const int map = schema.add_grid("map", {x, y}).value().index;
  const auto add = [&](const char* name, int grid, SampleType type, int components, int bits, bool fixed) {
    Field field{name, grid, type, components, fixed, 1, {}};
    field.stored_bits = bits;
    (void)schema.add_field(std::move(field)).value();
  };
  add("temp", volume, SampleType::kFloat64, 1, 16, false);
  add("plain", volume, SampleType::kFloat32, 1, 0, false);
  add("vel", volume, SampleType::kFloat32, 3, 8, false);
  add("count", volume, SampleType::kInt32, 1, 32, false);
  add("depth", map, SampleType::kFloat64, 1, 64, false);
  add("flux", map, SampleType::kInt64, 1, 1, false);
  add("topo", map, SampleType::kFloat32, 1, 2, true);
  return schema;
}

RunPlan run_of_cells() {
  RunPlan run;
  run.schema = schema_of_cells();
  run.end_step = 2;
  run.options["bits_per_block"] = "8";
  run.options["blocks_per_file"] = "4";
  return run;
}

zfp_type zfp_type_of_field(SampleType type) {
  return type == SampleType::kFloat32   ? zfp_type_float
         : type == SampleType::kFloat64 ? zfp_type_double
         : type == SampleType::kInt32   ? zfp_type_int32
                                        : zfp_type_int64;
}

/// One component of a field, after zfp has coded the complete array at this rate.
std::vector<std::byte> by_zfp(const Schema& schema, int number, Index step, int component, int bits) {
  const Field& field = schema.fields()[static_cast<std::size_t>(number)];
  const Box box = schema.box_of(schema.grid_of(field));
  const auto size = static_cast<std::size_t>(size_bytes(field.type));
  std::vector<std::byte> samples;
  for_each_point(box, [&](const Point& p) {
    samples.resize(samples.size() + size);
    store_value(field.type, samples.data() + samples.size() - size, value_at(number, step, p, component));
  });
  const auto n = [&](int a) { return static_cast<std::size_t>(box.extent(a)); };
  const zfp_type type = zfp_type_of_field(field.type);
  zfp_field* array = box.rank == 2 ? ::zfp_field_2d(samples.data(), type, n(0), n(1))
                                   : ::zfp_field_3d(samples.data(), type, n(0), n(1), n(2));
  zfp_stream* stream = ::zfp_stream_open(nullptr);
  ::zfp_stream_set_rate(stream, bits, type, static_cast<uint>(box.rank), zfp_false);
  std::vector<std::byte> coded(::zfp_stream_maximum_size(stream, array) + 64);
  bitstream* stored = ::stream_open(coded.data(), coded.size());
  ::zfp_stream_set_bit_stream(stream, stored);
  EXPECT_GT(::zfp_compress(stream, array), 0u);
  ::zfp_stream_rewind(stream);
  EXPECT_GT(::zfp_decompress(stream, array), 0u);
  ::stream_close(stored);
  ::zfp_stream_close(stream);
  ::zfp_field_free(array);
  return samples;
}

/// The samples of a lattice, components innermost, of arrays by component.
std::vector<std::byte> select_from(const std::vector<std::vector<std::byte>>& arrays, const Box& box,
                                   const Lattice& samples, Index size) {
  std::vector<std::byte> out;
  for_each_point(samples.all_indices(), [&](const Point& i) {
    const Point p = samples.point(i);
    const Index at = (p[0] + box.extent(0) * (p[1] + box.extent(1) * p[2])) * size;
    for (const auto& array : arrays) out.insert(out.end(), array.begin() + at, array.begin() + at + size);
  });
  return out;
}

/// Compares all bits and levels of the fields of a step with zfp.
void expect_zfp(const std::shared_ptr<Store>& store, Index step) {
  const auto opened = open_dataset(store, "run.idx");
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const OpenedDataset& data = **opened;
  for (int f = 0; f < static_cast<int>(data.schema.fields().size()); ++f) {
    const Field& field = data.schema.fields()[static_cast<std::size_t>(f)];
    if (field.stored_bits == 0 || (field.fixed && step > 0)) continue;
    const Bitmask mask = data.bitmask(f).value();
    const Box box = data.box(f);
    for (int bits = 1; bits <= field.stored_bits; bits += 1 + bits / 3) {
      std::vector<std::vector<std::byte>> arrays;
      for (int c = 0; c < field.components; ++c)
        arrays.push_back(by_zfp(schema_of_cells(), f, step, c, bits));
      for (int level = 0; level <= mask.max_level(); level += level < mask.max_level() - 7 ? 3 : 1) {
        Box part = box;
        if (level % 2 == 1) part.lo[0] = 5, part.hi[1] = 14;
        const Lattice samples = select_samples(mask, clip(part, box), level);
        const auto expected = select_from(arrays, box, samples, size_bytes(field.type));
        std::vector<std::byte> found(expected.size());
        ReadContext context;
        context.verify = true;
        context.bits = bits;
        const Status status = read_box(data, f, step, part, level, found.data(), context);
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_EQ(found, expected) << field.name << ", " << bits << " bits, level " << level;
      }
    }
  }
}

TEST(CellWriting, HasTheBitsOfZfp) {
  const auto store = memory_store();
  const Status status = write_all(store, run_of_cells());
  ASSERT_TRUE(status.ok()) << status.message();
  for (const Index step : {0, 1}) expect_zfp(store, step);
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
}

void expect_written_like(const std::shared_ptr<Store>& reference, const RunPlan& run) {
  SCOPED_TRACE(
      fmt::format("{} ranks, {} aggregators, {}", run.n_ranks, run.aggregators, text_of(run.options)));
  const auto store = memory_store();
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*store, *reference, ".");
}

TEST(CellWriting, TheFilesDoNotDependOnRanksBoxesOrAggregators) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, run_of_cells()).ok());
  for (const int n_ranks : {1, 2, 4, 7, 16, 40}) {
    for (const int aggregators : {0, 1, 3}) {
      if (aggregators > n_ranks) continue;
      RunPlan run = run_of_cells();
      run.n_ranks = n_ranks;
      run.aggregators = aggregators;
      run.seed = static_cast<unsigned>(n_ranks + 100 * aggregators);
      run.new_boxes_each_step = aggregators == 1;
      run.shuffle_puts = true;
      expect_written_like(reference, run);
    }
  }
}

TEST(CellWriting, TheFilesDoNotDependOnTheTransport) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, run_of_cells()).ok());
  for (const auto& way : ways_to_move()) {
    for (const int ranks_per_node : {0, 2}) {
      RunPlan run = run_of_cells();
      run.n_ranks = 5;
      run.ranks_per_node = ranks_per_node;
      run.options.insert(way.begin(), way.end());
      run.options["collective_buffer"] = "16K";
      expect_written_like(reference, run);
    }
  }
}

TEST(CellWriting, AppendedAndRewoundRunsEndInTheBytesOfOneRun) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, run_of_cells()).ok());
  const auto store = memory_store();
  RunPlan run = run_of_cells();
  run.n_ranks = 4;
  ASSERT_TRUE(write_all(store, run).ok());
  run.options = {};  // the dataset knows
  run.first_step = 1;
  run.n_ranks = 3;
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*store, *reference, ".");
}

TEST(CellWriting, ASingleGridOfSuchFieldsIsOneIdx) {
  const auto store = memory_store();
  RunPlan run;
  run.schema.emplace();
  const DimId x = run.schema->add_dim("x", 16).value(), y = run.schema->add_dim("y", 9).value();
  Field field{"t", run.schema->add_grid("map", {x, y}).value().index, SampleType::kFloat32, 1, false, 1, {}};
  field.stored_bits = 4;
  (void)run.schema->add_field(field).value();
  run.n_ranks = 3;
  ASSERT_TRUE(write_all(store, run).ok());
  const auto text = read_text(*store, "run.idx", 1 << 20);
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->starts_with("(version)\n7\n")) << *text;
  EXPECT_NE(text->find("t float32 stored_bits(4)"), std::string::npos) << *text;
}

/// A cube, which all ranks share in slabs along z.
Schema cube_of(Index edge, int stored_bits, SampleType type = SampleType::kFloat64) {
  Schema schema;
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) dims.push_back(schema.add_dim(name, edge).value());
  Field field{"t", schema.add_grid("cube", dims).value().index, type, 1, false, 1, {}};
  field.stored_bits = stored_bits;
  (void)schema.add_field(std::move(field)).value();
  return schema;
}

TEST(CellWriting, RanksSendStoredBitsInsteadOfSamples) {
  constexpr Index kEdge = 64, kRawBytes = kEdge * kEdge * kEdge * 8;
  const auto bytes_sent = [](int stored_bits) {
    return sum_of(write_slabs({.schema = cube_of(kEdge, stored_bits)}).report, "sent_bytes");
  };
  EXPECT_EQ(bytes_sent(0), kRawBytes / 4 * 3);
  for (const int bits : {1, 8, 32}) EXPECT_EQ(bytes_sent(bits), kRawBytes / 4 * 3 * bits / 64) << bits;
}

TEST(CellWriting, AReaderOfFewBitsReadsAPrefixOfEachBlock) {
  constexpr Index kEdge = 64, kBits = 32;
  const auto store = memory_store();
  RunPlan run;
  run.schema = cube_of(kEdge, kBits);
  run.end_step = 1;
  run.options["bits_per_block"] = "12";
  ASSERT_TRUE(write_all(store, run).ok());
  const Index stored = kEdge * kEdge * kEdge * kBits / 8;
  for (const int bits : {1, 2, 3, 4, 8, 16, 32}) {
    const auto opened = open_dataset(store, "run.idx");
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    std::vector<std::byte> samples(static_cast<std::size_t>(kEdge * kEdge * kEdge * 8));
    ReadCounters counters;
    ReadContext context;
    context.bits = bits;
    context.counters = &counters;
    const Box box = (*opened)->box(0);
    const int level = (*opened)->bitmask(0).value().max_level();
    ASSERT_TRUE(read_box(**opened, 0, 0, box, level, samples.data(), context).ok());
    const Index rounded_up = bits == 3 ? 4 : bits;  // to complete groups
    EXPECT_EQ(counters.bytes, stored * rounded_up / kBits) << bits << " bits";
  }
}

TEST(CellWriting, ADamagedHeadOrGroupIsFound) {
  RunPlan run;
  run.schema = cube_of(16, 16);
  run.end_step = 1;
  const auto written = memory_store();
  ASSERT_TRUE(write_all(written, run).ok());
  const std::string path = "run/time_0000/0000.bin";
  const auto size = written->open(path, OpenMode::kRead).value()->size_bytes().value();
  const Index heads = 40 + 40 * 1, data = size - 16 * 16 * 16 * 2;
  for (const Index at : {heads, heads + 5, data, data + 600, size - 1}) {
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run).ok());
    const auto file = store->open(path, OpenMode::kWrite).value();
    std::byte byte{};
    ASSERT_TRUE(file->read_at({&byte, 1}, at).ok());
    byte ^= std::byte{0x10};
    ASSERT_TRUE(file->write_at({&byte, 1}, at).ok());
    EXPECT_EQ(findings_of(store, "run.idx").size(), 1u) << "byte " << at << " of " << size;
  }
}

TEST(CellWriting, WrongFieldsAreRefusedBeforeAnythingIsWritten) {
  const auto add = [](SampleType type, std::vector<Index> extents, int bits, std::string compression) {
    Schema schema;
    std::vector<DimId> dims;
    for (std::size_t a = 0; a < extents.size(); ++a)
      dims.push_back(schema.add_dim("d" + std::to_string(a), extents[a]).value());
    Field field{"t", schema.add_grid("g", dims).value().index, type, 1, false, 1, {}, std::move(compression)};
    field.stored_bits = bits;
    return schema.add_field(std::move(field)).status().message();
  };
  EXPECT_EQ(add(SampleType::kFloat32, {8, 8}, 32, ""), "");
  EXPECT_EQ(add(SampleType::kFloat64, {8, 8}, 12, ""),
            "field 't': stored_bits 12: expected 1, 2, 4, 8, 16, 32 or 64 for float64");
  EXPECT_EQ(add(SampleType::kFloat32, {8, 8}, 64, ""),
            "field 't': stored_bits 64: expected 1, 2, 4, 8, 16 or 32 for float32");
  EXPECT_EQ(add(SampleType::kFloat32, {8, 8}, -1, ""),
            "field 't': stored_bits -1: expected 1, 2, 4, 8, 16 or 32 for float32");
  EXPECT_EQ(add(SampleType::kInt16, {8, 8}, 8, ""),
            "field 't': stored_bits: the type is int16; expected float32, float64, int32 or int64");
  EXPECT_EQ(add(SampleType::kFloat32, {8}, 8, ""),
            "field 't': stored_bits: the grid has 1 axis; cells have 2 or 3");
  EXPECT_EQ(add(SampleType::kFloat32, {8, 8}, 8, "zip"),
            "field 't': stored_bits and compression zip are given; set only one of them");
}

/// The error of writing the cube with an option.
std::string refusal(const std::string& option, const std::string& value) {
  RunPlan run;
  run.schema = cube_of(16, 8);
  run.n_ranks = 3;
  run.options[option] = value;
  if (option == "format") run.path = "run";
  return write_all(memory_store(), run).message();
}

TEST(CellWriting, OtherFormatsAndOnePhaseAreRefused) {
  EXPECT_NE(refusal("format", "cdf5").find("stored_bits needs format=idx"), std::string::npos);
  EXPECT_NE(refusal("aggregate", "false").find("stored_bits with aggregate=true"), std::string::npos);
}

/// The same error on 3 ranks, of which rank 2 puts a cube of 16 with `value` in one sample and 1 elsewhere.
template <class T>
void expect_refused(const std::shared_ptr<Store>& store, SampleType type, T value, const std::string& what,
                    bool overwrite = false) {
  const Schema schema = cube_of(16, 8, type);
  run_ranks(3, [&](const Communicator& comm) {
    Options options;
    options.report = "none";
    options.overwrite = overwrite;
    auto pipeline = WritePipeline::create(comm.get(), store, "run", options).value();
    pipeline->define({}, schema).check();
    std::vector<T> samples(16 * 16 * 16, T(1));
    samples[3 + 16 * (2 + 16 * 9)] = value;
    StepInput input{{}, 0, 0, {}};
    input.patches.resize(1);
    if (comm.rank() == 2) input.patches[0].push_back(Patch::dense({{0, 0, 0}, {16, 16, 16}}, samples.data()));
    const Status status = pipeline->write_step(std::move(input));
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find("field 't': a sample in [0,4) x [0,4) x [8,12) " + what),
              std::string::npos)
        << status.message();
  });
}

TEST(CellWriting, AValueThatCannotBeCodedIsAnErrorOnAllRanks) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  expect_refused(memory_store(), SampleType::kFloat64, kNan, "is infinite or not a number");
  expect_refused(memory_store(), SampleType::kInt32, int32{1} << 30, "is too large");
  expect_refused(memory_store(), SampleType::kInt64, -(int64{1} << 62) - 1, "is too large");
}

TEST(CellWriting, AValueThatCannotBeCodedKeepsTheDatasetThatWouldBeReplaced) {
  const auto store = memory_store();
  RunPlan run;
  run.schema = cube_of(16, 8);
  ASSERT_TRUE(write_all(store, run).ok());
  const auto before = all_files(*store, ".");
  expect_refused(store, SampleType::kFloat64, std::numeric_limits<double>::infinity(),
                 "is infinite or not a number", true);
  EXPECT_EQ(all_files(*store, "."), before);
}

TEST(CellWriting, BlocksOfOneCellCanBeAppended) {
  const auto store = memory_store();
  RunPlan run;
  run.schema = cube_of(16, 64);
  run.end_step = 1;
  run.options["bits_per_block"] = "6";
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
  run.first_step = 1;
  run.end_step = 2;
  run.options = {};
  const Status appended = write_all(store, run);
  EXPECT_TRUE(appended.ok()) << appended.message();
}

}  // namespace
}  // namespace esker
