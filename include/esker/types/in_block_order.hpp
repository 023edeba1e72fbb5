// InBlockOrder: the order of samples within an IDX block.
#pragma once

#include <cstdint>

namespace esker {

enum class InBlockOrder : std::uint8_t {
  kRowMajor,  ///< x fastest: compresses well and is read fast
  kHz,        ///< along the HZ curve, as PIDX and older programs expect
};

}  // namespace esker
