! The neighbourhood exchanges of module rondo, their plans, and those that are started. As in rondo_calls.f90.
submodule(rondo) rondo_neighbor
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t
  use mpi_f08, only: MPI_BOTTOM, MPI_IN_PLACE, MPI_SUCCESS
  implicit none

  interface
    function c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        in_place, bottom) result(error) bind(C, name="rondo_f08_neighbor_alltoall")
      import :: c_int
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), value :: sendcount, sendtype, recvcount, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        info, plan, in_place, bottom) result(error) bind(C, name="rondo_f08_neighbor_alltoall_plan")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), value :: sendcount, sendtype, recvcount, recvtype, comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_neighbor_alltoallv")
      import :: c_int
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, plan, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_neighbor_alltoallv_plan")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_neighbor_alltoallw")
      import :: c_int, c_intptr_t, MPI_Datatype
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), recvcounts(*)
      integer(c_intptr_t), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, plan, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_neighbor_alltoallw_plan")
      import :: c_int, c_intptr_t, c_ptr, MPI_Datatype
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), recvcounts(*)
      integer(c_intptr_t), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        in_place, bottom) result(error) bind(C, name="rondo_f08_ineighbor_alltoall")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(c_int), value :: sendcount, sendtype, recvcount, recvtype, comm
      type(c_ptr), intent(out) :: request
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, request, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_ineighbor_alltoallv")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(c_int), intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm
      type(c_ptr), intent(out) :: request
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, types, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_ineighbor_alltoallw")
      import :: c_int, c_intptr_t, c_ptr, MPI_Datatype
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(c_int), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(c_intptr_t), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: request, types
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function
  end interface

contains

  module procedure Rondo_Neighbor_alltoall
    integer :: error
    error = c_alltoall(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, &
        recvtype%MPI_VAL, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Neighbor_alltoall_plan
    integer :: error
    error = c_alltoall_plan(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, &
        recvtype%MPI_VAL, comm%MPI_VAL, info%MPI_VAL, &
        plan%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Neighbor_alltoallv
    integer :: error
    error = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, &
        recvcounts, rdispls, recvtype%MPI_VAL, comm%MPI_VAL, &
        MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Neighbor_alltoallv_plan
    integer :: error
    error = c_alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, &
        recvcounts, rdispls, recvtype%MPI_VAL, comm%MPI_VAL, info%MPI_VAL, &
        plan%handle, &
        MPI_IN_PLACE, MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Neighbor_alltoallw
    integer :: error
    error = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Neighbor_alltoallw_plan
    integer :: error
    error = c_alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm%MPI_VAL, info%MPI_VAL, &
        plan%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Ineighbor_alltoall
    integer :: error
    error = c_ialltoall(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, &
        recvtype%MPI_VAL, comm%MPI_VAL, request%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Ineighbor_alltoallv
    integer :: error
    error = c_ialltoallv(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcounts, &
        rdispls, recvtype%MPI_VAL, comm%MPI_VAL, request%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Ineighbor_alltoallw
    integer :: error
    error = c_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm%MPI_VAL, request%handle, request%types, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure
end submodule
