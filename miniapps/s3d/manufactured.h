// Manufactured: smooth scalars that solve the equations exactly, with the source that makes them do so.
//
//   phi_s = m_s + a_s cos(k_s x) cos(l_s (y + L_y / 2)) cos(2 pi z / L_z - w t + f_s)
//
// in a flow of waves whose velocity is known in closed form. The source of phi_s is
// d(phi)/dt + u . grad(phi) - D laplacian(phi) - reaction, at the center of a cell (Roache 2002, "Code
// verification by the method of manufactured solutions"). The gradients across the boundaries are zero, as
// those of the boundary conditions.
#pragma once

#include "problem.h"

namespace s3d {

Values manufactured_solution(const Place& place, double time);

Problem manufactured();

}  // namespace s3d
