#include "base/counting.h"

#include <utility>

namespace esker {
namespace {

thread_local int first_counted = 0;

}  // namespace

CountFrom::CountFrom(int number) : before_(std::exchange(first_counted, number)) {}

CountFrom::~CountFrom() { first_counted = before_; }

int first_number() { return first_counted; }

}  // namespace esker
