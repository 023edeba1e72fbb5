// zfp with a fault, for programs that link esker_test_faulty_zfp: on request an encoder that drops bit
// planes, whose streams are valid and decode to samples without their last planes, or one that fails.
#pragma once

namespace esker::testing_support {

/// zfp drops the last `n_planes` bit planes of what it encodes, in all threads of this process, until the end
/// of the scope. In accuracy mode the last few planes are usually a reserve: drop more of them to miss the
/// bound.
class DroppedBitPlanes {
 public:
  explicit DroppedBitPlanes(int n_planes);
  DroppedBitPlanes(const DroppedBitPlanes&) = delete;
  DroppedBitPlanes& operator=(const DroppedBitPlanes&) = delete;
  ~DroppedBitPlanes();
};

/// zfp encodes the next `n_good` blocks of this process, and then fails until the end of the scope.
class FailingEncoder {
 public:
  explicit FailingEncoder(int n_good);
  FailingEncoder(const FailingEncoder&) = delete;
  FailingEncoder& operator=(const FailingEncoder&) = delete;
  ~FailingEncoder();

  /// How often it failed.
  [[nodiscard]] static int num_failed();
};

}  // namespace esker::testing_support
