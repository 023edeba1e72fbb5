// JsonWriter: writes JSON into a string, element by element.
//
//   JsonWriter json(1);
//   json.object([&] {
//     json.key("name").text(name);
//     json.key("times").reals(times);
//   });
//   file = json.take();
//
// It builds no tree: a failed allocation throws std::bad_alloc, and nothing else needs memory. (The library
// that parses JSON allocates in destructors, and then ends the program.) The bytes are those of the library's
// dump(): files are the same as those of earlier versions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "esker/types/schema.hpp"

namespace esker {

class JsonWriter {
 public:
  static constexpr int kOneLine = -1;

  /// `indent`: spaces per level of nesting, each element on its own line; kOneLine: no white space.
  explicit JsonWriter(int indent = kOneLine) : indent_(indent) {}

  /// `body` writes the members, each as key() and a value; or the elements.
  template <class Body>
  void object(const Body& body) {
    open('{');
    body();
    close('}');
  }
  template <class Body>
  void array(const Body& body) {
    open('[');
    body();
    close(']');
  }
  /// The name of the next member. Names in an object differ.
  JsonWriter& key(std::string_view name);

  /// In `value`, bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  void boolean(bool value);
  void integer(std::integral auto value) { number(std::to_string(value)); }
  /// NaN and infinities are null.
  void real(double value);

  /// Arrays. Reals that JSON lacks are "NaN", "Infinity", "-Infinity".
  void reals(const std::vector<double>& values);
  void numbers(const Numbers& values);
  void texts(const std::vector<std::string>& values);

  /// The text; the writer is empty afterwards.
  std::string take() { return std::move(text_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void number(std::string_view digits);
  void begin_element();
  void begin_line();
  void quote(std::string_view value);

  std::string text_;
  int indent_;
  int depth_ = 0;
  bool is_empty_ = true;    // the innermost container has no element yet
  bool after_key_ = false;  // the next value belongs to a key
};

}  // namespace esker
