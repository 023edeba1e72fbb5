#include "formats/zarr/conventions.h"

#include <string>

namespace esker::zarr {

void print_convention(JsonWriter& json, const Convention& convention) {
  const std::string repository = std::string("zarr-conventions/") + convention.name,
                    version = convention.version;
  json.object([&] {
    json.key("description").text(convention.description);
    json.key("name").text(convention.name);
    json.key("schema_url")
        .text("https://raw.githubusercontent.com/" + repository + "/refs/tags/" + version + "/schema.json");
    json.key("spec_url").text("https://github.com/" + repository + "/blob/" + version + "/README.md");
    json.key("uuid").text(convention.uuid);
  });
}

}  // namespace esker::zarr
