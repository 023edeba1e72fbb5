// Options: Esker's options for a run: built-in values, esker.toml, environment, then the program's.
#pragma once

#include <memory>
#include <string>

#include "esker/esker.h"

namespace gcrm {

class Options {
 public:
  /// Local. Throws std::invalid_argument: esker.toml or the environment hold what Esker does not take.
  Options();

  /// Throws std::invalid_argument with Esker's text.
  void set(const std::string& name, const std::string& value);
  /// The same where neither file, environment nor set() has said anything.
  void set_default(const std::string& name, const std::string& value);
  [[nodiscard]] std::string get(const std::string& name) const;
  [[nodiscard]] const esker_options* handle() const { return handle_.get(); }

 private:
  [[nodiscard]] std::string source(const std::string& name) const;

  std::shared_ptr<esker_options> handle_;
};

}  // namespace gcrm
