// Sparse steps: what the rules keep, against brute force over all samples.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "formats/idx/idx_dataset.h"
#include "formats/registry/open_dataset.h"
#include "grid/hz.h"
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

constexpr int kDropped = -1000;

int level_of(const Bitmask& mask, const Point& p) {
  return std::bit_width(static_cast<std::uint64_t>(hz_from_point(mask, p)));
}

/// A field of float64 on a grid of these extents.
Schema single_field_of(const std::vector<Index>& extents) {
  Schema schema;
  std::vector<DimId> dims;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    dims.push_back(schema.add_dim(std::string(1, static_cast<char>('a' + a)), extents[a]).value());
  }
  const int grid = schema.add_grid("grid", dims).value().index;
  schema.add_field({"temp", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  return schema;
}

/// The same with a vector, and a field that is stored in two columns.
Schema schema_of_extents(const std::vector<Index>& extents) {
  Schema schema = single_field_of(extents);
  schema.add_field({"vel", 0, SampleType::kFloat32, 3, false, 1, {}}).status().check();
  schema.add_field({"species", 0, SampleType::kFloat64, 11, false, 2, {}}).status().check();
  return schema;
}

/// The finest level, 0 or below, that a rule keeps at a place.
int level_by_rule(const KeepRule& rule, const Box& grid, Index step, const Point& p) {
  int finest = kDropped;
  const Box near = [&] {
    Box box = grid;
    for (int a = 0; a < grid.rank; ++a) {
      box.lo[a] = std::max<Index>(0, p[a] - rule.dilate);
      box.hi[a] = std::min(grid.hi[a], p[a] + rule.dilate + 1);
    }
    return box;
  }();
  if (rule.region == KeepRule::Region::kEverywhere) return rule.level;
  for_each_point(near, [&](const Point& q) {
    if (rule.region == KeepRule::Region::kRange) {
      const auto value = static_cast<double>(value_at(rule.field.index, step, q, 0));
      if (value >= rule.low && value <= rule.high) finest = std::max(finest, rule.level);
    }
    for (const Box& box : rule.boxes) {
      if (box.contains(q)) finest = std::max(finest, rule.level);
    }
  });
  return finest;
}

/// What a step stores of a field, found sample by sample.
struct Expected {
  std::set<Index> blocks;
  Index primary = 0;
};

Expected expect_blocks(const BlockGrid& grid, const std::vector<KeepRule>& rules, Index step) {
  Expected expected;
  const int max_level = grid.mask().max_level();
  for_each_point(grid.box(), [&](const Point& p) {
    int kept = kDropped;
    for (const KeepRule& rule : rules) kept = std::max(kept, level_by_rule(rule, grid.box(), step, p));
    if (kept == kDropped) return;
    const int finest = std::max(max_level + kept, grid.bits_per_block());
    if (level_of(grid.mask(), p) > finest) return;
    ++expected.primary;
    expected.blocks.insert(grid.block_of(p));
  });
  return expected;
}

std::set<Index> blocks_in(const BlockSet& set) {
  std::set<Index> blocks;
  for (Index n = 0; n < set.size(); ++n) blocks.insert(set.nth(n));
  return blocks;
}

RunPlan run_of(const Schema& schema, int bits) {
  RunPlan run;
  run.schema = schema;
  run.end_step = 2;
  run.options["bits_per_block"] = std::to_string(bits);
  return run;
}

/// The .idx of a dataset of one.
const idx::IdxPart& part_of(const OpenedDataset& dataset) {
  return *dynamic_cast<const idx::IdxDataset&>(dataset).parts.front();
}

/// Keeps `rules` on all ranks, for all fields, at each step.
RunPlan with_rules(RunPlan run, const std::vector<KeepRule>& rules) {
  run.keep = [rules](Index, int, const StepInput&) {
    std::vector<KeepCall> calls;
    for (const KeepRule& rule : rules) calls.push_back({0, -1, rule});
    return calls;
  };
  return run;
}

struct KnownAnswer {
  std::vector<Index> extents;
  int bits;
  std::vector<KeepRule> rules;
  Index stored, primary;
};

// The known answers of the format page.
TEST(SparseStep, HasTheKnownEfficiency) {
  const KeepRule coarse = KeepRule::everywhere(-2), quadrant = KeepRule::inside({Box{{4, 4}, {8, 8}}});
  const auto region = [](Index x, Index y) { return Box{{x, y}, {x + 8, y + 8}}; };
  const auto regions = [&](const Box& a, const Box& b) {
    return std::vector{KeepRule::inside({region(0, 0), a, b})};
  };
  const std::vector<KnownAnswer> answers{
      {{8, 8}, 4, {coarse, quadrant}, 48, 28},
      {{8, 8}, 3, {coarse, quadrant}, 32, 28},
      {{8, 8}, 2, {coarse, quadrant}, 28, 28},
      {{32, 32}, 4, regions(region(0, 8), region(8, 0)), 240, 192},
      {{32, 32}, 4, regions(region(0, 16), region(16, 0)), 304, 192},
  };
  for (const KnownAnswer& answer : answers) {
    const auto store = memory_store();
    ASSERT_TRUE(
        write_all(store, with_rules(run_of(schema_of_extents(answer.extents), answer.bits), answer.rules))
            .ok());
    const auto dataset = open_dataset(store, "run.idx").value();
    const auto samples = dataset->stored_samples(0, 0).value().value();
    EXPECT_EQ(samples.primary, answer.primary);
    EXPECT_EQ(samples.primary + samples.secondary, answer.stored);
    EXPECT_EQ(samples.padding, 0);
  }
}

std::vector<KeepRule> random_rules(const Box& grid, int max_level, std::mt19937& random) {
  const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  std::vector<KeepRule> rules;
  for (Index n = below(3) + 1; n > 0; --n) {
    const int level = -static_cast<int>(below(max_level + 1));
    switch (random() % 3) {
      case 0:
        rules.push_back(KeepRule::everywhere(level));
        break;
      case 1: {
        const auto low = static_cast<double>(below(100));
        rules.push_back(KeepRule::in_range(FieldId{0}, low, low + static_cast<double>(below(20)), level));
        break;
      }
      default: {
        Box box = grid;
        for (int a = 0; a < box.rank; ++a) {
          box.lo[a] = below(grid.hi[a]);
          box.hi[a] = box.lo[a] + below(grid.hi[a] + 3);
        }
        rules.push_back(KeepRule::inside({box}, level));
      }
    }
    rules.back().dilate = below(3);
  }
  return rules;
}

/// The value that a reader gives to every sample of the finest level of the first field: its own, or that of
/// the nearest stored sample of a coarser level at a lower index.
std::vector<double> nearest_of(const BlockGrid& grid, const std::set<Index>& blocks, Index step) {
  std::vector<double> values;
  for_each_point(grid.box(), [&](Point p) {
    while (!blocks.contains(grid.block_of(p))) {
      const int level = level_of(grid.mask(), p);
      if (level == 0) break;
      const int axis = grid.mask().digit(level);
      p[axis] -= grid.mask().samples_new_at(level).stride[axis] / 2;
    }
    values.push_back(blocks.contains(grid.block_of(p)) ? static_cast<double>(value_at(0, step, p, 0)) : 0);
  });
  return values;
}

/// The level map: the finest level of which, and of all coarser ones, the samples are stored that refine a
/// place; -1 without block 0.
void expect_levels(const idx::IdxPart& part, const std::set<Index>& blocks, Index step,
                   const Lattice& samples) {
  const BlockGrid& grid = part.blocks();
  std::vector<std::int8_t> found(static_cast<std::size_t>(samples.num_samples())), expected;
  ASSERT_TRUE(part.stored_levels({0}, step, samples, found).ok());
  for_each_point(samples.all_indices(), [&](const Point& index) {
    int level = blocks.contains(0) ? grid.bits_per_block() : -1;
    for (; level >= 0 && level < grid.mask().max_level(); ++level) {
      const Lattice coarse = grid.mask().samples_up_to(level);
      Point refined = samples.point(index);
      for (int a = 0; a < samples.rank; ++a) refined[a] = refined[a] / coarse.stride[a] * coarse.stride[a];
      const int axis = grid.mask().digit(level + 1);
      refined[axis] += coarse.stride[axis] / 2;
      if (grid.box().contains(refined) && !blocks.contains(grid.block_of(refined))) break;
    }
    expected.push_back(static_cast<std::int8_t>(level));
  });
  ASSERT_EQ(found, expected);
}

void expect_nearest(const OpenedDataset& dataset, const std::set<Index>& blocks, Index step,
                    std::mt19937& random) {
  const idx::IdxPart& part = part_of(dataset);
  const Box grid = part.header().box;
  const std::vector<double> whole = nearest_of(part.blocks(), blocks, step);
  for (int round = 0; round < 4; ++round) {
    Box box = grid;
    for (int a = 0; a < box.rank && round > 0; ++a) {
      box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(grid.hi[a]));
      box.hi[a] =
          box.lo[a] + 1 + static_cast<Index>(random() % static_cast<unsigned>(grid.hi[a] - box.lo[a]));
    }
    const int max_level = part.header().bitmask.max_level();
    const int level =
        round == 3 ? static_cast<int>(random() % static_cast<unsigned>(max_level + 1)) : max_level;
    const Lattice samples = select_samples(part.header().bitmask, box, level);
    std::vector<double> found(static_cast<std::size_t>(samples.num_samples())), expected;
    std::vector<std::uint8_t> is_stored(found.size(), 1), expected_stored;
    ReadTarget target = ReadTarget::dense(samples, level, reinterpret_cast<std::byte*>(found.data()), 8);
    target.is_stored = is_stored.data();
    ASSERT_TRUE(dataset.read(0, step, target, {}).ok());
    for_each_point(samples.all_indices(), [&](const Point& index) {
      const Point p = samples.point(index);
      Index at = 0;
      for (int a = grid.rank; a-- > 0;) at = at * grid.hi[a] + p[a];
      expected.push_back(whole[static_cast<std::size_t>(at)]);
      expected_stored.push_back(blocks.contains(part.blocks().block_of(p)) ? 1 : 0);
    });
    ASSERT_EQ(found, expected) << box.to_string() << " level " << level;
    ASSERT_EQ(is_stored, expected_stored);
    expect_levels(part, blocks, step, samples);
  }
}

