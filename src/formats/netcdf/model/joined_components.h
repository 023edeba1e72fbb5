// Vector fields stored as one variable per component; they are read as one field.
#pragma once

#include <memory>

#include "read/opened_dataset.h"

namespace esker {

// Attributes of such a variable: the name of the field, the index of the component (from 0), the number of
// components.
inline constexpr const char* kComponentOf = "esker_component_of";
inline constexpr const char* kComponent = "esker_component";
inline constexpr const char* kComponents = "esker_components";

/// The dataset with vector fields joined. A joined field replaces its first component; all its components
/// must exist and agree in grid, type and steps. Returns the dataset itself if there is nothing to join.
Result<std::unique_ptr<OpenedDataset>> join_components(std::unique_ptr<OpenedDataset> dataset);

}  // namespace esker
