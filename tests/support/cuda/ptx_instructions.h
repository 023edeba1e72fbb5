// The instructions of PTX that the double knows, by their full names.
#pragma once

#include <string>
#include <vector>

#include "ptx.h"

namespace esker::cuda_double {

/// .b32, .u64, .pred ...
struct PtxType {
  char kind = 'b';  ///< as in the name; p: .pred
  unsigned bits = 0;
};
std::string name_of(PtxType type);

struct PtxInstruction {
  enum class Form {
    kPlain,   ///< target, sources
    kLoad,    ///< values, [address]
    kStore,   ///< [address], values
    kBranch,  ///< label
    kReturn,
  };
  Form form = Form::kPlain;
  void (*run)(Thread&, const Instruction&) = nullptr;
  std::vector<PtxType> types;     ///< of the operands, or of the values
  bool is_wider_allowed = false;  ///< registers may have more bits than the types
  bool is_of_parameters = false;  ///< the address is one of the parameters
};
/// Null: not known.
const PtxInstruction* find_instruction(const std::string& name);
/// Goes to another instruction if the predicate in slot 0 is, or is not, true.
void branch_if(Thread& thread, const Instruction& instruction);
void branch_unless(Thread& thread, const Instruction& instruction);

}  // namespace esker::cuda_double