// Random rules on random grids and ranks: the blocks, the primary samples, and what readers get.
TEST(SparseStep, StoresWhatTheRulesKeep) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<Index> extents;
    const unsigned n_axes = 1 + random() % 4;
    for (unsigned a = 0; a < n_axes; ++a) extents.push_back(1 + random() % (n_axes < 3 ? 40 : 11));
    const Schema schema = schema_of_extents(extents);
    const Box grid = schema.box_of(schema.grids()[0]);
    int max_level = 0;
    for (const Index extent : extents)
      max_level += std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent - 1))));
    const auto rules = random_rules(grid, max_level, random);
    RunPlan run = with_rules(run_of(schema, 1 + static_cast<int>(random() % 6)), rules);
    run.n_ranks = 1 + static_cast<int>(random() % 4);
    run.seed = static_cast<unsigned>(random());
    if (round % 5 == 0) run.options["compression"] = "zip";
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(findings_of(store, "run.idx"), std::vector<std::string>()) << round;
    const auto dataset = open_dataset(store, "run.idx").value();
    const idx::IdxPart& part = part_of(*dataset);
    for (Index step = 0; step < run.end_step; ++step) {
      const Expected expected = expect_blocks(part.blocks(), rules, step);
      const auto set = part.blocks_at(0, step).value();
      if (!set) {
        ASSERT_EQ(std::ssize(expected.blocks), part.blocks().num_existing());
        continue;
      }
      ASSERT_EQ(blocks_in(*set), expected.blocks) << round;
      ASSERT_EQ(dataset->stored_samples(0, step).value()->primary, expected.primary) << round;
      ASSERT_NO_FATAL_FAILURE(expect_nearest(*dataset, expected.blocks, step, random)) << round;
    }
  }
}

