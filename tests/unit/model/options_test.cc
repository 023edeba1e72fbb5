#include "esker/types/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace esker {
namespace {

const Options::Entry& entry(const std::vector<Options::Entry>& entries, const std::string& name) {
  for (const Options::Entry& e : entries) {
    if (e.name == name) return e;
  }
  throw std::runtime_error("no option " + name);
}

/// Runs in a new working directory, without the caller's ESKER_* variables.
class LoadOptions : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "esker-options-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
    for (const Options::Entry& e : Options().entries()) unset_option(e.name);
    unset_option("config");
  }
  void TearDown() override {
    for (const std::string& name : variables_) unsetenv(name.c_str());
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }
  void set_variable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    variables_.push_back(name);
  }
  static void unset_option(std::string name) {
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    unsetenv(("ESKER_" + name).c_str());
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

 private:
  std::filesystem::path directory_, before_;
  std::vector<std::string> variables_;
};

TEST(Options, EveryOptionInAFixedOrderWithValueSourceAndHelp) {
  std::vector<std::string> names;
  for (const Options::Entry& e : Options().entries()) {
    names.push_back(e.name);
    EXPECT_EQ(e.source, "built-in") << e.name;
    EXPECT_FALSE(e.help.empty()) << e.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"format",
                                             "overwrite",
                                             "compression",
                                             "bits_per_block",
                                             "chunks",
                                             "levels",
                                             "keep_level",
                                             "partial",
                                             "partition_index",
                                             "tune",
                                             "aggregators",
                                             "memory_budget",
                                             "async",
                                             "partitions",
                                             "restructure",
                                             "compress_threads",
                                             "fsync",
                                             "checksums",
                                             "call_timeout",
                                             "call_warning",
                                             "compare_shared_nodes",
                                             "blocks_per_file",
                                             "level_values",
                                             "alignment",
                                             "chunk_alignment",
                                             "in_block",
                                             "split",
                                             "aggregate",
                                             "aggregate_reads",
                                             "aggregator_placement",
                                             "transport",
                                             "pattern",
                                             "stripe_size",
                                             "stripe_count",
                                             "storage",
                                             "hints",
                                             "collective_buffer",
                                             "store_thread",
                                             "async_memory",
                                             "async_cores",
                                             "stage",
                                             "max_fan_in",
                                             "report",
                                             "report_timeline",
                                             "tune_seed",
                                             "tune_cache",
                                             "tune_model"}));
}

TEST(Options, FromText) {
  Options o;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"format", "idx"},
                                                                      {"overwrite", "yes"},
                                                                      {"bits_per_block", "15"},
                                                                      {"blocks_per_file", "8"},
                                                                      {"alignment", "64k"},
                                                                      {"chunks", "64, 32,8"},
                                                                      {"aggregators", " 2 "},
                                                                      {"memory_budget", "2G"},
                                                                      {"fsync", "step"},
                                                                      {"report", "r.json"}}) {
    EXPECT_TRUE(o.set(name, value).ok()) << name;
    EXPECT_EQ(entry(o.entries(), name).source, "program") << name;
  }
  EXPECT_TRUE(o.overwrite);
  EXPECT_EQ(o.bits_per_block, 15);
  EXPECT_EQ(o.blocks_per_file, 8);
  EXPECT_EQ(o.alignment_bytes, 65536);
  EXPECT_EQ(o.chunks.extents, (std::vector<Index>{64, 32, 8}));
  EXPECT_EQ(entry(o.entries(), "chunks").value, "64,32,8");
  o.set("chunks", "decomposition").check();
  EXPECT_TRUE(o.chunks.by_decomposition && o.chunks.extents.empty());
  EXPECT_EQ(o.aggregators, 2);
  EXPECT_EQ(o.memory_budget_bytes, Index{2} << 30);
  EXPECT_EQ(o.fsync, Fsync::kStep);
  EXPECT_EQ(o.report, "r.json");
}

TEST(Options, RemovedNamesSayWhatReplacesThem) {
  Options o;
  const Status window = o.set("window", "4M");
  EXPECT_EQ(window.code(), Code::kInvalidArgument);
  EXPECT_NE(window.message().find("was removed: set collective_buffer"), std::string::npos)
      << window.message();
  const Status factor = o.set("aggregation_factor", "8");
  EXPECT_NE(factor.message().find("set aggregators, the number of ranks divided by it"), std::string::npos);
}

TEST(Options, AreInGroups) {
  std::map<OptionGroup, int> sizes;
  OptionGroup last = OptionGroup::kDataset;
  for (const Options::Entry& option : Options().entries()) {
    EXPECT_GE(option.group, last) << option.name << ": groups follow each other";
    last = option.group;
    ++sizes[option.group];
  }
  EXPECT_EQ(sizes.size(), 4u);
  EXPECT_EQ(name(OptionGroup::kExpert), "experts");
  EXPECT_LE(sizes[OptionGroup::kDataset] + sizes[OptionGroup::kSpeed] + sizes[OptionGroup::kSafety], 21);
}

