! The procedures of module rondo. Each passes its arguments to the C shim of the same name
! (calls.c), with the addresses of this MPI's own MPI_IN_PLACE and MPI_BOTTOM.
submodule(rondo) rondo_calls
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, &
      c_size_t
  use mpi_f08, only: MPI_BOTTOM, MPI_IN_PLACE, MPI_SUCCESS
  implicit none

  ! Rondo_Sources of rondo.h.
  type, bind(C) :: c_sources
    integer(c_int) :: count
    type(c_ptr) :: ranks, counts, displs
  end type

  ! What the pointers of a rank without sources point to.
  integer(c_int), target :: nothing(0)

  interface
    function c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, in_place, &
        bottom) result(error) bind(C, name="rondo_f08_alltoall")
      import :: c_int
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), value :: sendcount, sendtype, recvcount, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, in_place, bottom) result(error) bind(C, name="rondo_f08_alltoallv")
      import :: c_int
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, in_place, bottom) result(error) bind(C, name="rondo_f08_alltoallw")
      import :: c_int, MPI_Datatype
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_dynamic(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcapacity, recvcounts, &
        rdispls, recvtype, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_alltoallv_dynamic")
      import :: c_int
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*)
      integer(c_int), intent(out) :: recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvcapacity, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_dynamic_alloc(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_alltoallv_dynamic_alloc")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in) :: sendbuf
      type(c_ptr), intent(out) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*)
      integer(c_int), intent(out) :: recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_dynamic_take(recvbuf, recvcapacity, recvtype, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_alltoallv_dynamic_take")
      import :: c_int
      type(*), dimension(..) :: recvbuf
      integer(c_int), value :: recvcapacity, recvtype, comm
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_sparse(sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype, recvbuf, &
        recvcapacity, recvtype, sources, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_sparse_alltoallv")
      import :: c_int, c_sources
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: destinations(*), sendcounts(*), sdispls(*)
      integer(c_int), value :: ndestinations, sendtype, recvcapacity, recvtype, comm
      type(c_sources), intent(out) :: sources
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_sparse_alloc(sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype, &
        recvbuf, recvtype, sources, comm, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_sparse_alltoallv_alloc")
      import :: c_int, c_ptr, c_sources
      type(*), dimension(..), intent(in) :: sendbuf
      type(c_ptr), intent(out) :: recvbuf
      integer(c_int), intent(in) :: destinations(*), sendcounts(*), sdispls(*)
      integer(c_int), value :: ndestinations, sendtype, recvtype, comm
      type(c_sources), intent(out) :: sources
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_prepare(comm, info) result(error) bind(C, name="rondo_f08_comm_prepare")
      import :: c_int
      integer(c_int), value :: comm, info
      integer(c_int) :: error
    end function

    function c_set_algorithm(comm, collective, algorithm) result(error) &
        bind(C, name="rondo_f08_comm_set_algorithm")
      import :: c_char, c_int
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: collective(*), algorithm(*)
      integer(c_int) :: error
    end function

    function c_get_algorithm(comm, collective, text, length) result(error) &
        bind(C, name="rondo_f08_comm_get_algorithm")
      import :: c_char, c_int
      integer(c_int), value :: comm, length
      character(kind=c_char), intent(in) :: collective(*)
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int) :: error
    end function

    function c_get_last_algorithm(comm, text, length) result(error) &
        bind(C, name="rondo_f08_comm_get_last_algorithm")
      import :: c_char, c_int
      integer(c_int), value :: comm, length
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int) :: error
    end function

    function c_alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        info, plan, in_place, bottom) result(error) bind(C, name="rondo_f08_alltoall_plan")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), value :: sendcount, sendtype, recvcount, recvtype, comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, info, plan, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_alltoallv_plan")
      import :: c_int, c_ptr
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, plan, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_alltoallw_plan")
      import :: c_int, c_ptr, MPI_Datatype
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm, info
      type(c_ptr), intent(out) :: plan
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_execute(plan, sendbuf, recvbuf, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_execute")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        in_place, bottom) result(error) bind(C, name="rondo_f08_ialltoall")
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
        bind(C, name="rondo_f08_ialltoallv")
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
        bind(C, name="rondo_f08_ialltoallw")
      import :: c_int, c_ptr, MPI_Datatype
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(c_int), intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: request, types
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_start(plan, sendbuf, recvbuf, request, in_place, bottom) result(error) &
        bind(C, name="rondo_f08_start")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      type(c_ptr), intent(out) :: request
      type(*), intent(in) :: in_place, bottom
      integer(c_int) :: error
    end function

    function c_test(request, types, flag) result(error) bind(C, name="rondo_f08_test")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request, types
      integer(c_int), intent(out) :: flag
      integer(c_int) :: error
    end function

    function c_wait(request, types) result(error) bind(C, name="rondo_f08_wait")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request, types
      integer(c_int) :: error
    end function

    function c_testall(count, requests, flag) result(error) bind(C, name="rondo_f08_testall")
      import :: c_int, Rondo_Request
      integer(c_int), value :: count
      type(Rondo_Request), intent(inout) :: requests(*)
      integer(c_int), intent(out) :: flag
      integer(c_int) :: error
    end function

    function c_waitall(count, requests) result(error) bind(C, name="rondo_f08_waitall")
      import :: c_int, Rondo_Request
      integer(c_int), value :: count
      type(Rondo_Request), intent(inout) :: requests(*)
      integer(c_int) :: error
    end function

    function c_plan_get_algorithm(plan, text, length) result(error) &
        bind(C, name="rondo_f08_plan_get_algorithm")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: plan
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int), value :: length
      integer(c_int) :: error
    end function

    function c_plan_free(plan) result(error) bind(C, name="rondo_f08_plan_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: error
    end function

    function c_last_error() result(text) bind(C, name="rondo_f08_last_error")
      import :: c_ptr
      type(c_ptr) :: text
    end function

    pure function c_strlen(text) result(length) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  module procedure same_plan
    same = c_associated(a%handle, b%handle) .or. &
        .not. (c_associated(a%handle) .or. c_associated(b%handle))
  end procedure

  module procedure different_plans
    different = .not. a == b
  end procedure

  module procedure Rondo_Ialltoall
    integer :: error
    error = c_ialltoall(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, &
        recvtype%MPI_VAL, comm%MPI_VAL, request%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Ialltoallv
    integer :: error
    error = c_ialltoallv(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcounts, &
        rdispls, recvtype%MPI_VAL, comm%MPI_VAL, request%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Ialltoallw
    integer :: error
    error = c_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm%MPI_VAL, request%handle, request%types, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Start
    integer :: error
    error = c_start(plan%handle, sendbuf, recvbuf, request%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Test
    integer :: error
    integer(c_int) :: is_complete
    error = c_test(request%handle, request%types, is_complete)
    flag = is_complete /= 0
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Wait
    integer :: error
    error = c_wait(request%handle, request%types)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Testall
    integer :: error
    integer(c_int) :: are_complete
    error = c_testall(count, requests, are_complete)
    flag = are_complete /= 0
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Waitall
    integer :: error
    error = c_waitall(count, requests)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoall
    integer :: error
    error = c_alltoall(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, recvtype%MPI_VAL, &
        comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallv
    integer :: error
    error = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcounts, &
        rdispls, recvtype%MPI_VAL, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallw
    integer :: error
    error = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallv_dynamic
    integer :: error
    error = c_dynamic(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcapacity, &
        recvcounts, rdispls, recvtype%MPI_VAL, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallv_dynamic_alloc
    integer :: error
    recvbuf = c_null_ptr
    error = c_dynamic_alloc(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcounts, &
        rdispls, recvtype%MPI_VAL, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallv_dynamic_take
    integer :: error
    error = c_dynamic_take(recvbuf, recvcapacity, recvtype%MPI_VAL, comm%MPI_VAL, MPI_IN_PLACE, &
        MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Sparse_alltoallv
    integer :: error
    type(c_sources) :: found
    error = c_sparse(sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype%MPI_VAL, &
        recvbuf, recvcapacity, recvtype%MPI_VAL, found, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    call show_sources(found, sources, recvcounts, rdispls)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Sparse_alltoallv_alloc
    integer :: error
    type(c_sources) :: found
    recvbuf = c_null_ptr
    error = c_sparse_alloc(sendbuf, ndestinations, destinations, sendcounts, sdispls, &
        sendtype%MPI_VAL, recvbuf, recvtype%MPI_VAL, found, comm%MPI_VAL, MPI_IN_PLACE, MPI_BOTTOM)
    call show_sources(found, sources, recvcounts, rdispls)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Comm_prepare
    integer :: error
    error = c_prepare(comm%MPI_VAL, info%MPI_VAL)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Comm_set_algorithm
    integer :: error
    error = c_set_algorithm(comm%MPI_VAL, trim(collective)//c_null_char, &
        trim(algorithm)//c_null_char)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Comm_get_algorithm
    character(len(algorithm) + 1, c_char) :: text
    integer :: error
    text = c_null_char
    error = c_get_algorithm(comm%MPI_VAL, trim(collective)//c_null_char, text, len(text))
    algorithm = text(:index(text, c_null_char) - 1)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Comm_get_last_algorithm
    character(len(algorithm) + 1, c_char) :: text
    integer :: error
    text = c_null_char
    error = c_get_last_algorithm(comm%MPI_VAL, text, len(text))
    algorithm = text(:index(text, c_null_char) - 1)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoall_plan
    integer :: error
    error = c_alltoall_plan(sendbuf, sendcount, sendtype%MPI_VAL, recvbuf, recvcount, &
        recvtype%MPI_VAL, comm%MPI_VAL, info%MPI_VAL, plan%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallv_plan
    integer :: error
    error = c_alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype%MPI_VAL, recvbuf, recvcounts, &
        rdispls, recvtype%MPI_VAL, comm%MPI_VAL, info%MPI_VAL, plan%handle, MPI_IN_PLACE, &
        MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Alltoallw_plan
    integer :: error
    error = c_alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm%MPI_VAL, info%MPI_VAL, plan%handle, MPI_IN_PLACE, MPI_BOTTOM)
    if (error /= MPI_SUCCESS) plan%handle = c_null_ptr
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Execute
    integer :: error
    error = c_execute(plan%handle, sendbuf, recvbuf, MPI_IN_PLACE, MPI_BOTTOM)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Plan_get_algorithm
    character(len(algorithm) + 1, c_char) :: text
    integer :: error
    text = c_null_char
    error = c_plan_get_algorithm(plan%handle, text, len(text))
    algorithm = text(:index(text, c_null_char) - 1)
    if (present(ierror)) ierror = error
  end procedure

  module procedure Rondo_Plan_free
    integer :: error
    error = c_plan_free(plan%handle)
    if (present(ierror)) ierror = error
  end procedure

  subroutine show_sources(found, sources, recvcounts, rdispls)
    type(c_sources), intent(in) :: found
    integer, pointer, intent(out) :: sources(:), recvcounts(:), rdispls(:)
    sources => nothing
    recvcounts => nothing
    rdispls => nothing
    if (found%count == 0) return
    call c_f_pointer(found%ranks, sources, [found%count])
    call c_f_pointer(found%counts, recvcounts, [found%count])
    call c_f_pointer(found%displs, rdispls, [found%count])
  end subroutine

  module procedure Rondo_Get_last_error
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: address
    integer :: i
    address = c_last_error()
    call c_f_pointer(address, characters, [c_strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end procedure
end submodule
