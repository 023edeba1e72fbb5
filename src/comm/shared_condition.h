// SharedCondition: a mutex and a condition variable in shared memory, for the processes of a node.
#pragma once

#include <pthread.h>

namespace esker {

struct SharedCondition {
  pthread_mutex_t mutex;
  pthread_cond_t changed;

  /// Called by one process before others use the condition. Returns 0 or the system's error number.
  int init() {
    pthread_mutexattr_t mutex_attributes;
    pthread_condattr_t cond_attributes;
    int failure = ::pthread_mutexattr_init(&mutex_attributes);
    if (failure == 0) failure = ::pthread_condattr_init(&cond_attributes);
    if (failure == 0) failure = ::pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_SHARED);
    if (failure == 0) failure = ::pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED);
    if (failure == 0) failure = ::pthread_mutex_init(&mutex, &mutex_attributes);
    if (failure == 0) failure = ::pthread_cond_init(&changed, &cond_attributes);
    return failure;
  }

  /// The caller holds the lock.
  void wait() { ::pthread_cond_wait(&changed, &mutex); }
  void wake_all() { ::pthread_cond_broadcast(&changed); }

  class Locked {
   public:
    explicit Locked(SharedCondition& condition) : mutex_(condition.mutex) { ::pthread_mutex_lock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { ::pthread_mutex_unlock(&mutex_); }

   private:
    pthread_mutex_t& mutex_;
  };
};

}  // namespace esker