// The same files for any number of ranks, also if only some of them name the rules.
TEST(SparseStep, HasTheSameBytesOnAnyNumberOfRanks) {
  const Schema schema = schema_of_extents({33, 18, 11});
  KeepRule hot = KeepRule::in_range(FieldId{0}, 20, 24),
           near = KeepRule::inside({Box{{3, 4, 5}, {9, 9, 9}}}, -2);
  hot.dilate = 2;
  near.dilate = 1;
  const KeepRule vector = KeepRule::in_range(FieldId{1}, 90, 91, -1);
  const auto rules_of = [&](int rank) {
    std::vector<KeepCall> calls{{0, -1, hot}, {0, 1, vector}};
    if (rank == 0) calls.push_back({0, -1, near});
    return calls;
  };
  for (const char* compression : {"none", "zip"}) {
    std::shared_ptr<Store> first;
    for (const int n_ranks : {1, 2, 4, 7, 9}) {
      RunPlan run = run_of(schema, 6);
      run.n_ranks = n_ranks;
      run.end_step = 3;
      run.new_boxes_each_step = n_ranks % 2 == 0;
      run.seed = static_cast<unsigned>(n_ranks);
      run.options["compression"] = compression;
      run.keep = [&](Index step, int rank, const StepInput&) {
        return step == 1 ? std::vector<KeepCall>() : rules_of(rank);
      };
      const auto store = memory_store();
      const Status status = write_all(store, run);
      ASSERT_TRUE(status.ok()) << status.message();
      if (!first) first = store;
      expect_same_files(*store, *first, ".");
    }
  }
}

// Regions that are empty, on one rank, everywhere, and new at each step.
TEST(SparseStep, MayHaveNoBlocks) {
  const Schema schema = schema_of_extents({33, 18});
  RunPlan run = run_of(schema, 4);
  run.n_ranks = 3;
  run.end_step = 4;
  run.keep = [](Index step, int, const StepInput&) {
    const KeepRule rule = step == 0   ? KeepRule::in_range(FieldId{0}, 1000, 1001)
                          : step == 1 ? KeepRule::everywhere(0)
                          : step == 2 ? KeepRule::inside({})
                                      : KeepRule::inside({Box{{1, 1}, {2, 2}}});
    return std::vector<KeepCall>{{0, -1, rule}};
  };
  const auto store = memory_store();
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
  const auto dataset = open_dataset(store, "run.idx").value();
  EXPECT_EQ(dataset->stored_samples(0, 0).value()->blocks, 0);
  EXPECT_FALSE(dataset->stored_samples(0, 1).value());
  EXPECT_EQ(dataset->stored_samples(0, 2).value()->blocks, 0);
  EXPECT_GE(dataset->stored_samples(0, 3).value()->blocks, 1);
  std::vector<double> values(33 * 18, 7);
  ASSERT_TRUE(read_box(*dataset, 0, 0, dataset->box(0), part_of(*dataset).header().bitmask.max_level(),
                       reinterpret_cast<std::byte*>(values.data()), {})
                  .ok());
  EXPECT_EQ(values, std::vector<double>(33 * 18, 0));
}

// One block of the finest level, without the coarser ones: no level is complete.
TEST(SparseStep, HasNoLevelWithoutCoarserOnes) {
  RunPlan run = with_rules(run_of(single_field_of({8, 8}), 2), {KeepRule::inside({Box{{5, 5}, {6, 6}}})});
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = open_dataset(store, "run.idx").value();
  ASSERT_EQ(dataset->stored_samples(0, 0).value()->blocks, 1);
  const Lattice samples = select_samples(part_of(*dataset).header().bitmask, dataset->box(0), 6);
  std::vector<std::int8_t> levels(64, 5);
  ASSERT_TRUE(dataset->stored_levels(0, 0, samples, levels).ok());
  EXPECT_EQ(levels, std::vector<std::int8_t>(64, -1));
}

