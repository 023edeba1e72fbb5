#include "model/free_name.h"

namespace esker {

std::string free_name(const Schema& schema, const std::string& begin, const std::string& end) {
  constexpr std::size_t kMost = 100;  // so that the name is valid
  std::string name = begin.substr(0, kMost) + end;
  while (schema.find_grid(name) || schema.find_dim(name) || schema.find_field(name) ||
         schema.find_scalar(name)) {
    name += '-';
  }
  return name;
}

}  // namespace esker
