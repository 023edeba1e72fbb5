#include "write/step_input.h"

#include "model/field_facts.h"
#include "plan/field_boxes.h"

namespace esker {

std::vector<bool> StepInput::fields_stored(const Schema& of_dataset) const {
  if (schema) return stored;
  std::vector<bool> due;
  for (const Field& field : of_dataset.fields()) due.push_back(is_due(field, step));
  return due;
}

}  // namespace esker