// A reduced resolution stores its samples and no others, on any grid.
TEST(SparseStep, OfReducedResolutionIsEfficient) {
  for (int level = -1; level >= -7; --level) {
    RunPlan run = run_of(schema_of_extents({33, 17, 9}), 4);
    run.options["keep_level"] = std::to_string(level);
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run).ok());
    const auto samples = open_dataset(store, "run.idx").value()->stored_samples(0, 1).value().value();
    EXPECT_EQ(samples.secondary, 0);
    EXPECT_DOUBLE_EQ(samples.efficiency(), 1);
  }
}

// A step in which only one field has rules.
TEST(SparseStep, StoresFieldsWithoutRulesCompletely) {
  RunPlan run = run_of(schema_of_extents({33, 18}), 4);
  run.keep = [](Index, int, const StepInput&) {
    return std::vector<KeepCall>{{0, 0, KeepRule::everywhere(-3)}};
  };
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = open_dataset(store, "run.idx").value();
  EXPECT_TRUE(dataset->stored_samples(0, 0).value());
  EXPECT_FALSE(dataset->stored_samples(1, 0).value());
}

// The option keep_level is for the fields without rules of a step, even if others have rules.
TEST(SparseStep, ReducesFieldsWithoutRulesByTheOption) {
  RunPlan run = run_of(schema_of_extents({33, 18}), 4);
  run.options["keep_level"] = "-3";
  run.keep = [](Index, int, const StepInput&) {
    return std::vector<KeepCall>{{0, 0, KeepRule::everywhere(0)}};
  };
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = open_dataset(store, "run.idx").value();
  EXPECT_FALSE(dataset->stored_samples(0, 0).value());
  EXPECT_TRUE(dataset->stored_samples(1, 0).value());
}

// The same blocks with other primary samples: the plan is kept, the file of block sets is that of the step.
TEST(SparseStep, MayChangeWithoutANewPlan) {
  RunPlan run = run_of(schema_of_extents({32, 32}), 6);
  run.n_ranks = 2;
  run.end_step = 3;
  run.keep = [](Index step, int, const StepInput&) {
    return std::vector<KeepCall>{{0, -1, KeepRule::inside({Box{{0, 0}, {9 + step, 9}}})}};
  };
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
  const auto dataset = open_dataset(store, "run.idx").value();
  for (const Index step : {0, 1, 2}) {
    EXPECT_EQ(dataset->stored_samples(0, step).value()->primary, (9 + step) * 9) << step;
  }
}

// Samples of other blocks are neither packed nor sent: the ranks send exactly what the written blocks hold of
// theirs.
TEST(SparseStep, SendsNothingThatIsNotStored) {
  constexpr int kBits = 6;
  const Schema schema = single_field_of({33, 18, 21});
  const std::vector<KeepRule> rules{KeepRule::inside({Box{{3, 2, 1}, {14, 9, 19}}}),
                                    KeepRule::everywhere(-7)};
  Slabs slabs{.schema = schema, .bits_per_block = kBits};
  slabs.keep = [&](Index) { return std::vector<KeepCall>{{0, -1, rules[0]}, {0, -1, rules[1]}}; };
  const SlabsWritten written = write_slabs(slabs);
  const Box box = schema.box_of(schema.grids().front());
  const BlockGrid grid(Bitmask::for_extent(box.rank, box.hi).value(), kBits, box);
  const std::set<Index> blocks = expect_blocks(grid, rules, 0).blocks;
  Index in_blocks = 0, of_others = 0;
  for_each_point(box, [&](const Point& p) {
    if (!blocks.contains(grid.block_of(p))) return;
    ++in_blocks;
    if (!slab_of(box, 0).contains(p)) ++of_others;
  });
  ASSERT_LT(in_blocks, box.num_samples() / 2);
  ASSERT_GT(of_others, 0);
  constexpr Index kBytes = sizeof(double);
  EXPECT_EQ(sum_of(written.report, "sent_bytes"), of_others * kBytes);
  const StepReport& step = written.steps.front();
  EXPECT_EQ(step.primary_bytes + step.secondary_bytes, in_blocks * kBytes);
  EXPECT_EQ(sum_of(written.report, "stored_bytes"), step.stored_bytes);
  EXPECT_EQ(step.stored_bytes, std::ssize(blocks) * (kBytes << kBits));
}

// The directory of boxes is kept: a region that moves costs the same messages each time, less than other
// boxes.
TEST(SparseStep, NeedsNoDirectoryIfOnlyTheRegionMoves) {
  Slabs slabs{.schema = single_field_of({32, 32, 32}), .num_steps = 4, .bits_per_block = 6};
  slabs.keep = [](Index step) {
    const Index x = 4 * step;
    return std::vector<KeepCall>{{0, -1, KeepRule::inside({Box{{x, 0, 0}, {x + 16, 16, 16}}})}};
  };
  const std::vector<StepReport> same_boxes = write_slabs(slabs).steps;
  slabs.store = memory_store();
  slabs.new_boxes_each_step = true;
  const std::vector<StepReport> new_boxes = write_slabs(slabs).steps;
  for (const std::size_t step : {2, 3}) {
    EXPECT_TRUE(same_boxes[step].planned);
    EXPECT_EQ(same_boxes[step].metadata_messages, same_boxes[1].metadata_messages);
    EXPECT_LT(same_boxes[step].metadata_messages, new_boxes[step].metadata_messages);
  }
}

