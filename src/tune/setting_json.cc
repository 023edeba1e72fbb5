#include "tune/setting_json.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker {

void write_setting(JsonWriter& json, const Setting& setting) {
  json.object([&] {
    for (const auto& [option, value] : setting) json.key(option).text(value);
  });
}

Result<Setting> get_setting(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const Json* members, get_object(object, key));
  Setting setting;
  for (const auto& [option, value] : members->items()) {
    if (!value.is_string()) {
      return error(Code::kDataLoss, "'{}': expected the text of option '{}'", key, excerpt(option));
    }
    setting[option] = value.get<std::string>();
  }
  const Status valid = with_setting(Options(), setting).status();
  if (!valid.ok()) return error(Code::kDataLoss, "'{}': {}", key, valid.message());
  return setting;
}

}  // namespace esker
