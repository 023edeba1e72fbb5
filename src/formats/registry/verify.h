// verify on any store; see esker/verify.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "esker/types/original.hpp"
#include "esker/types/verify_report.hpp"
#include "store/store.h"

namespace esker {

/// `original`: as for verify_against(); null: no comparison.
Result<VerifyReport> verify_dataset(const std::shared_ptr<Store>& store, const std::string& path,
                                    const std::function<void(double)>& progress = {},
                                    const ReadOriginal* original = nullptr);

}  // namespace esker