// Appending and rewinding keep sparse steps; both end in the bytes of one run.
TEST(SparseStep, IsKeptByAppendedRuns) {
  const Schema schema = schema_of_extents({21, 18});
  RunPlan run =
      with_rules(run_of(schema, 5), {KeepRule::in_range(FieldId{0}, 20, 40), KeepRule::everywhere(-4)});
  run.n_ranks = 2;
  run.end_step = 4;
  const auto whole = memory_store(), parts = memory_store();
  ASSERT_TRUE(write_all(whole, run).ok());
  RunPlan begin = run, end = run;
  begin.end_step = 3;
  end.first_step = 2;
  end.n_ranks = 4;
  ASSERT_TRUE(write_all(parts, begin).ok());
  const Status status = write_all(parts, end);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*parts, *whole, ".");
}

// A lost block is damage, one that the step does not name is not; a lost or changed set is named.
TEST(SparseStep, KnowsDamageFromAbsence) {
  RunPlan run = with_rules(run_of(schema_of_extents({33, 18}), 4), {KeepRule::in_range(FieldId{0}, 20, 30)});
  run.end_step = 1;
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string sets = "run/time_0000/blocks.set";
  const std::string text = read_text(*store, sets, 1 << 20).value();
  const auto read_all = [&] {
    const auto dataset = open_dataset(store, "run.idx").value();
    std::vector<double> values(33 * 18);
    return read_box(*dataset, 0, 0, dataset->box(0), part_of(*dataset).header().bitmask.max_level(),
                    reinterpret_cast<std::byte*>(values.data()), {});
  };
  ASSERT_TRUE(read_all().ok());
  ASSERT_TRUE(store->remove("run/time_0000/0008.bin").ok());
  EXPECT_EQ(read_all().code(), Code::kDataLoss);
  EXPECT_EQ(findings_of(store, "run.idx"),
            std::vector<std::string>{"run/time_0000/0008.bin: the file is missing"});

  std::string damaged = text;
  damaged.back() = static_cast<char>(damaged.back() + 1);
  const auto file = store->open(sets, OpenMode::kWrite).value();
  ASSERT_TRUE(file->write_at(std::as_bytes(std::span(damaged)), 0).ok());
  EXPECT_NE(read_all().message().find("blocks.set"), std::string::npos);
  EXPECT_EQ(read_all().code(), Code::kDataLoss);
  EXPECT_FALSE(findings_of(store, "run.idx").empty());
  ASSERT_TRUE(store->remove(sets).ok());
  EXPECT_EQ(read_all().code(), Code::kDataLoss);
  EXPECT_NE(read_all().message().find("blocks.set: missing"), std::string::npos);
}

/// The error of a step with these rules.
std::string error_of(const RunPlan& run, const KeepCall& call) {
  RunPlan failing = run;
  failing.n_ranks = 3;
  failing.keep = [call](Index, int rank, const StepInput&) {
    return rank == 1 ? std::vector{call} : std::vector<KeepCall>();
  };
  return write_all(memory_store(), failing).message();
}

// A field with stored bits is stored completely: it has no secondary samples.
TEST(SparseStep, CountsFieldsWithStoredBits) {
  RunPlan run = run_of(schema_of_extents({21, 18}), 4);
  run.schema->add_field({"cells", 0, SampleType::kFloat64, 1, false, 1, {}, {}, 16}).status().check();
  run.keep = [](Index, int, const StepInput&) {
    return std::vector<KeepCall>{{0, 0, KeepRule::inside({Box{{0, 0}, {9, 9}}})},
                                 {0, 1, KeepRule::everywhere(-2)}};
  };
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    const auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    const StepReport& step = pipeline->steps().front();
    Index primary_bytes = 21 * 18 * 8 * (11 + 1), secondary_bytes = 0;  // species and cells
    ASSERT_EQ(step.fields.size(), 2u);
    for (const StepReport::FieldSamples& field : step.fields) {
      const Index bytes = run.schema->find_field(field.name)->sample_bytes();
      primary_bytes += field.samples.primary * bytes;
      secondary_bytes += field.samples.secondary * bytes;
    }
    EXPECT_EQ(step.primary_bytes, primary_bytes);
    EXPECT_EQ(step.secondary_bytes, secondary_bytes);
    EXPECT_GE(step.padding_bytes, 0);
  });
}

