! Without `ierr` an error stops the program with its text: fortran_stop CASE
program stop_main
  use esker
  implicit none
  type(esker_dataset) :: ds
  type(esker_options) :: options
  character(20) :: case
  call get_command_argument(1, case)
  select case (case)
  case ("dataset")
    call esker_open(ds, "no-such-dataset.idx")
  case ("options")
    call esker_options_new(options)
    call esker_options_set(options, "aggregators", "many")
  end select
  print "(a)", "the program goes on"
end program
