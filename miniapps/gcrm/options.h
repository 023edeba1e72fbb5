// Options: Esker's options for a run, from the built-in values, esker.toml, the environment and the program,
// in this order.
#pragma once

#include <memory>
#include <string>

#include "esker/esker.h"

namespace gcrm {

class Options {
 public:
  /// Local. Throws std::invalid_argument if esker.toml or the environment hold an invalid option.
  Options();

  /// Throws std::invalid_argument with Esker's message.
  void set(const std::string& name, const std::string& value);
  /// The same, unless the file, the environment or set() has set the option.
  void set_default(const std::string& name, const std::string& value);
  [[nodiscard]] std::string get(const std::string& name) const;
  [[nodiscard]] const esker_options* handle() const { return handle_.get(); }

 private:
  [[nodiscard]] std::string source(const std::string& name) const;

  std::shared_ptr<esker_options> handle_;
};

}  // namespace gcrm