TEST(SparseStep, RefusesRulesThatCannotHold) {
  const RunPlan run = run_of(schema_of_extents({21, 18}), 5);
  const auto expect = [&](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(error_of(run, {0, -1, KeepRule::everywhere(-11)}), "level -11, expected -10 to 0");
  for (const int level : {std::numeric_limits<int>::min(), -63, 1}) {
    EXPECT_EQ(check_rule(*run.schema, {0, -1, KeepRule::everywhere(level)}).code(), Code::kOutOfRange);
    EXPECT_EQ(check_rule(*run.schema, {0, -1, KeepRule::inside({}, level)}).code(), Code::kOutOfRange);
  }
  EXPECT_TRUE(check_rule(*run.schema, {0, -1, KeepRule::everywhere(-62)}).ok());
  RunPlan second = run;
  second.keep = [](Index step, int, const StepInput&) {
    return std::vector<KeepCall>(step, {0, -1, KeepRule::in_range(FieldId{2}, 0, 1)});
  };
  expect(write_all(memory_store(), second).message(), "field 'species', which is not put in this step");
  RunPlan cdf = run;
  cdf.path = "run.nc";
  cdf.options["format"] = "cdf5";
  expect(error_of(cdf, {0, -1, KeepRule::everywhere(-1)}), "cdf5");
  RunPlan reduced = cdf;
  reduced.options["keep_level"] = "-1";
  expect(write_all(memory_store(), reduced).message(), "cdf5: this format stores fields completely");
  reduced = run;
  reduced.schema->add_field({"cells", 0, SampleType::kFloat64, 1, false, 1, {}, {}, 16}).status().check();
  reduced.options["keep_level"] = "-1";
  expect(write_all(memory_store(), reduced).message(), "field 'cells' has stored_bits");
}

// Distances beyond the grid, and boxes far outside, cost nothing.
TEST(SparseStep, TakesAnyDistance) {
  constexpr Index kFar = std::numeric_limits<Index>::max();
  KeepRule wide = KeepRule::in_range(FieldId{0}, 50, 50);
  KeepRule box = KeepRule::inside({Box{{-kFar, 5}, {kFar, 6}}, Box{{kFar - 1, 0}, {kFar, 1}}});
  wide.dilate = box.dilate = kFar;
  for (const KeepRule& rule : {wide, box}) {
    RunPlan run = with_rules(run_of(schema_of_extents({21, 18}), 4), {rule});
    run.n_ranks = 3;
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_FALSE(open_dataset(store, "run.idx").value()->stored_samples(0, 0).value()) << "all blocks";
  }
}

// Levels travel to other ranks within the budget.
TEST(SparseStep, BoundsTheLevelsThatTravel) {
  KeepRule rule = KeepRule::in_range(FieldId{0}, 50, 50);
  rule.dilate = 1;
  RunPlan run = with_rules(run_of(single_field_of({96, 96, 96}), 6), {rule});
  run.n_ranks = 2;
  run.memory_budget = 400000;  // the samples are more
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_NE(status.message().find("set memory_budget to"), std::string::npos) << status.message();
}

// Where a tile has one level, only that travels.
TEST(SparseStep, SendsOneLevelOfUniformTiles) {
  Slabs slabs{.schema = single_field_of({32, 32, 32}), .num_steps = 1, .bits_per_block = 6};
  slabs.keep = [](Index) {
    KeepRule rule = KeepRule::in_range(FieldId{0}, 0, 1000);
    rule.dilate = 32;
    return std::vector<KeepCall>{{0, -1, rule}};
  };
  EXPECT_LT(write_slabs(slabs).steps.front().metadata_bytes, 32 * 32 * 32 / 4);
}

// Levels given sample by sample.
TEST(SparseStep, KeepsTheLevelsOfSamples) {
  const Schema schema = schema_of_extents({40, 24});
  RunPlan run = run_of(schema, 3);
  run.n_ranks = 3;
  std::vector<std::vector<std::vector<std::int8_t>>> memory(3);
  const auto level_at = [](const Point& p) {
    return static_cast<std::int8_t>(p[0] < 10 ? KeepRule::kDropped : -(p[0] + p[1]) % 7);
  };
  run.keep = [&](Index, int rank, const StepInput& input) {
    std::vector<KeepCall> calls;
    for (const Box& box : input.patches[0].boxes()) {
      std::vector<std::int8_t> levels;
      for_each_point(box, [&](const Point& p) { levels.push_back(level_at(p)); });
      auto& kept = memory[static_cast<std::size_t>(rank)];
      kept.push_back(std::move(levels));
      Patch patch;
      patch.box = box;
      patch.data = kept.back().data();
      patch.type = SampleType::kInt8;
      patch.stride_bytes = {1, box.extent(0)};
      calls.push_back({0, -1, KeepRule::by_levels(patch)});
    }
    return calls;
  };
  const auto store = memory_store();
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto dataset = open_dataset(store, "run.idx").value();
  const BlockGrid& grid = part_of(*dataset).blocks();
  std::set<Index> expected;
  for_each_point(grid.box(), [&](const Point& p) {
    const int given = level_at(p);
    if (given == KeepRule::kDropped) return;
    if (level_of(grid.mask(), p) <= std::max(grid.mask().max_level() + given, grid.bits_per_block())) {
      expected.insert(grid.block_of(p));
    }
  });
  EXPECT_EQ(blocks_in(*part_of(*dataset).blocks_at(0, 0).value()), expected);
}

/// A step in which each rank puts one box of each field, which may be empty.
Status write_boxes(const std::shared_ptr<Store>& store, const RunPlan& run, int n_ranks,
                   const std::function<Box(int rank, int field)>& box_of) {
  std::vector<Status> results(static_cast<std::size_t>(n_ranks));
  run_ranks(n_ranks, [&](const Communicator& comm) {
    Status& status = results[static_cast<std::size_t>(comm.rank())];
    auto pipeline = open_run(comm, store, run);
    status = pipeline.status();
    if (!status.ok()) return;
    const Schema schema = schema_of(run);
    std::vector<PatchMemory> memory;
    memory.reserve(100);
    StepInput input;
    input.patches.resize(schema.fields().size());
    for (int f = 0; f < static_cast<int>(schema.fields().size()); ++f) {
      const Box box = box_of(comm.rank(), f);
      if (box.empty()) continue;
      memory.emplace_back(schema.fields()[static_cast<std::size_t>(f)], f, 0, box, 0);
      input.patches[static_cast<std::size_t>(f)].push_back(memory.back().patch());
    }
    if (run.keep) input.keep = run.keep(0, comm.rank(), input);
    status = (*pipeline)->write_step(std::move(input));
    if (status.ok()) status = (*pipeline)->close({});
  });
  return results.front();
}

/// A rule with these levels of the samples of a box of two axes, x first.
KeepRule by_levels_of(const Box& box, const std::vector<std::int8_t>& levels) {
  Patch patch;
  patch.box = box;
  patch.type = SampleType::kInt8;
  patch.data = levels.data();
  patch.stride_bytes = {1, box.extent(0)};
  return KeepRule::by_levels(patch);
}

/// A rule that keeps all samples of a box.
KeepRule all_levels_of(const Box& box) {
  static const std::vector<std::int8_t> finest(1 << 12, 0);
  return by_levels_of(box, finest);
}

const Box kLower{{0, 0}, {16, 8}}, kUpper{{0, 8}, {16, 16}}, kBoth{{0, 0}, {16, 16}};

/// Three fields of a grid of 16 x 16 samples, the last one fixed.
RunPlan run_of_halves() {
  RunPlan run = run_of(single_field_of({16, 16}), 3);
  run.schema->add_field({"other", 0, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  run.schema->add_field({"fixed", 0, SampleType::kInt16, 1, true, 1, {}}).status().check();
  return run;
}

void expect_stored(const std::shared_ptr<Store>& store, int field, const Box& box) {
  const auto dataset = open_dataset(store, "run.idx").value();
  const auto samples = dataset->stored_samples(field, 0).value();
  ASSERT_TRUE(samples.has_value()) << field;
  EXPECT_EQ(samples->primary, box.num_samples()) << field;
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
}

// Each rank puts another half of each field: levels of samples that a rank puts of one field also reach
// samples of other fields that another rank puts.
TEST(SparseStep, SharesLevelsBetweenFieldsInOtherBoxes) {
  RunPlan run = run_of_halves();
  const auto box_of = [](int rank, int field) {
    if (field == 2) return rank == 0 ? kBoth : Box{{0, 0}, {0, 0}};
    return rank == field ? kLower : kUpper;
  };
  for (const bool has_own : {false, true}) {
    run.keep = [&](Index, int rank, const StepInput&) {
      std::vector<KeepCall> calls;
      if (rank == 0) calls.push_back({0, -1, all_levels_of(kLower)});
      if (rank == 1 && has_own) calls.push_back({0, 1, KeepRule::inside({})});
      return calls;
    };
    const auto store = memory_store();
    const Status status = write_boxes(store, run, 2, box_of);
    ASSERT_TRUE(status.ok()) << status.message();
    for (const int field : {0, 1, 2}) expect_stored(store, field, kLower);
  }
}

// Levels are given for a box that this rank puts of any field of the grid.
TEST(SparseStep, TakesLevelsOfABoxOfAnyField) {
  RunPlan run = run_of_halves();
  const auto box_of = [](int rank, int field) {
    if (field != 1) return rank == 0 ? kBoth : Box{{0, 0}, {0, 0}};
    return rank == 0 ? kLower : kUpper;
  };
  run.keep = [&](Index, int rank, const StepInput&) {
    std::vector<KeepCall> calls;
    if (rank == 1) calls.push_back({0, -1, all_levels_of(kUpper)});
    return calls;
  };
  const auto store = memory_store();
  const Status status = write_boxes(store, run, 2, box_of);
  ASSERT_TRUE(status.ok()) << status.message();
  for (const int field : {0, 1, 2}) expect_stored(store, field, kUpper);
  run.keep = [&](Index, int rank, const StepInput&) {
    std::vector<KeepCall> calls;
    if (rank == 1) calls.push_back({0, -1, all_levels_of(kBoth)});
    return calls;
  };
  const Status refused = write_boxes(memory_store(), run, 2, box_of);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_NE(refused.message().find("a box that this rank puts"), std::string::npos) << refused.message();
}

// Block 0 has level 3, which is -5 from the finest.
TEST(SparseStep, ReportsTheCoarsestLevelOfSamples) {
  RunPlan run = run_of(single_field_of({16, 16}), 3);
  run.end_step = 1;
  std::vector<std::int8_t> levels(static_cast<std::size_t>(kBoth.num_samples()), KeepRule::kDropped);
  run.keep = [&](Index, int, const StepInput&) {
    return std::vector<KeepCall>{{0, -1, by_levels_of(kBoth, levels)}};
  };
  const auto raised_from = [&] {
    int raised = 1;
    run_ranks(1, [&](const Communicator& comm) {
      const auto pipeline = open_run(comm, memory_store(), run).value();
      write_step(*pipeline, comm, run, 0).check();
      raised = pipeline->steps().front().raised_from;
    });
    return raised;
  };
  levels[3] = -5;
  EXPECT_EQ(raised_from(), 0);
  levels[40] = -7;
  levels[41] = -6;
  EXPECT_EQ(raised_from(), -7);
}

/// Puts only the lower half of the grid.
Status write_half(const std::shared_ptr<Store>& store, const RunPlan& run, int n_ranks) {
  const Schema schema = schema_of(run);
  return write_boxes(store, run, n_ranks, [&](int rank, int) {
    Box box = schema.box_of(schema.grids()[0]);
    const Index width = box.hi[0];
    box.hi[1] /= 2;
    box.lo[0] = width * rank / n_ranks;
    box.hi[0] = width * (rank + 1) / n_ranks;
    return box;
  });
}

// Samples that no rank puts have the field's fill value, in every format, for any number of ranks.
TEST(PartialStep, HasFillValues) {
  Schema schema = schema_of_extents({21, 18});
  (*schema.attributes_of(FieldId{0}).value())["_FillValue"] = std::vector<double>{-5};
  RunPlan run = run_of(schema, 4);
  EXPECT_NE(write_half(memory_store(), run, 2).message().find("no rank put the samples"), std::string::npos);
  run.options["partial"] = "true";
  for (const char* format : {"idx", "cdf5"}) {
    run.options["format"] = format;
    run.path = format == std::string("idx") ? "run.idx" : "run.nc";
    std::shared_ptr<Store> first;
    for (const int n_ranks : {1, 2, 4, 7}) {
      const auto store = memory_store();
      const Status status = write_half(store, run, n_ranks);
      ASSERT_TRUE(status.ok()) << status.message();
      if (!first) first = store;
      expect_same_files(*store, *first, ".");
    }
    const auto dataset = open_dataset(first, run.path).value();
    const Box grid = dataset->box(0);
    std::vector<double> values(21 * 18);
    const int level = dataset->bitmask(0).value().max_level();
    ASSERT_TRUE(
        read_box(*dataset, 0, 0, grid, level, reinterpret_cast<std::byte*>(values.data()), {.verify = true})
            .ok());
    std::size_t at = 0;
    for_each_point(grid, [&](const Point& p) {
      EXPECT_EQ(values[at++], p[1] < 9 ? static_cast<double>(value_at(0, 0, p, 0)) : -5);
    });
  }
}

// Relays forward what no rank puts, too: with regular boxes, or where many ranks would send to one.
TEST(PartialStep, HasFillValuesByRelays) {
  const Schema schema = schema_of_extents({21, 18});
  RunPlan run = run_of(schema, 4);
  run.options["partial"] = "true";
  const auto expected = memory_store();
  ASSERT_TRUE(write_half(expected, run, 1).ok());
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"restructure", "4,4"}, {"max_fan_in", "1"}}) {
    for (const char* transport : {"messages", "shared", "put"}) {
      SCOPED_TRACE(key + " " + transport);
      RunPlan relayed = run;
      relayed.options[key] = value;
      relayed.options["transport"] = transport;
      for (const int n_ranks : {2, 4, 7}) {
        const auto store = memory_store();
        const Status status = write_half(store, relayed, n_ranks);
        ASSERT_TRUE(status.ok()) << status.message();
        expect_same_files(*store, *expected, ".");
      }
    }
  }
}