TEST(Options, EntriesCanBeSetAgain) {
  Options o, copy;
  o.memory_budget_bytes = 1000;
  o.alignment_bytes = 1;
  o.fsync = Fsync::kClose;
  for (const Options::Entry& e : o.entries()) copy.set(e.name, e.value, e.source).check();
  EXPECT_EQ(copy.memory_budget_bytes, 1000);
  EXPECT_EQ(copy.alignment_bytes, 1);
  EXPECT_EQ(copy.fsync, Fsync::kClose);
  EXPECT_EQ(entry(copy.entries(), "fsync").source, "program");  // a member that was set directly
  EXPECT_EQ(entry(copy.entries(), "format").source, "built-in");
}

TEST(Options, SizesArePrintedWithTheLargestSuffix) {
  Options o;
  EXPECT_EQ(entry(o.entries(), "memory_budget").value, "64M");
  EXPECT_EQ(entry(o.entries(), "alignment").value, "4K");
  o.memory_budget_bytes = 1025;
  EXPECT_EQ(entry(o.entries(), "memory_budget").value, "1025");
}

TEST(Options, InvalidValuesChangeNothing) {
  struct Row {
    const char *name, *value;
  };
  for (const Row& row : {Row{"format", "hdf"},
                         Row{"chunks", ""},
                         Row{"chunks", "4,0"},
                         Row{"chunks", "4,"},
                         Row{"chunks", "1,1,1,1,1,1"},
                         Row{"chunk_alignment", "0"},
                         Row{"overwrite", "maybe"},
                         Row{"bits_per_block", "31"},
                         Row{"bits_per_block", "-1"},
                         Row{"bits_per_block", "x"},
                         Row{"blocks_per_file", "-1"},
                         Row{"alignment", "0"},
                         Row{"alignment", "2G"},
                         Row{"alignment", "4KB"},
                         Row{"alignment", ""},
                         Row{"alignment", "K"},
                         Row{"aggregators", "99999999999"},
                         Row{"memory_budget", "0"},
                         Row{"memory_budget", "99999999999G"},
                         Row{"memory_budget", "1.5G"},
                         Row{"fsync", "always"}}) {
    Options o;
    const Status s = o.set(row.name, row.value);
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << row.name << " " << row.value;
    EXPECT_NE(s.message().find("expected"), std::string::npos) << s.message();
    EXPECT_EQ(entry(o.entries(), row.name).source, "built-in");
  }
  EXPECT_EQ(Options().set("fsync", "always").message(),
            "option 'fsync': expected none, step or close, found 'always'");
}

TEST(Options, CompressionListsEveryCodec) {
  const std::string help = entry(Options().entries(), "compression").help;
  const std::string message = Options().set("compression", "gzip").message();
  for (const char* choice :
       {"none", "zip", "lz4", "zfp-reversible", "zfp-precision=N", "zfp-accuracy=X", "zstd", "bitround=N"}) {
    EXPECT_NE(help.find(choice), std::string::npos) << choice;
    EXPECT_NE(message.find(choice), std::string::npos) << choice;
  }
}

TEST(Options, ErrorsOfUnknownNamesSuggestAndListNames) {
  const std::string message = Options().set("agregators", "2").message();
  EXPECT_NE(message.find("did you mean 'aggregators'"), std::string::npos) << message;
  EXPECT_NE(message.find("memory_budget"), std::string::npos) << message;
  EXPECT_EQ(Options().set("zzzzzzzzzz", "2").message().find("did you mean"), std::string::npos);
  EXPECT_EQ(Options().set(std::string(1000000, 'z'), "2").code(), Code::kInvalidArgument);
}

TEST_F(LoadOptions, BuiltInWithoutFileAndVariables) {
  const Options o = Options::load().value();
  EXPECT_EQ(o.aggregators, 0);
  EXPECT_EQ(entry(o.entries(), "aggregators").source, "built-in");
}

TEST_F(LoadOptions, FileInTheWorkingDirectory) {
  write("esker.toml", "# tuning\naggregators = 4\nmemory_budget = \"128M\"\nchecksums = false\n");
  const Options o = Options::load().value();
  EXPECT_EQ(o.aggregators, 4);
  EXPECT_EQ(o.memory_budget_bytes, Index{128} << 20);
  EXPECT_FALSE(o.checksums);
  EXPECT_EQ(entry(o.entries(), "aggregators").source, "esker.toml");
  EXPECT_EQ(entry(o.entries(), "fsync").source, "built-in");
}

