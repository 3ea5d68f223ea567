! The Fortran module with counts of MPI_COUNT_KIND and displacements of MPI_ADDRESS_KIND. Rank p sends one
! number to each rank, or along each edge: element(p, q). Ends with status 1 if anything is wrong.
program large_counts_test
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use rondo
  implicit none
  integer(MPI_COUNT_KIND), parameter :: one = 1
  integer :: rank, ranks, wrong, all_wrong, ierror, q, size_of_integer
  type(MPI_Comm) :: comm, graph
  integer, asynchronous, allocatable :: send(:), recv(:)
  integer(MPI_COUNT_KIND), asynchronous, allocatable :: counts(:), received(:)
  integer(MPI_ADDRESS_KIND), asynchronous, allocatable :: displs(:), bytes(:), places(:)
  type(MPI_Datatype), allocatable :: types(:)
  type(Rondo_Plan) :: plan
  type(Rondo_Request) :: request

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call MPI_Type_size(MPI_INTEGER, size_of_integer)
  wrong = 0

  allocate (send(ranks), recv(ranks), received(ranks), places(ranks))
  send = [(element(rank, q), q = 0, ranks - 1)]
  allocate (counts(ranks), source=one)
  allocate (displs(ranks), source=[(int(q, MPI_ADDRESS_KIND), q = 0, ranks - 1)])
  allocate (bytes(ranks), source=displs * size_of_integer)
  allocate (types(ranks), source=MPI_INTEGER)
  call Rondo_Comm_prepare(comm, MPI_INFO_NULL, ierror)
  call test_calls()
  call test_starts()
  call test_plans()
  call test_dynamic()
  call test_sparse()
  ! Every rank sends to every rank: a neighbourhood exchange is then the same as one of all ranks.
  call MPI_Dist_graph_create_adjacent(comm, ranks, [(q, q = 0, ranks - 1)], MPI_UNWEIGHTED, ranks, &
      [(q, q = 0, ranks - 1)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
  call test_neighbours()

  call MPI_Comm_free(graph)
  call MPI_Comm_free(comm)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0, a)', 'large_counts_test on ', ranks, ' ranks: ', all_wrong, ' failed'
  call MPI_Finalize()
  if (all_wrong /= 0) error stop 1

contains

  elemental function element(from, to) result(value)
    integer, intent(in) :: from, to
    integer :: value
    value = 1000 * from + to
  end function

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    wrong = wrong + 1
    write (error_unit, '(a, i0, 4a)') 'rank ', rank, ': ', what, ': ', Rondo_Get_last_error()
  end subroutine

  !> One number from each rank has arrived. Forgets them.
  subroutine expect_all(what)
    character(*), intent(in) :: what
    call expect(ierror == MPI_SUCCESS, what)
    call expect(all(recv == [(element(q, rank), q = 0, ranks - 1)]), what//' data')
    recv = -1
  end subroutine

  subroutine wait_for(what)
    character(*), intent(in) :: what
    call expect(ierror == MPI_SUCCESS, what)
    call Rondo_Wait(request, ierror)
    call expect_all(what)
  end subroutine

  subroutine execute(what)
    character(*), intent(in) :: what
    call expect(ierror == MPI_SUCCESS, what)
    call Rondo_Execute(plan, send, recv, ierror)
    call expect_all(what)
    call Rondo_Plan_free(plan)
  end subroutine

  subroutine test_calls()
    recv = -1
    call Rondo_Alltoall(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, comm, ierror)
    call expect_all('alltoall')
    call Rondo_Alltoallv(send, counts, displs, MPI_INTEGER, recv, counts, displs, MPI_INTEGER, comm, &
        ierror)
    call expect_all('alltoallv')
    call Rondo_Alltoallw(send, counts, bytes, types, recv, counts, bytes, types, comm, ierror)
    call expect_all('alltoallw')
    ! Keywords are the same in both forms.
    call Rondo_Alltoall(sendbuf=send, sendcount=1, sendtype=MPI_INTEGER, recvbuf=recv, recvcount=1, &
        recvtype=MPI_INTEGER, comm=comm, ierror=ierror)
    call expect_all('alltoall with small counts')
    call Rondo_Alltoall(sendbuf=send, sendcount=one, sendtype=MPI_INTEGER, recvbuf=recv, &
        recvcount=one, recvtype=MPI_INTEGER, comm=comm, ierror=ierror)
    call expect_all('alltoall with keywords')
    recv = send
    call Rondo_Alltoallw(MPI_IN_PLACE, counts, bytes, types, recv, counts, bytes, types, comm, ierror)
    call expect_all('alltoallw in place')
    call Rondo_Alltoall(send, -one, MPI_INTEGER, recv, -one, MPI_INTEGER, comm, ierror)
    call expect(ierror /= MPI_SUCCESS, 'a negative count')
  end subroutine

  subroutine test_starts()
    call Rondo_Ialltoall(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, comm, request, ierror)
    call wait_for('ialltoall')
    call Rondo_Ialltoallv(send, counts, displs, MPI_INTEGER, recv, counts, displs, MPI_INTEGER, comm, &
        request, ierror)
    call wait_for('ialltoallv')
    call Rondo_Ialltoallw(send, counts, bytes, types, recv, counts, bytes, types, comm, request, &
        ierror)
    call wait_for('ialltoallw')
  end subroutine

  subroutine test_plans()
    call Rondo_Alltoall_plan(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, comm, MPI_INFO_NULL, &
        plan, ierror)
    call execute('alltoall plan')
    call Rondo_Alltoallv_plan(send, counts, displs, MPI_INTEGER, recv, counts, displs, MPI_INTEGER, &
        comm, MPI_INFO_NULL, plan, ierror)
    call execute('alltoallv plan')
    call Rondo_Alltoallw_plan(send, counts, bytes, types, recv, counts, bytes, types, comm, &
        MPI_INFO_NULL, plan, ierror)
    call execute('alltoallw plan')
  end subroutine

  subroutine test_dynamic()
    type(c_ptr) :: address
    integer, pointer :: own(:)
    call Rondo_Alltoallv_dynamic(send, counts, displs, MPI_INTEGER, recv, ranks * one, received, &
        places, MPI_INTEGER, comm, ierror)
    call expect_all('dynamic')
    call expect(all(received == counts) .and. all(places == displs), 'dynamic counts')
    call Rondo_Alltoallv_dynamic(send, counts, displs, MPI_INTEGER, recv, 0 * one, received, places, &
        MPI_INTEGER, comm, ierror)
    call expect(ierror /= MPI_SUCCESS, 'dynamic with too little memory')
    call Rondo_Alltoallv_dynamic_take(recv, ranks * one, MPI_INTEGER, comm, ierror)
    call expect_all('take')
    call Rondo_Alltoallv_dynamic_alloc(send, counts, displs, MPI_INTEGER, address, received, places, &
        MPI_INTEGER, comm, ierror)
    call c_f_pointer(address, own, [ranks])
    recv = own
    call expect_all('dynamic in Rondo''s memory')
    call Rondo_Comm_prepare(comm, MPI_INFO_NULL, ierror)
    call Rondo_Ialltoallv_dynamic(send, counts, displs, MPI_INTEGER, recv, ranks * one, received, &
        places, MPI_INTEGER, comm, request, ierror)
    call Rondo_Wait(request, ierror)
    call expect_all('dynamic, started')
    call expect(all(received == counts) .and. all(places == displs), 'dynamic counts, started')
  end subroutine

  ! To all ranks, and to none.
  subroutine test_sparse()
    type(c_ptr) :: address
    integer, pointer :: own(:), sources(:)
    integer(MPI_COUNT_KIND), pointer :: arrived(:)
    integer(MPI_ADDRESS_KIND), pointer :: at(:)
    integer :: all_ranks(ranks)
    all_ranks = [(q, q = 0, ranks - 1)]
    call Rondo_Sparse_alltoallv(send, ranks, all_ranks, counts, displs, MPI_INTEGER, recv, &
        ranks * one, MPI_INTEGER, sources, arrived, at, comm, ierror)
    call expect_all('sparse')
    call expect(all(sources == all_ranks) .and. all(arrived == 1) .and. all(at == displs), 'sources')
    call Rondo_Sparse_alltoallv_alloc(send, ranks, all_ranks, counts, displs, MPI_INTEGER, address, &
        MPI_INTEGER, sources, arrived, at, comm, ierror)
    call c_f_pointer(address, own, [ranks])
    recv = own
    call expect_all('sparse in Rondo''s memory')
    call Rondo_Sparse_alltoallv_plan(ranks, all_ranks, counts, displs, MPI_INTEGER, MPI_INTEGER, sources, &
        arrived, at, comm, MPI_INFO_NULL, plan, ierror)
    call expect(all(sources == all_ranks) .and. all(at == displs), 'sources of a plan')
    call execute('sparse plan')
    call Rondo_Sparse_alltoallv(send, 0, all_ranks, counts, displs, MPI_INTEGER, recv, 0 * one, &
        MPI_INTEGER, sources, arrived, at, comm, ierror)
    call expect(ierror == MPI_SUCCESS .and. associated(sources) .and. size(at) == 0, 'no sources')
  end subroutine

  subroutine test_neighbours()
    call Rondo_Neighbor_alltoall(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, graph, ierror)
    call expect_all('neighbours')
    call Rondo_Neighbor_alltoallv(send, counts, displs, MPI_INTEGER, recv, counts, displs, &
        MPI_INTEGER, graph, ierror)
    call expect_all('neighbours, v')
    call Rondo_Neighbor_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, graph, ierror)
    call expect_all('neighbours, w')
    call Rondo_Ineighbor_alltoall(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, graph, request, ierror)
    call wait_for('started neighbours')
    call Rondo_Ineighbor_alltoallv(send, counts, displs, MPI_INTEGER, recv, counts, displs, &
        MPI_INTEGER, graph, request, ierror)
    call wait_for('started neighbours, v')
    call Rondo_Ineighbor_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, graph, &
        request, ierror)
    call wait_for('started neighbours, w')
    call Rondo_Neighbor_alltoall_plan(send, one, MPI_INTEGER, recv, one, MPI_INTEGER, graph, &
        MPI_INFO_NULL, plan, ierror)
    call execute('a plan of neighbours')
    call Rondo_Neighbor_alltoallv_plan(send, counts, displs, MPI_INTEGER, recv, counts, displs, &
        MPI_INTEGER, graph, MPI_INFO_NULL, plan, ierror)
    call execute('a plan of neighbours, v')
    call Rondo_Neighbor_alltoallw_plan(send, counts, bytes, types, recv, counts, bytes, types, graph, &
        MPI_INFO_NULL, plan, ierror)
    call execute('a plan of neighbours, w')
  end subroutine
end program
