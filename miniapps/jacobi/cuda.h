// What the model needs of the CUDA driver: a GPU, arrays of it, and its kernel. Programs that are compiled by
// nvcc have this from CUDA; here the driver is opened at run time, so that the model is built everywhere.
#pragma once

#include <cstddef>
#include <span>

namespace jacobi {

/// The driver and a GPU, whose primary context is current on this thread. Functions throw std::runtime_error
/// with the name of the call.
class Gpu {
 public:
  /// Ranks of a node take its GPUs in turn.
  explicit Gpu(int rank_on_node);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  /// Loads the kernel of the model.
  void load(const char* ptx, const char* kernel);
  /// Starts it on `cells` threads or more. `parameters` point to its parameters.
  void launch(std::size_t cells, std::span<void*> parameters);

  [[nodiscard]] double* allocate(std::size_t values);
  void free(double* array) noexcept;
  /// Copies after everything that was started before; returns when it is done.
  void to_host(double* host, const double* array, std::size_t values);
  void to_gpu(double* array, const double* host, std::size_t values);

 private:
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const;
  template <class... Arguments>
  void check(const char* name, Arguments... arguments) const;

  void* library_ = nullptr;
  int device_ = 0;
  void *context_ = nullptr, *module_ = nullptr, *kernel_ = nullptr;
};

/// An array of a GPU, which outlives it.
class GpuArray {
 public:
  GpuArray(Gpu& gpu, std::size_t values) : gpu_(gpu), data_(gpu.allocate(values)) {}
  GpuArray(const GpuArray&) = delete;
  GpuArray& operator=(const GpuArray&) = delete;
  ~GpuArray() { gpu_.free(data_); }
  /// An address of the GPU: the host cannot access it.
  [[nodiscard]] double* data() const { return data_; }

 private:
  Gpu& gpu_;
  double* data_;
};

}  // namespace jacobi