// Whole pages of padding at the end of a block are holes in the file, which read as zeros.
TEST(PartialStep, HasTheChecksumsOfHoles) {
  RunPlan run = run_of(single_field_of({96, 96}), 12);
  run.options["partial"] = "true";
  const auto store = memory_store();
  const Status status = write_half(store, run, 2);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
}

// Samples that no rank puts are not primary, whatever the rule; their blocks are stored if a rule names them.
TEST(PartialStep, MayKeepSomeBlocks) {
  const Schema schema = schema_of_extents({21, 18});
  const Box grid = schema.box_of(schema.grids()[0]), region{{3, 3}, {15, 15}};
  Box put = grid;
  put.hi[1] /= 2;
  for (const KeepRule& rule :
       {KeepRule::inside({region}), KeepRule::inside({grid}, -3), KeepRule::everywhere(-3)}) {
    RunPlan run = with_rules(run_of(schema, 4), {rule});
    run.options["partial"] = "true";
    std::shared_ptr<Store> first;
    for (const int n_ranks : {1, 3, 4}) {
      const auto store = memory_store();
      const Status status = write_half(store, run, n_ranks);
      ASSERT_TRUE(status.ok()) << status.message();
      if (!first) first = store;
      expect_same_files(*store, *first, ".");
    }
    EXPECT_EQ(findings_of(first, "run.idx"), std::vector<std::string>());
    const auto dataset = open_dataset(first, "run.idx").value();
    const BlockGrid& blocks = part_of(*dataset).blocks();
    EXPECT_EQ(blocks_in(*part_of(*dataset).blocks_at(0, 0).value()), expect_blocks(blocks, {rule}, 0).blocks);
    Index primary = 0;
    for_each_point(put, [&](const Point& p) {
      const bool is_kept = level_of(blocks.mask(), p) <= blocks.mask().max_level() + rule.level;
      if (is_kept && (rule.level < 0 || region.contains(p))) ++primary;
    });
    EXPECT_EQ(dataset->stored_samples(0, 0).value()->primary, primary);
  }
}

}  // namespace
}  // namespace esker
