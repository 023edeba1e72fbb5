// esker_options: esker::Options.
#include <new>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Options;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

extern "C" {

esker_status esker_options_new(esker_options** out) {
  if (!out) return ESKER_INVALID_ARGUMENT;
  *out = nullptr;
  return code_of(esker::guarded("options", [&] {
    *out = new esker_options();
    return Status();
  }));
}

esker_status esker_options_load(esker_options* options) {
  return call(options, "load", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(options->values, Options::load());
    options->entries.clear();
    return {};
  });
}

esker_status esker_options_set(esker_options* options, const char* name, const char* value) {
  return call(options, "set", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_given("set", {{name, "name"}, {value, "value"}}));
    ESKER_RETURN_IF_ERROR(options->values.set(name, value));
    options->entries.clear();
    return {};
  });
}

esker_status esker_options_inq_num(esker_options* options, int* num) {
  return call(options, "options_inq_num", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_given("options_inq_num", {{num, "num"}}));
    *num = static_cast<int>(options->values.entries().size());
    return {};
  });
}

esker_status esker_options_inq(esker_options* options, int number, const char** name, const char** value,
                               const char** source, const char** help) {
  return call(options, "options_inq", [&]() -> Status {
    if (options->entries.empty()) options->entries = options->values.entries();
    ESKER_ASSIGN_OR_RETURN(const Options::Entry* entry, element(options->entries, number, "option"));
    give(name, entry->name.c_str());
    give(value, entry->value.c_str());
    give(source, entry->source.c_str());
    give(help, entry->help.c_str());
    return {};
  });
}

const char* esker_options_message(const esker_options* options) {
  return options ? options->failure.message().c_str() : "the options are NULL";
}

void esker_options_free(esker_options* options) { delete options; }

}  // extern "C"
