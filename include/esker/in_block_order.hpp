// InBlockOrder: how the samples stand inside an IDX block.
#pragma once

#include <cstdint>

namespace esker {

enum class InBlockOrder : std::uint8_t {
  kRowMajor,  ///< x fastest: compresses well, read fast
  kHz,        ///< along the HZ curve, as PIDX and old programs expect it
};

}  // namespace esker
