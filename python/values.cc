#include "values.h"

#include <cstring>
#include <string>
#include <variant>

#include "esker/types/sample_type.hpp"

namespace nb = nanobind;

namespace esker::python {
namespace {

constexpr const char* kText = "text";

nb::bytes to_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

/// The text with its NULs. Raises UnicodeEncodeError for text that UTF-8 cannot represent (lone surrogates).
std::string text_from(nb::handle value) {
  if (!nb::isinstance<nb::str>(value)) {
    throw Error(Code::kInvalidArgument, "expected a str, or a tuple that begins with one");
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text) nb::raise_python_error();
  return {text, static_cast<std::size_t>(size)};
}

nb::bytes bytes_from(nb::handle value) {
  if (nb::isinstance<nb::bytes>(value)) return nb::cast<nb::bytes>(value);
  throw Error(Code::kInvalidArgument, "expected bytes");
}

nb::tuple tuple_from(nb::handle value) {
  if (nb::isinstance<nb::tuple>(value)) return nb::cast<nb::tuple>(value);
  throw Error(Code::kInvalidArgument, "expected a tuple");
}

}  // namespace

nb::object to_python(const Numbers& numbers) {
  const std::string type(name(type_of(numbers)));
  return std::visit(
      [&](const auto& list) -> nb::object {
        return nb::make_tuple(nb::str(type.c_str()), nb::bytes(list.data(), list.size() * sizeof(list[0])));
      },
      numbers);
}

nb::object to_python(const AttributeValue& value) {
  if (const auto* stored = std::get_if<StoredText>(&value)) {
    return nb::make_tuple(nb::str(kText), nb::str(stored->text.data(), stored->text.size()),
                          to_bytes(stored->bytes));
  }
  if (const auto* list = std::get_if<TextList>(&value)) {
    nb::list texts;
    for (const std::string& text : list->texts) texts.append(nb::str(text.data(), text.size()));
    return texts;
  }
  if (const std::string* text = text_of(value)) return nb::str(text->data(), text->size());
  return to_python(numbers_of(value));
}

nb::dict to_python(const Attributes& attributes) {
  nb::dict values;
  for (const auto& [name, value] : attributes) values[nb::str(name.data(), name.size())] = to_python(value);
  return values;
}

Numbers to_numbers(nb::handle value) {
  const nb::tuple given = tuple_from(value);
  if (given.size() != 2) throw Error(Code::kInvalidArgument, "expected a type and bytes");
  const SampleType type = parse_sample_type(text_from(given[0])).value();
  const nb::bytes bytes = bytes_from(given[1]);
  Numbers numbers = to_type(Numbers(std::vector<double>()), type).value();
  std::visit(
      [&](auto& list) {
        if (bytes.size() % sizeof(list[0]) != 0) {
          throw Error(Code::kInvalidArgument, "expected numbers of " + std::to_string(sizeof(list[0])) +
                                                  " bytes, found " + std::to_string(bytes.size()) + " bytes");
        }
        list.resize(bytes.size() / sizeof(list[0]));
        if (!list.empty()) std::memcpy(list.data(), bytes.c_str(), list.size() * sizeof(list[0]));
      },
      numbers);
  return numbers;
}

AttributeValue to_attribute_value(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return text_from(value);
  if (nb::isinstance<nb::list>(value)) {
    std::vector<std::string> texts;
    for (const nb::handle text : value) texts.push_back(text_from(text));
    return to_value(std::move(texts));
  }
  const nb::tuple given = tuple_from(value);
  if (given.size() == 3) {
    const nb::bytes bytes = bytes_from(given[2]);
    return StoredText{text_from(given[1]), std::string(bytes.c_str(), bytes.size())};
  }
  return to_value(to_numbers(value));
}

}  // namespace esker::python