TEST_F(LoadOptions, TheDefaultFileCannotNameFilesOrAllowOverwriting) {
  for (const char* text : {"report = 'elsewhere.json'\n", "stage = '/elsewhere'\n", "overwrite = true\n"}) {
    write("esker.toml", text);
    const Status found = Options::load().status();
    EXPECT_EQ(found.code(), Code::kInvalidArgument);
    EXPECT_NE(found.message().find("esker.toml:1: option '"), std::string::npos) << found.message();
    EXPECT_NE(found.message().find("ESKER_CONFIG"), std::string::npos) << found.message();
    set_variable("ESKER_CONFIG", "esker.toml");  // the user names the file explicitly
    EXPECT_TRUE(Options::load().ok());
    set_variable("ESKER_CONFIG", "");
  }
  write("esker.toml", "report = 'none'\noverwrite = false\nformat = 'cdf5'\n");
  const Result<Options> harmless = Options::load();
  ASSERT_TRUE(harmless.ok()) << harmless.status().message();
  EXPECT_EQ(harmless->format, "cdf5");
}

TEST_F(LoadOptions, ANamedFileReplacesTheDefaultFile) {
  write("esker.toml", "aggregators = 4\nfsync = 'step'\n");
  write("other.toml", "aggregators = 5\n");
  set_variable("ESKER_CONFIG", "other.toml");
  const Options o = Options::load().value();
  EXPECT_EQ(o.aggregators, 5);
  EXPECT_EQ(o.fsync, Fsync::kNone);
  EXPECT_EQ(entry(o.entries(), "aggregators").source, "other.toml");
}

TEST_F(LoadOptions, EnvironmentBeatsFileAndProgramBeatsBoth) {
  write("esker.toml", "aggregators = 4\nbits_per_block = 12\n");
  set_variable("ESKER_AGGREGATORS", "6");
  set_variable("ESKER_TEST_ANYTHING", "ignored");
  Options o = Options::load().value();
  EXPECT_EQ(o.aggregators, 6);
  EXPECT_EQ(entry(o.entries(), "aggregators").source, "ESKER_AGGREGATORS");
  EXPECT_EQ(o.bits_per_block, 12);
  o.set("aggregators", "7").check();
  EXPECT_EQ(entry(o.entries(), "aggregators").value, "7");
  EXPECT_EQ(entry(o.entries(), "aggregators").source, "program");
}

TEST_F(LoadOptions, UnknownNamesAreErrorsWithTheirSource) {
  write("esker.toml", "\nagregators = 4\n");
  EXPECT_NE(
      Options::load().status().message().find("esker.toml:2: unknown option 'agregators'; did you mean"),
      std::string::npos)
      << Options::load().status().message();
  write("esker.toml", "");
  set_variable("ESKER_AGREGATORS", "4");
  const Status s = Options::load().status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_NE(s.message().find("ESKER_AGREGATORS"), std::string::npos);
  EXPECT_NE(s.message().find("did you mean 'aggregators'"), std::string::npos);
}

TEST_F(LoadOptions, VariablesAreInCapitals) {
  set_variable("ESKER_Aggregators", "4");
  EXPECT_EQ(Options::load().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Options::load().status().message(),
            "environment variable ESKER_Aggregators: unknown; did you mean 'ESKER_AGGREGATORS'?");
}

TEST_F(LoadOptions, BadValuesNameFileOrVariable) {
  set_variable("ESKER_FSYNC", "sometimes");
  EXPECT_EQ(
      Options::load().status().message(),
      "environment variable ESKER_FSYNC: option 'fsync': expected none, step or close, found 'sometimes'");
  unsetenv("ESKER_FSYNC");
  for (const char* bad :
       {"aggregators = 1.5", "aggregators = [1]", "[aggregators]\nx = 1", "aggregators = -1",
        "aggregators = 1979-05-27", "this is no TOML", "a = 'unclosed", "aggregators = 1\naggregators = 2"}) {
    write("esker.toml", bad);
    const Status s = Options::load().status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << bad;
    EXPECT_NE(s.message().find("esker.toml:"), std::string::npos) << s.message();
  }
}

TEST_F(LoadOptions, FilesThatCannotBeRead) {
  set_variable("ESKER_CONFIG", "missing.toml");
  EXPECT_EQ(Options::load().status().code(), Code::kNotFound);
  std::filesystem::create_directory("folder");
  set_variable("ESKER_CONFIG", "folder");
  EXPECT_FALSE(Options::load().ok());
  write("large.toml", std::string(2 << 20, '#'));
  set_variable("ESKER_CONFIG", "large.toml");
  EXPECT_EQ(Options::load().status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker
