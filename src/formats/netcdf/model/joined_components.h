// Vectors of which a file has one variable per component: read as the fields that they are.
#pragma once

#include <memory>

#include "read/opened_dataset.h"

namespace esker {

// Attributes of such a variable: the field that it is a component of, which one from 0 on, and of how many.
inline constexpr const char* kComponentOf = "esker_component_of";
inline constexpr const char* kComponent = "esker_component";
inline constexpr const char* kComponents = "esker_components";

/// The dataset with each field whose components are all there, alike in grid, type and steps, in the place of
/// its first component; the dataset itself if there is none.
Result<std::unique_ptr<OpenedDataset>> join_components(std::unique_ptr<OpenedDataset> dataset);

}  // namespace esker
