// Runs a harness without libFuzzer: every file of a corpus, then the same mutations of them in every run.
//
//   fuzz_header tests/fuzz/corpus/header 20000
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/fuzz.h"
#include "support/mutate.h"

namespace {

std::vector<std::string> read_corpus(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void run(const std::string& input) {
  // A copy of exactly this size, so that the sanitizer detects reads beyond it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS MUTATIONS\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> inputs = read_corpus(argv[1]);
  esker::fuzz::require(!inputs.empty(), "the corpus holds a file");
  for (const std::string& input : inputs) run(input);
  std::mt19937 random(20240611);
  const int count = std::atoi(argv[2]);
  for (int k = 0; k < count; ++k) {
    run(esker::testing_support::mutated(inputs[static_cast<std::size_t>(k) % inputs.size()], random));
  }
  std::printf("%zu files and %d mutations\n", inputs.size(), count);
}
