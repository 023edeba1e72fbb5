! The Fortran tests in one process: fortran_serial DIRECTORY
program serial_main
  use cases
  implicit none
  call take_directory()
  call run_all()
  if (num_failures > 0) error stop 1
end program
