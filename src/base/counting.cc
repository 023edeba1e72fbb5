#include "base/counting.h"

#include <utility>

namespace esker {
namespace {

thread_local int first = 0;

}  // namespace

CountFrom::CountFrom(int number) : before_(std::exchange(first, number)) {}

CountFrom::~CountFrom() { first = before_; }

int first_number() { return first; }

}  // namespace esker
