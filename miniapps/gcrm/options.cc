#include "options.h"

#include <new>
#include <stdexcept>

namespace gcrm {
namespace {

/// Value and source of an option, by name.
std::pair<std::string, std::string> find(esker_options* options, const std::string& wanted) {
  int num = 0;
  esker_options_inq_num(options, &num);
  for (int n = 0; n < num; ++n) {
    const char *name = nullptr, *value = nullptr, *source = nullptr;
    esker_options_inq(options, n, &name, &value, &source, nullptr);
    if (name && wanted == name) return {value, source};
  }
  return {};
}

void check(esker_status status, const esker_options* options) {
  if (status != ESKER_OK) throw std::invalid_argument(esker_options_message(options));
}

}  // namespace

Options::Options() {
  esker_options* options = nullptr;
  if (esker_options_new(&options) != ESKER_OK) throw std::bad_alloc();
  handle_ = {options, esker_options_free};
  check(esker_options_load(options), options);
}

void Options::set(const std::string& name, const std::string& value) {
  check(esker_options_set(handle_.get(), name.c_str(), value.c_str()), handle_.get());
}

void Options::set_default(const std::string& name, const std::string& value) {
  if (source(name) == "built-in") set(name, value);
}

std::string Options::get(const std::string& name) const { return find(handle_.get(), name).first; }

std::string Options::source(const std::string& name) const { return find(handle_.get(), name).second; }

}  // namespace gcrm
