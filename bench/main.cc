// esker-bench: compares Esker with plain files on the output of a simulation, on the ranks of one MPI job.
//
// `esker bench` starts it, and computes ratios and figures from the seconds that it prints as JSON.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "esker/mpi.hpp"
#include "esker_case.h"
#include "program.h"
#include "regular_parts.h"

namespace bench {
namespace {

esker::Options options_of(const std::vector<std::string>& texts) {
  esker::Options options = esker::Options::load().value();
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    options.set(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())), "command line")
        .check();
  }
  return options;
}

/// "NAME KEY=VALUE KEY=VALUE...": a case with options that only it has.
struct Variant {
  std::string text, name;
  std::vector<std::string> options;
};

Variant parse_variant(const std::string& text) {
  Variant variant{text, {}, {}};
  std::istringstream words(text);
  words >> variant.name;
  for (std::string word; words >> word;) variant.options.push_back(word);
  return variant;
}

PackedLayout packed_layout(const Variant& variant) {
  PackedLayout layout;
  for (const std::string& option : variant.options) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string key = option.substr(0, equals);
    Index value = 0;
    const char* end = option.data() + option.size();
    const char* begin = std::min(option.data() + equals + 1, end);
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || rest != end || value < 1 || (key != "files" && key != "write_bytes")) {
      throw std::runtime_error(variant.text + ": expected files=N or write_bytes=N, found " + option);
    }
    (key == "files" ? layout.files : layout.write_bytes) = value;
  }
  return layout;
}

std::unique_ptr<Case> make_variant(const Variant& variant, const std::string& directory,
                                   const Workload& workload, const std::vector<std::string>& options) {
  const esker::Communicator ranks = esker::mpi_communicator(MPI_COMM_WORLD);
  if (variant.name == "packed") {
    const PackedLayout layout = packed_layout(variant);
    return packed_case(variant.text, directory, ranks.rank(), ranks.size(), layout, workload);
  }
  for (const EskerStyle& style : esker_styles()) {
    if (variant.name != style.name) continue;
    std::vector<std::string> all = options;
    all.insert(all.end(), variant.options.begin(), variant.options.end());
    return esker_case(variant.text, directory, ranks, style, options_of(all), workload);
  }
  throw std::runtime_error(variant.text + ": expected packed or a case of Esker");
}

std::vector<std::unique_ptr<Case>> make_cases(const std::vector<std::string>& names,
                                              const std::string& directory, const Workload& workload,
                                              const esker::Options& options) {
  const esker::Communicator ranks = esker::mpi_communicator(MPI_COMM_WORLD);
  Index offset = 0;
  const Index mine = workload.bytes_of_rank();
  MPI_Exscan(&mine, &offset, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (ranks.rank() == 0) offset = 0;
  const bool can_chunk = regular_extents(MPI_COMM_WORLD, workload).has_value();
  std::vector<std::unique_ptr<Case>> cases;
  for (const std::string& name : names) {
    if (name == "posix") cases.push_back(posix_case(directory, ranks.rank()));
    if (name == "posix_shared") cases.push_back(posix_shared_case(directory, offset));
    if (name == "ior") cases.push_back(ior_case(directory, ranks.rank()));
    if (name == "ior_shared") cases.push_back(ior_shared_case(directory, offset));
    if (name == "memcpy") cases.push_back(memcpy_case());
    for (const EskerStyle& style : esker_styles()) {
      if (name != style.name || (style.needs_chunks && !can_chunk)) continue;
      cases.push_back(esker_case(style.name, directory, ranks, style, options, workload));
    }
  }
  return cases;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  std::vector<std::string> options, variants;
  bench::Program program{
      .name = "esker-bench",
      .description = "Compares Esker with plain files. Started by `esker bench`.",
      .cases = {"posix", "posix_shared", "memcpy"},
      .cases_on_request = {"ior", "ior_shared"},
      .define_more = {},
      .make_cases = {},
      .libraries = {},
  };
  for (const bench::EskerStyle& style : bench::esker_styles()) {
    (style.is_on_request ? program.cases_on_request : program.cases).emplace_back(style.name);
  }
  program.define_more = [&](CLI::App& app) {
    app.add_option("-o,--option", options, "KEY=VALUE: an option of Esker; repeatable")
        ->allow_extra_args(false);
    app.add_option(
           "--variant", variants,
           "'CASE KEY=VALUE ...': in place of the cases, a case of Esker with options that only it has, or "
           "'packed [files=N] [write_bytes=N]': storage alone; repeatable")
        ->allow_extra_args(false);
  };
  program.make_cases = [&](const auto& names, const std::string& directory, const bench::Workload& workload) {
    std::vector<std::unique_ptr<bench::Case>> cases;
    for (const std::string& text : variants)
      cases.push_back(bench::make_variant(bench::parse_variant(text), directory, workload, options));
    return !cases.empty() ? std::move(cases)
                          : bench::make_cases(names, directory, workload, bench::options_of(options));
  };
  return bench::run_program(argc, argv, program);
}
