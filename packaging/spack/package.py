# For Spack 1.0 or newer.
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Rondo(CMakePackage):
    """All-to-all exchanges for MPI programs: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw by
    algorithms of the user's choice, as a library or in programs that are not recompiled."""

    license("Apache-2.0")

    # There is no archive to fetch yet: `spack develop --path CHECKOUT rondo@1.1.0`.
    version("1.1.0")

    variant("fortran", default=True, description="Build the Fortran module")
    variant("apps", default=True, description="Build the applications")
    variant("fftw", default=True, when="+apps", description="Build rondo-fft")
    variant("cuda", default=False, description="Build the exchange of GPU memory over NCCL")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.18:", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi@3.1:")
    depends_on("fftw-api@3", when="+fftw")
    depends_on("fftw precision=double,float", when="^[virtuals=fftw-api] fftw")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl@2.18:", when="+cuda")

    conflicts("platform=darwin", msg="Rondo is for Linux")
    conflicts("platform=windows", msg="Rondo is for Linux")
    conflicts("%gcc@:9", msg="Rondo is written in C++20")

    def cmake_args(self):
        return [
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define_from_variant("RONDO_WITH_FORTRAN", "fortran"),
            self.define_from_variant("RONDO_APPS", "apps"),
            self.define("RONDO_WITH_FFTW", self.spec.satisfies("+fftw")),
            self.define_from_variant("RONDO_CUDA", "cuda"),
            self.define("RONDO_TESTS", False),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(join_path(self.prefix.bin, "rondo-exec"))("--version")
