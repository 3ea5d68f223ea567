!> Rondo for Fortran: the C interface of rondo/rondo.h over the handles of mpi_f08.
!!
!! Arguments and meaning are those of MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw in mpi_f08: any
!! datatypes, MPI_IN_PLACE as sendbuf, MPI_BOTTOM, and an optional ierror. rondo/rondo.h describes
!! who must call what, the errors and the algorithms. A non-contiguous buffer, as in a(1:9:2), is
!! treated as if it were contiguous and costs a copy (MPI_ERR_NO_MEM if there is no memory for it).
module rondo
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr
  use mpi_f08, only: MPI_ADDRESS_KIND, MPI_Comm, MPI_Datatype, MPI_Info
  implicit none
  private
  public :: Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw
  public :: Rondo_Alltoallv_dynamic, Rondo_Alltoallv_dynamic_alloc, Rondo_Alltoallv_dynamic_take
  public :: Rondo_Sparse_alltoallv, Rondo_Sparse_alltoallv_alloc
  public :: Rondo_Neighbor_alltoall, Rondo_Neighbor_alltoallv, Rondo_Neighbor_alltoallw
  public :: Rondo_Neighbor_alltoall_plan, Rondo_Neighbor_alltoallv_plan
  public :: Rondo_Neighbor_alltoallw_plan
  public :: Rondo_Comm_prepare, Rondo_Comm_set_algorithm, Rondo_Comm_get_algorithm
  public :: Rondo_Comm_get_last_algorithm
  public :: Rondo_Alltoall_plan, Rondo_Alltoallv_plan, Rondo_Alltoallw_plan
  public :: Rondo_Execute, Rondo_Plan_get_algorithm, Rondo_Plan_free, Rondo_Get_last_error
  public :: Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw, Rondo_Start
  public :: Rondo_Ineighbor_alltoall, Rondo_Ineighbor_alltoallv, Rondo_Ineighbor_alltoallw
  public :: Rondo_Test, Rondo_Wait, Rondo_Testall, Rondo_Waitall, Rondo_Request
  public :: Rondo_Plan, RONDO_PLAN_NULL, operator(==), operator(/=)

  !> The same exchange many times; see "Plans" in rondo/rondo.h.
  type :: Rondo_Plan
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  type(Rondo_Plan), parameter :: RONDO_PLAN_NULL = Rondo_Plan(c_null_ptr)

  !> A started exchange; see "Started exchanges" in rondo/rondo.h. At first, and when it is complete,
  !! it stands for no exchange.
  type, bind(C) :: Rondo_Request
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr) :: types = c_null_ptr  ! what alltoallw uses until it is complete
  end type

  interface operator(==)
    pure module function same_plan(a, b) result(same)
      type(Rondo_Plan), intent(in) :: a, b
      logical :: same
    end function
  end interface

  interface operator(/=)
    pure module function different_plans(a, b) result(different)
      type(Rondo_Plan), intent(in) :: a, b
      logical :: different
    end function
  end interface

  interface
    !> Collective. As MPI_Alltoall.
    module subroutine Rondo_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As MPI_Alltoallv: counts and displacements in elements.
    module subroutine Rondo_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As MPI_Alltoallw: displacements in bytes.
    module subroutine Rondo_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As Rondo_Alltoallv for a rank that does not know how much it receives: recvcounts
    !! and rdispls are written. recvbuf has room for recvcapacity elements. If more arrive, ierror is
    !! MPI_ERR_TRUNCATE on this rank, and Rondo_Alltoallv_dynamic_take has them.
    module subroutine Rondo_Alltoallv_dynamic(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcapacity, recvcounts, rdispls, recvtype, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcapacity
      integer, intent(out) :: recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. The same in Rondo's own memory, at recvbuf (for c_f_pointer; c_null_ptr if nothing
    !! arrives), until the next dynamic exchange on comm or until comm is freed.
    module subroutine Rondo_Alltoallv_dynamic_alloc(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*)
      type(c_ptr), intent(out) :: recvbuf
      integer, intent(out) :: recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local. Copies what Rondo keeps of this rank's last dynamic exchange on comm to recvbuf.
    module subroutine Rondo_Alltoallv_dynamic_take(recvbuf, recvcapacity, recvtype, comm, ierror)
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: recvcapacity
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Each rank names only the ranks to which it sends, and learns who sends to it. sources,
    !! recvcounts and rdispls are Rondo's arrays, with one entry for each rank that has sent, until the
    !! next sparse exchange on comm or until comm is freed. recvbuf is as for Rondo_Alltoallv_dynamic.
    module subroutine Rondo_Sparse_alltoallv(sendbuf, ndestinations, destinations, sendcounts, &
        sdispls, sendtype, recvbuf, recvcapacity, recvtype, sources, recvcounts, rdispls, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: ndestinations, destinations(*), sendcounts(*), sdispls(*), recvcapacity
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer, pointer, intent(out) :: sources(:), recvcounts(:), rdispls(:)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. The same in Rondo's own memory, at recvbuf, as for Rondo_Alltoallv_dynamic_alloc.
    module subroutine Rondo_Sparse_alltoallv_alloc(sendbuf, ndestinations, destinations, sendcounts, &
        sdispls, sendtype, recvbuf, recvtype, sources, recvcounts, rdispls, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: ndestinations, destinations(*), sendcounts(*), sdispls(*)
      type(c_ptr), intent(out) :: recvbuf
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      integer, pointer, intent(out) :: sources(:), recvcounts(:), rdispls(:)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As MPI_Neighbor_alltoall: a block for every edge of comm's topology.
    module subroutine Rondo_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. The plan of such an exchange.
    module subroutine Rondo_Neighbor_alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As MPI_Neighbor_alltoallv: counts and displacements in elements.
    module subroutine Rondo_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. The plan of such an exchange.
    module subroutine Rondo_Neighbor_alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. As MPI_Neighbor_alltoallw: displacements in bytes.
    module subroutine Rondo_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. The plan of such an exchange.
    module subroutine Rondo_Neighbor_alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Sets up comm now instead of at a later call. info may be MPI_INFO_NULL.
    module subroutine Rondo_Comm_prepare(comm, info, ierror)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. collective is 'alltoall', 'alltoallv', 'alltoallw', 'sparse_alltoallv' or
    !! 'neighbor_alltoallv'. algorithm is a text as in 'fused_bruck:radix=4', 'auto', or blank for
    !! auto. Trailing blanks are ignored.
    module subroutine Rondo_Comm_set_algorithm(comm, collective, algorithm, ierror)
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(in) :: collective, algorithm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local, after the set-up. Returns the algorithm and all its parameters, truncated to the
    !! length of algorithm.
    module subroutine Rondo_Comm_get_algorithm(comm, collective, algorithm, ierror)
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(in) :: collective
      character(*), intent(out) :: algorithm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local, after the set-up. Returns in the same form what the last exchange on comm ran, or
    !! 'mpi' if it was forwarded to the MPI library.
    module subroutine Rondo_Comm_get_last_algorithm(comm, algorithm, ierror)
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(out) :: algorithm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Counts and types are copied. Of the buffers the plan keeps only whether sendbuf is
    !! MPI_IN_PLACE.
    module subroutine Rondo_Alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective.
    module subroutine Rondo_Alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective.
    module subroutine Rondo_Alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, plan, ierror)
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(Rondo_Plan), intent(out) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Executes the plan on these buffers. sendbuf is MPI_IN_PLACE if the plan was made
    !! with it.
    module subroutine Rondo_Execute(plan, sendbuf, recvbuf, ierror)
      type(Rondo_Plan), intent(in) :: plan
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Alltoall does and waits for no rank. The buffers must be
    !! contiguous (else MPI_ERR_BUFFER), and asynchronous as for MPI_Ialltoall. They and the
    !! arrays must stay as they are until the request is complete.
    module subroutine Rondo_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Alltoallv does.
    module subroutine Rondo_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Alltoallw does.
    module subroutine Rondo_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Neighbor_alltoall does. Before such a call, or a plan, on comm
    !! it is the MPI library's.
    module subroutine Rondo_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Neighbor_alltoallv does.
    module subroutine Rondo_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Neighbor_alltoallw does.
    module subroutine Rondo_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Starts what Rondo_Execute does.
    module subroutine Rondo_Start(plan, sendbuf, recvbuf, request, ierror)
      type(Rondo_Plan), intent(in) :: plan
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      type(Rondo_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local. Lets exchanges go on. flag says whether that of request is complete.
    module subroutine Rondo_Test(request, flag, ierror)
      type(Rondo_Request), intent(inout) :: request
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Waits until the exchange is complete.
    module subroutine Rondo_Wait(request, ierror)
      type(Rondo_Request), intent(inout) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local. Lets exchanges go on. flag says whether all requests are complete; until then none is
    !! freed.
    module subroutine Rondo_Testall(count, requests, flag, ierror)
      integer, intent(in) :: count
      type(Rondo_Request), intent(inout) :: requests(count)
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Waits until all exchanges are complete. If several have failed, the first error is returned.
    module subroutine Rondo_Waitall(count, requests, ierror)
      integer, intent(in) :: count
      type(Rondo_Request), intent(inout) :: requests(count)
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local. Returns the algorithm and all its parameters, or the algorithms that the plan is still
    !! measuring, truncated to the length of algorithm.
    module subroutine Rondo_Plan_get_algorithm(plan, algorithm, ierror)
      type(Rondo_Plan), intent(in) :: plan
      character(*), intent(out) :: algorithm
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Collective. Must be called before MPI_Finalize. plan becomes RONDO_PLAN_NULL.
    module subroutine Rondo_Plan_free(plan, ierror)
      type(Rondo_Plan), intent(inout) :: plan
      integer, optional, intent(out) :: ierror
    end subroutine

    !> Local. Returns the text of this thread's last error, of length zero if there was none.
    module function Rondo_Get_last_error() result(text)
      character(:), allocatable :: text
    end function
  end interface
end module
