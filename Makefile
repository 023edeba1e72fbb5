# The commands of the project. `make help` lists them; scripts/ has their code.
.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-s3d demo-amr peers test check slow mpich sanitize clang coverage gpu fuzz smpi glusterfs docs packages wheels certify release clean

help:  ## List the commands
	@sed -n 's/^\([a-z0-9-]*\): .*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:  ## Install missing Debian packages, and .venv/, also for the tests
	@scripts/setup.sh test

build:  ## Build everything (build/release) and install the Python package in .venv/
	@scripts/setup.sh
	@bash -euc '. scripts/env.sh; build_preset release; scripts/install_package.sh'

demo:  ## Run the Greenland ice sheet on 4 ranks, read it back, draw it (demo/); MPI=mpich: on MPICH
	@scripts/setup.sh --packages $(filter mpich,$(MPI))
	@scripts/demo.sh

demo-s3d:  ## Run a lifted flame on 4 ranks with adaptive output, restart it, draw it (demo/s3d/)
	@scripts/setup.sh
	@scripts/demo_s3d.sh

demo-amr:  ## Run the patches of an AMR code on 4 ranks, check all values, draw the mesh (demo/amr/)
	@scripts/setup.sh
	@scripts/demo_amr.sh

peers:  ## Install PnetCDF, parallel HDF5 and netCDF, and the package with the program of `esker bench --peers`
	@scripts/setup.sh test peers
	@scripts/install_package.sh

test: setup  ## Run the tests that tell whether Esker works here: those of C, C++ and Fortran on Open MPI, and Python's
	@scripts/test.sh

check:  ## Run all other tests: more ranks, kills, MPICH, no MPI, other configurations, sanitizers, clang; MINUTES=60: a limit
	@scripts/setup.sh test clang peers simgrid docs
	@scripts/check.sh $(MINUTES)

slow: setup  ## Run the slow tests: more ranks, kills, packages
	@scripts/test.sh slow python-slow

mpich: setup  ## Run all tests that use MPI with MPICH
	@scripts/test.sh mpich

sanitize: setup  ## Run the tests with address, undefined-behaviour and thread sanitizers
	@scripts/test.sh sanitize threads

clang:  ## Run the tests built by clang
	@scripts/setup.sh test clang
	@scripts/test.sh clang

coverage: setup  ## Measure which lines the unit and MPI tests reach, per layer (build/coverage/index.html)
	@scripts/test.sh coverage

gpu:  ## Run the tests and the benchmark of fields on a GPU with the GPU of this machine; skipped where it has none
	@scripts/setup.sh test
	@scripts/gpu.sh

fuzz:  ## Run libFuzzer on all code that reads files, ten seconds per harness
	@scripts/setup.sh test clang
	@scripts/test.sh fuzz

smpi:  ## Run the exchange and replay planned writes in the simulator SimGrid, and compare both with their plans
	@scripts/setup.sh test simgrid
	@scripts/install_package.sh
	@scripts/test.sh smpi

glusterfs:  ## Compare shared files with separate ones on a GlusterFS volume of this machine (needs root and /dev/fuse)
	@scripts/setup.sh test glusterfs
	@scripts/install_package.sh
	@scripts/test.sh glusterfs

docs:  ## Build the site of the documentation (build/docs/html)
	@scripts/setup.sh test docs
	@scripts/docs.sh

packages:  ## Build Debian packages (build/debian), install them in a copy of this system, and use them (needs root)
	@scripts/setup.sh test debian
	@scripts/test.sh packages

wheels:  ## Install the Python package's wheel on minimal systems of Debian 12 and 13, and try it there (needs root)
	@scripts/setup.sh test wheels
	@scripts/test.sh wheels

certify:  ## Run PnetCDF's own programs, FLASH-IO and S3D-IO on the library with its interface (fetches their sources)
	@scripts/setup.sh test peers
	@scripts/test.sh certify

release:  ## Make the files of a release of the last commit (build/release-VERSION/): archives, wheel, site, notes, checksums
	@scripts/setup.sh test docs
	@scripts/release.sh

clean:  ## Remove build/ and demo/ (not .venv/)
	rm -rf build demo
