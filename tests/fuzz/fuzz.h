// Common code of the harnesses: libFuzzer's entry point, and a check that ends the program.
//
// A harness is a function of bytes that must return: with clang it is linked to libFuzzer, else to driver.cc,
// which replays the corpus and mutations of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace esker::fuzz {

/// Ends the program, so that both drivers keep the input, unless `truth` holds.
inline void require(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::abort();
}

/// A failure has a message, and a short one whatever the input holds.
template <class T>
void require_short_message(const T& result) {
  require(result.ok() || (!result.message().empty() && result.message().size() < 2000),
          "an error says in a few words what is wrong");
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace esker::fuzz
