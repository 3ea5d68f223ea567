! Every procedure of the Fortran module. Every exchange runs with the library's own algorithm and with
! Rondo's. Ends with status 1 if anything is wrong.
program fortran_test
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08
  use rondo
  implicit none
  integer :: rank, ranks, wrong, all_wrong, ierror
  type(MPI_Comm) :: comm

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  wrong = 0

  call Rondo_Comm_prepare(comm, MPI_INFO_NULL, ierror)
  call expect(ierror == MPI_SUCCESS, 'prepare')
  call run_all('mpi', 'mpi')
  call run_all('tunable_bruck:radix=3', 'fused_bruck:radix=3  ')
  call run_all('spread_out', 'spread_out')
  call run_neighbours('mpi')
  call run_neighbours('spread_out')
  call run_neighbours('node_aware')
  call test_names()
  call test_errors()

  call MPI_Comm_free(comm)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0, a)', 'fortran_test on ', ranks, ' ranks: ', all_wrong, ' failed'
  call MPI_Finalize()
  if (all_wrong /= 0) error stop 1

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    wrong = wrong + 1
    write (error_unit, '(a, i0, 4a)') 'rank ', rank, ': ', what, ': ', Rondo_Get_last_error()
  end subroutine

  subroutine run_neighbours(algorithm)
    character(*), intent(in) :: algorithm
    type(MPI_Comm) :: graph
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
    integer :: i, below, above, length
    below = modulo(rank - 1, ranks)
    above = modulo(rank + 1, ranks)
    ! MPI libraries differ in which edges match on a ring of two ranks.
    if (algorithm /= 'mpi' .or. ranks > 2) then
      call MPI_Cart_create(comm, 1, [ranks], [.true.], .false., graph)
      call exchange_on(graph, 2, [below, above], [2, 1], algorithm)
      call MPI_Comm_free(graph)
    end if
    call MPI_Get_library_version(library, length)
    ! MPICH's own MPI_Neighbor_alltoallw is wrong where a rank has more edges in one direction.
    if (algorithm /= 'mpi' .or. index(library, 'MPICH') == 0) then
      ! Every rank sends to itself and to the ranks below it: the first one has more edges to it than from
      ! it, and the last one the reverse.
      call MPI_Dist_graph_create_adjacent(comm, ranks - rank, [(i, i = rank, ranks - 1)], MPI_UNWEIGHTED, &
          rank + 1, [(i, i = 0, rank)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
      call exchange_on(graph, rank + 1, [(i, i = rank, ranks - 1)], [(rank + 1, i = rank, ranks - 1)], &
          algorithm)
      call MPI_Comm_free(graph)
    end if
    call Rondo_Neighbor_alltoall(below, 1, MPI_INTEGER, above, 1, MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_ERR_TOPOLOGY, 'neighbours without a topology')
  end subroutine

  !> Two numbers along each of `leaving` edges. What arrives along edge i comes from rank sources(i), as
  !> its edge edges(i).
  subroutine exchange_on(graph, leaving, sources, edges, algorithm)
    type(MPI_Comm), intent(in) :: graph
    integer, intent(in) :: leaving, sources(:), edges(:)
    character(*), intent(in) :: algorithm
    type(Rondo_Plan) :: plan
    type(Rondo_Request) :: request
    type(MPI_Datatype) :: pair
    integer, asynchronous :: send(2 * leaving), recv(2 * size(sources))
    integer, asynchronous :: counts(leaving), displs(leaving), parts(leaving)
    integer, asynchronous :: rcounts(size(sources)), rdispls(size(sources))
    integer(MPI_ADDRESS_KIND), asynchronous :: places(leaving), rplaces(size(sources))
    type(MPI_Datatype) :: types(leaving), rtypes(size(sources))
    integer :: form, i, due(2 * size(sources))
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call Rondo_Comm_set_algorithm(graph, 'neighbor_alltoallv', algorithm, ierror)
    call expect(ierror == MPI_SUCCESS, 'neighbours by '//algorithm)
    send = [(100 * rank + i, i = 1, 2 * leaving)]
    counts = 2
    displs = [(2 * i, i = 0, leaving - 1)]
    places = 4 * displs
    ! Every other edge sends an element of another type.
    parts = [(merge(1, 2, modulo(i, 2) == 0), i = 1, leaving)]
    types = MPI_INTEGER
    types(2::2) = pair
    rcounts = 2
    rdispls = [(2 * i, i = 0, size(sources) - 1)]
    rplaces = 4 * rdispls
    rtypes = MPI_INTEGER
    due(1::2) = 100 * sources + 2 * edges - 1
    due(2::2) = 100 * sources + 2 * edges
    do form = 1, 9
      recv = -1
      select case (form)
      case (1)
        call Rondo_Neighbor_alltoall(send, 2, MPI_INTEGER, recv, 2, MPI_INTEGER, graph, ierror)
      case (2)
        call Rondo_Neighbor_alltoallv(send, counts, displs, MPI_INTEGER, recv, rcounts, rdispls, &
            MPI_INTEGER, graph, ierror)
      case (3)
        call Rondo_Neighbor_alltoallw(send, parts, places, types, recv, rcounts, rplaces, rtypes, &
            graph, ierror)
      case (4)
        call Rondo_Neighbor_alltoall_plan(send, 2, MPI_INTEGER, recv, 2, MPI_INTEGER, graph, &
            MPI_INFO_NULL, plan, ierror)
      case (5)
        call Rondo_Neighbor_alltoallv_plan(send, counts, displs, MPI_INTEGER, recv, rcounts, rdispls, &
            MPI_INTEGER, graph, MPI_INFO_NULL, plan, ierror)
      case (6)
        call Rondo_Neighbor_alltoallw_plan(send, parts, places, types, recv, rcounts, rplaces, rtypes, &
            graph, MPI_INFO_NULL, plan, ierror)
      case (7)
        call Rondo_Ineighbor_alltoall(send, 2, MPI_INTEGER, recv, 2, MPI_INTEGER, graph, request, &
            ierror)
      case (8)
        call Rondo_Ineighbor_alltoallv(send, counts, displs, MPI_INTEGER, recv, rcounts, rdispls, &
            MPI_INTEGER, graph, request, ierror)
      case (9)
        call Rondo_Ineighbor_alltoallw(send, parts, places, types, recv, rcounts, rplaces, rtypes, &
            graph, request, ierror)
      end select
      call expect(ierror == MPI_SUCCESS, 'neighbours by '//algorithm)
      if (form > 6) then
        call Rondo_Wait(request, ierror)
        call expect(ierror == MPI_SUCCESS, 'started neighbours by '//algorithm)
      else if (form > 3) then
        call Rondo_Execute(plan, send, recv, ierror)
        call expect(ierror == MPI_SUCCESS, 'a plan of neighbours by '//algorithm)
        call Rondo_Plan_free(plan, ierror)
      end if
      call expect(all(recv == due), 'what neighbours sent by '//algorithm)
    end do
    call MPI_Type_free(pair)
  end subroutine

  subroutine run_all(uniform, uneven)
    character(*), intent(in) :: uniform, uneven
    call Rondo_Comm_set_algorithm(comm, 'alltoall', uniform, ierror)
    call expect(ierror == MPI_SUCCESS, uniform)
    call Rondo_Comm_set_algorithm(comm, 'alltoallv', uneven, ierror)
    call expect(ierror == MPI_SUCCESS, uneven)
    call Rondo_Comm_set_algorithm(comm, 'alltoallw', uneven, ierror)
    call expect(ierror == MPI_SUCCESS, uneven)
    call test_alltoall()
    call test_alltoallv()
    call test_in_place()
    call test_dynamic()
    call test_sparse()
    call test_started_dynamic()
    call test_sparse_plan()
    call test_alltoallw()
    call test_plans()
    call test_started()
    call test_non_contiguous()
    call test_bottom()
  end subroutine

  ! What rank `from` sends to rank `to` as element i: all different.
  elemental function element(from, to, i) result(value)
    integer, intent(in) :: from, to, i
    integer :: value
    value = (from * ranks + to) * 1000 + i
  end function

  subroutine test_alltoall()
    integer :: send(2, ranks), recv(2, ranks), q, i
    send = reshape([((element(rank, q, i), i = 1, 2), q = 0, ranks - 1)], [2, ranks])
    recv = -1
    call Rondo_Alltoall(send, 2, MPI_INTEGER, recv, 2, MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoall')
    do q = 0, ranks - 1
      call expect(all(recv(:, q + 1) == [(element(q, rank, i), i = 1, 2)]), 'alltoall data')
    end do
    call Rondo_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send, 2, MPI_INTEGER, comm)
    call expect(all(send == recv), 'alltoall in place')
  end subroutine

  ! Rank p sends mod(p + q, 4) numbers to rank q, or receives as many.
  function uneven() result(counts)
    integer :: counts(ranks), q
    counts = [(mod(rank + q, 4), q = 0, ranks - 1)]
  end function

  subroutine write_blocks(buffer, displs)
    integer, intent(inout) :: buffer(:)
    integer, intent(in) :: displs(ranks)
    integer :: counts(ranks), q, i
    counts = uneven()
    do q = 0, ranks - 1
      buffer(displs(q + 1) + 1:displs(q + 1) + counts(q + 1)) = [(element(rank, q, i), i = 1, counts(q + 1))]
    end do
  end subroutine

  ! They have arrived, `stride` apart, and -1 is behind them.
  subroutine expect_blocks(buffer, stride, what)
    integer, intent(in) :: buffer(:), stride
    character(*), intent(in) :: what
    integer :: counts(ranks), q, i
    counts = uneven()
    do q = 0, ranks - 1
      do i = 1, stride
        call expect(buffer(stride * q + i) == merge(element(q, rank, i), -1, i <= counts(q + 1)), what)
      end do
    end do
  end subroutine

  ! In a buffer that fits, in one that is too small, in every other element, and in Rondo's memory.
  subroutine test_dynamic()
    integer :: send(4 * ranks), recv(8 * ranks), sdispls(ranks), counts(ranks), displs(ranks), q
    integer, pointer :: own(:)
    type(c_ptr) :: address
    sdispls = [(4 * (ranks - 1 - q), q = 0, ranks - 1)]
    call write_blocks(send, sdispls)
    recv = -1
    call Rondo_Alltoallv_dynamic(send, uneven(), sdispls, MPI_INTEGER, recv, 4 * ranks, counts, &
        displs, MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'dynamic')
    call expect_arrived(recv(:sum(counts)), counts, displs)
    call expect(all(recv(sum(counts) + 1:) == -1), 'dynamic wrote too much')
    recv = -1
    call Rondo_Alltoallv_dynamic(send, uneven(), sdispls, MPI_INTEGER, recv, &
        max(sum(uneven()) - 1, 0), counts, displs, MPI_INTEGER, comm, ierror)
    if (sum(uneven()) > 0) then
      call expect(ierror /= MPI_SUCCESS .and. all(recv == -1), 'dynamic with too little memory')
      call Rondo_Alltoallv_dynamic_take(recv(1::2), 4 * ranks, MPI_INTEGER, comm, ierror)
      call expect(ierror == MPI_SUCCESS .and. all(recv(2::2) == -1), 'take')
      call expect_arrived(recv(1:2 * sum(counts) - 1:2), counts, displs)
    end if
    call Rondo_Alltoallv_dynamic_alloc(send, uneven(), sdispls, MPI_INTEGER, address, counts, &
        displs, MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'dynamic in Rondo''s memory')
    call expect(c_associated(address) .eqv. sum(counts) > 0, 'dynamic address')
    if (.not. c_associated(address)) return
    call c_f_pointer(address, own, [sum(counts)])
    call expect_arrived(own, counts, displs)
  end subroutine

  ! The same, started; comm has been set up by then or is now.
  subroutine test_started_dynamic()
    integer, asynchronous :: send(4 * ranks), recv(8 * ranks), counts(ranks), displs(ranks)
    integer, asynchronous :: sizes(ranks), sdispls(ranks)
    type(c_ptr), asynchronous :: address
    type(Rondo_Request) :: request
    integer, pointer :: own(:)
    integer :: q
    sizes = uneven()
    sdispls = [(4 * (ranks - 1 - q), q = 0, ranks - 1)]
    call write_blocks(send, sdispls)
    recv = -1
    call Rondo_Comm_prepare(comm, MPI_INFO_NULL, ierror)
    call Rondo_Ialltoallv_dynamic(send, sizes, sdispls, MPI_INTEGER, recv, 4 * ranks, counts, displs, &
        MPI_INTEGER, comm, request, ierror)
    call expect(ierror == MPI_SUCCESS, 'a dynamic start')
    call Rondo_Wait(request, ierror)
    call expect(ierror == MPI_SUCCESS, 'a nonblocking dynamic exchange')
    call expect_arrived(recv(:sum(counts)), counts, displs)
    call Rondo_Ialltoallv_dynamic_alloc(send, sizes, sdispls, MPI_INTEGER, address, counts, displs, &
        MPI_INTEGER, comm, request, ierror)
    call expect(ierror == MPI_SUCCESS, 'a dynamic start in Rondo''s memory')
    call Rondo_Wait(request, ierror)
    call expect(c_associated(address) .eqv. sum(counts) > 0, 'address of a nonblocking exchange')
    if (.not. c_associated(address)) return
    call c_f_pointer(address, own, [sum(counts)])
    call expect_arrived(own, counts, displs)
  end subroutine

  ! Every rank sends two numbers to the next one, with others each time.
  subroutine test_sparse_plan()
    integer, pointer :: sources(:), counts(:), displs(:)
    integer :: send(2), recv(3), below, time
    type(Rondo_Plan) :: plan
    below = modulo(rank - 1, ranks)
    call Rondo_Sparse_alltoallv_plan(1, [modulo(rank + 1, ranks)], [2], [0], MPI_INTEGER, MPI_INTEGER, &
        sources, counts, displs, comm, MPI_INFO_NULL, plan, ierror)
    call expect(ierror == MPI_SUCCESS, 'a plan of a sparse exchange')
    call expect(all(sources == [below]) .and. all(counts == [2]) .and. all(displs == [0]), &
        'sources of a plan')
    do time = 1, 3
      send = [rank, rank + time]
      recv = -1
      call Rondo_Execute(plan, send, recv, ierror)
      call expect(ierror == MPI_SUCCESS .and. all(recv == [below, below + time, -1]), &
          'an execution of a sparse exchange')
    end do
    call Rondo_Plan_free(plan, ierror)
    call Rondo_Sparse_alltoallv_plan(1, [ranks], [2], [0], MPI_INTEGER, MPI_INTEGER, sources, counts, &
        displs, comm, MPI_INFO_NULL, plan, ierror)
    call expect(ierror /= MPI_SUCCESS .and. plan == RONDO_PLAN_NULL, 'a plan to no rank')
  end subroutine

  ! Every rank sends to the next one, and rank 0 to itself too; in two arrays, and in Rondo's memory.
  subroutine test_sparse()
    integer, pointer :: sources(:), counts(:), displs(:), own(:)
    integer :: send(4), recv(9), destinations(2), below, sent, arriving
    type(c_ptr) :: address
    destinations = [modulo(rank + 1, ranks), 0]
    sent = merge(2, 1, rank == 0 .and. ranks > 1)
    send = [rank, rank + 100, -rank, -rank - 100]
    below = modulo(rank - 1, ranks)
    arriving = merge(4, 2, rank == 0 .and. ranks > 1)
    recv = -1
    call Rondo_Sparse_alltoallv(send, sent, destinations, [2, 2], [0, 2], MPI_INTEGER, recv, 9, &
        MPI_INTEGER, sources, counts, displs, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'sparse')
    call expect(size(sources) == arriving / 2 .and. all(counts == 2), 'sparse sources')
    call expect(sources(size(sources)) == below, 'sparse source')
    call expect(displs(size(displs)) == arriving - 2, 'sparse displacements')
    call expect(all(recv(arriving - 1:arriving) == [below, below + 100]), 'sparse data')
    call expect(all(recv(arriving + 1:) == -1), 'sparse wrote too much')
    call Rondo_Sparse_alltoallv_alloc(send, sent, destinations, [2, 2], [0, 2], MPI_INTEGER, &
        address, MPI_INTEGER, sources, counts, displs, comm, ierror)
    call expect(ierror == MPI_SUCCESS .and. c_associated(address), 'sparse in Rondo''s memory')
    call c_f_pointer(address, own, [sum(counts)])
    call expect(all(own == recv(:arriving)), 'sparse data in Rondo''s memory')
    call Rondo_Sparse_alltoallv(send, 0, destinations, [2], [0], MPI_INTEGER, recv, 9, MPI_INTEGER, &
        sources, counts, displs, comm, ierror)
    call expect(ierror == MPI_SUCCESS .and. size(sources) == 0, 'sparse with nothing')
    call Rondo_Sparse_alltoallv(send, 1, [ranks], [2], [0], MPI_INTEGER, recv, 9, MPI_INTEGER, &
        sources, counts, displs, comm, ierror)
    call expect(ierror /= MPI_SUCCESS .and. size(sources) == 0, 'sparse to no rank')
  end subroutine

  subroutine expect_arrived(data, counts, displs)
    integer, intent(in) :: data(:), counts(ranks), displs(ranks)
    integer :: q, i
    call expect(all(counts == uneven()), 'dynamic counts')
    do q = 0, ranks - 1
      call expect(displs(q + 1) == sum(counts(:q)), 'dynamic displacements')
      call expect(all(data(displs(q + 1) + 1:displs(q + 1) + counts(q + 1)) == &
          [(element(q, rank, i), i = 1, counts(q + 1))]), 'dynamic data')
    end do
  end subroutine

  subroutine test_alltoallv()
    integer :: send(5 * ranks), recv(6 * ranks), sdispls(ranks), rdispls(ranks), q
    sdispls = [(5 * (ranks - 1 - q), q = 0, ranks - 1)]
    rdispls = [(6 * q, q = 0, ranks - 1)]
    send = -7
    recv = -1
    call write_blocks(send, sdispls)
    call Rondo_Alltoallv(send, uneven(), sdispls, MPI_INTEGER, recv, uneven(), rdispls, &
        MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoallv')
    call expect_blocks(recv, 6, 'alltoallv data')
  end subroutine

  subroutine test_in_place()
    integer :: displs(ranks), buffer(4 * ranks), q
    displs = [(4 * q, q = 0, ranks - 1)]
    buffer = -1
    call write_blocks(buffer, displs)
    call Rondo_Alltoallv(MPI_IN_PLACE, [0], [0], MPI_DATATYPE_NULL, buffer, uneven(), displs, &
        MPI_INTEGER, comm, ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoallv in place')
    call expect_blocks(buffer, 4, 'alltoallv in place data')
  end subroutine

  ! Even ranks are sent integers, odd ranks doubles; displacements in bytes.
  subroutine test_alltoallw()
    integer :: counts(ranks), sdispls(ranks), rdispls(ranks), q
    type(MPI_Datatype) :: sendtypes(ranks), recvtypes(ranks)
    real(real64) :: send(ranks), recv(ranks), value
    integer :: as_integers(2)
    counts = 1
    sdispls = [(8 * q, q = 0, ranks - 1)]
    rdispls = [(8 * (ranks - 1 - q), q = 0, ranks - 1)]
    recvtypes = type_for(rank)
    do q = 0, ranks - 1
      sendtypes(q + 1) = type_for(q)
      if (mod(q, 2) == 0) then
        send(q + 1) = transfer([element(rank, q, 1), 0], value)
      else
        send(q + 1) = real(element(rank, q, 1), real64)
      end if
    end do
    recv = 0
    call Rondo_Alltoallw(send, counts, sdispls, sendtypes, recv, counts, rdispls, recvtypes, comm, &
        ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoallw')
    do q = 0, ranks - 1
      if (mod(rank, 2) == 0) then
        as_integers = transfer(recv(ranks - q), as_integers)
        call expect(as_integers(1) == element(q, rank, 1), 'alltoallw integer')
      else
        call expect(nint(recv(ranks - q)) == element(q, rank, 1), 'alltoallw double')
      end if
    end do
  end subroutine

  function type_for(destination) result(type)
    integer, intent(in) :: destination
    type(MPI_Datatype) :: type
    if (mod(destination, 2) == 0) then
      type = MPI_INTEGER
    else
      type = MPI_DOUBLE_PRECISION
    end if
  end function

  subroutine test_plans()
    integer :: send(ranks), recv(ranks), ones(ranks), displs(ranks), bytes(ranks), q, turn
    type(MPI_Datatype) :: types(ranks)
    type(Rondo_Plan) :: plans(3), in_place
    type(MPI_Info) :: info
    character(40) :: algorithm
    ones = 1
    displs = [(q, q = 0, ranks - 1)]
    bytes = 4 * displs
    types = MPI_INTEGER
    call expect(plans(1) == RONDO_PLAN_NULL, 'a new plan is null')
    call Rondo_Alltoall_plan(send, 1, MPI_INTEGER, recv, 1, MPI_INTEGER, comm, MPI_INFO_NULL, &
        plans(1), ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoall plan')
    call Rondo_Plan_get_algorithm(plans(1), algorithm, ierror)
    call expect(ierror == MPI_SUCCESS .and. len_trim(algorithm) > 0, 'algorithm of a plan')
    call Rondo_Plan_free(plans(1))
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'rondo_alltoall', 'auto')
    call MPI_Info_set(info, 'rondo_measure', 'true')
    call Rondo_Alltoall_plan(send, 1, MPI_INTEGER, recv, 1, MPI_INTEGER, comm, info, plans(1), &
        ierror)
    call expect(ierror == MPI_SUCCESS, 'plan that measures')
    call MPI_Info_free(info)
    call Rondo_Plan_get_algorithm(plans(1), algorithm, ierror)
    call expect(ierror == MPI_SUCCESS .and. len_trim(algorithm) > 0, &
        'algorithm of a plan that measures')
    call Rondo_Alltoallv_plan(send, ones, displs, MPI_INTEGER, recv, ones, displs, MPI_INTEGER, &
        comm, MPI_INFO_NULL, plans(2), ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoallv plan')
    call Rondo_Alltoallw_plan(send, ones, bytes, types, recv, ones, bytes, types, comm, &
        MPI_INFO_NULL, plans(3), ierror)
    call expect(ierror == MPI_SUCCESS, 'alltoallw plan')
    do turn = 1, 6
      send = [(element(rank, q, turn), q = 0, ranks - 1)]
      recv = -1
      call Rondo_Execute(plans(1 + mod(turn, 3)), send, recv, ierror)
      call expect(ierror == MPI_SUCCESS, 'execute')
      call expect(all(recv == [(element(q, rank, turn), q = 0, ranks - 1)]), 'execute data')
    end do
    call Rondo_Alltoall_plan(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 1, MPI_INTEGER, comm, &
        MPI_INFO_NULL, in_place, ierror)
    call expect(ierror == MPI_SUCCESS, 'plan in place')
    call Rondo_Execute(in_place, MPI_IN_PLACE, send, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(send == recv), 'execute in place')
    call Rondo_Plan_free(in_place)
    call expect(in_place == RONDO_PLAN_NULL .and. plans(1) /= RONDO_PLAN_NULL, 'null after free')
    do q = 1, 3
      call Rondo_Plan_free(plans(q), ierror)
      call expect(ierror == MPI_SUCCESS, 'free')
    end do
  end subroutine

  subroutine test_started()
    integer, asynchronous :: send(ranks), recv(ranks, 4)
    integer :: ones(ranks), displs(ranks), bytes(ranks), i, q, turn
    type(MPI_Datatype) :: types(ranks)
    type(Rondo_Request) :: requests(4)
    type(Rondo_Plan) :: plan
    logical :: is_complete
    ones = 1
    displs = [(q, q = 0, ranks - 1)]
    bytes = 4 * displs
    types = MPI_INTEGER
    call Rondo_Alltoall_plan(send, 1, MPI_INTEGER, recv, 1, MPI_INTEGER, comm, MPI_INFO_NULL, plan)
    do turn = 1, 3
      send = [(element(rank, q, turn), q = 0, ranks - 1)]
      recv = -1
      call Rondo_Ialltoall(send, 1, MPI_INTEGER, recv(:, 1), 1, MPI_INTEGER, comm, requests(1), &
          ierror)
      call expect(ierror == MPI_SUCCESS, 'ialltoall')
      call Rondo_Ialltoallv(send, ones, displs, MPI_INTEGER, recv(:, 2), ones, displs, MPI_INTEGER, &
          comm, requests(2), ierror)
      call expect(ierror == MPI_SUCCESS, 'ialltoallv')
      call Rondo_Ialltoallw(send, ones, bytes, types, recv(:, 3), ones, bytes, types, comm, &
          requests(3), ierror)
      call expect(ierror == MPI_SUCCESS, 'ialltoallw')
      call Rondo_Start(plan, send, recv(:, 4), requests(4), ierror)
      call expect(ierror == MPI_SUCCESS, 'start')
      is_complete = .false.
      do while (.not. is_complete)
        call Rondo_Test(requests(3), is_complete, ierror)
        call expect(ierror == MPI_SUCCESS, 'test')
      end do
      call complete_all(turn, requests)
      do q = 1, 4
        call expect(all(recv(:, q) == [(element(i, rank, turn), i = 0, ranks - 1)]), 'started data')
      end do
    end do
    call Rondo_Plan_free(plan)
    if (ranks > 1) then
      call Rondo_Ialltoall(send, 1, MPI_INTEGER, recv(1, :), 1, MPI_INTEGER, comm, requests(1), &
          ierror)
      call expect(ierror /= MPI_SUCCESS, 'a start with gaps')
    end if
  end subroutine

  ! One after another, all at once, or by testing all. One of them is complete already.
  subroutine complete_all(turn, requests)
    integer, intent(in) :: turn
    type(Rondo_Request), intent(inout) :: requests(4)
    logical :: are_complete
    integer :: q
    select case (mod(turn, 3))
    case (0)
      do q = 4, 1, -1
        call Rondo_Wait(requests(q), ierror)
        call expect(ierror == MPI_SUCCESS, 'wait')
      end do
    case (1)
      call Rondo_Waitall(4, requests, ierror)
      call expect(ierror == MPI_SUCCESS, 'waitall')
    case default
      are_complete = .false.
      do while (.not. are_complete)
        call Rondo_Testall(4, requests, are_complete, ierror)
        call expect(ierror == MPI_SUCCESS, 'testall')
      end do
    end select
    call Rondo_Testall(4, requests, are_complete, ierror)
    call expect(ierror == MPI_SUCCESS .and. are_complete, 'all are complete')
    call Rondo_Waitall(0, requests(1:0), ierror)
    call expect(ierror == MPI_SUCCESS, 'waiting for nothing')
  end subroutine

  ! Every second element of every second column, from the far end; what lies between stays.
  subroutine test_non_contiguous()
    integer :: send(4, 2 * ranks), recv(4, 2 * ranks), q
    send = -7
    recv = -1
    do q = 0, ranks - 1
      send(3:1:-2, 2 * q + 1) = [element(rank, q, 1), element(rank, q, 2)]
    end do
    call Rondo_Alltoall(send(3:1:-2, ::2), 2, MPI_INTEGER, recv(2::2, 2::2), 2, MPI_INTEGER, comm, &
        ierror)
    call expect(ierror == MPI_SUCCESS, 'non-contiguous')
    do q = 0, ranks - 1
      call expect(all(recv(:, 2 * q + 1) == -1), 'non-contiguous: a column between')
      call expect(all(recv(:, 2 * q + 2) == [-1, element(q, rank, 1), -1, element(q, rank, 2)]), &
          'non-contiguous data')
    end do
  end subroutine

  ! Absolute addresses in the datatype.
  subroutine test_bottom()
    integer, asynchronous, target :: send(ranks), recv(ranks)
    integer(MPI_ADDRESS_KIND) :: addresses(2)
    integer :: counts(ranks), bytes(ranks), q, side
    type(MPI_Datatype) :: types(2), sends(ranks), recvs(ranks)
    send = [(element(rank, q, 1), q = 0, ranks - 1)]
    recv = -1
    counts = 1
    bytes = [(4 * q, q = 0, ranks - 1)]
    call MPI_Get_address(send, addresses(1))
    call MPI_Get_address(recv, addresses(2))
    do side = 1, 2
      call MPI_Type_create_struct(1, [1], addresses(side:side), [MPI_INTEGER], types(side))
      call MPI_Type_commit(types(side))
    end do
    sends = types(1)
    recvs = types(2)
    call Rondo_Alltoallw(MPI_BOTTOM, counts, bytes, sends, MPI_BOTTOM, counts, bytes, recvs, comm, &
        ierror)
    call MPI_F_sync_reg(recv)
    call expect(ierror == MPI_SUCCESS, 'MPI_BOTTOM')
    call expect(all(recv == [(element(q, rank, 1), q = 0, ranks - 1)]), 'MPI_BOTTOM data')
    do side = 1, 2
      call MPI_Type_free(types(side))
    end do
  end subroutine

  subroutine test_names()
    character(len=64) :: name
    character(len=4) :: short
    call Rondo_Comm_set_algorithm(comm, 'alltoallv', 'spread_out:window=1')
    call Rondo_Comm_get_algorithm(comm, 'alltoallv', name, ierror)
    call expect(ierror == MPI_SUCCESS .and. name == 'spread_out:window=1', 'get_algorithm: '//name)
    call Rondo_Comm_get_algorithm(comm, 'alltoallv', short, ierror)
    call expect(ierror == MPI_SUCCESS .and. short == 'spre', 'get_algorithm, cut: '//short)
    call test_alltoallv()
    call Rondo_Comm_get_last_algorithm(comm, name, ierror)
    call expect(ierror == MPI_SUCCESS .and. index(name, 'spread_out:window=1') == 1, &
        'get_last_algorithm: '//name)
    call Rondo_Comm_set_algorithm(comm, 'alltoallv', ' ', ierror)
    call expect(ierror == MPI_SUCCESS, 'a blank algorithm is auto')
  end subroutine

  subroutine test_errors()
    call expect_refused('nonsense', 'nonsense')
    call expect_refused('fused_bruck:radix=4294967298', 'in 2..2147483647')
  end subroutine

  subroutine expect_refused(algorithm, words)
    character(*), intent(in) :: algorithm, words
    integer :: class
    call Rondo_Comm_set_algorithm(comm, 'alltoallv', algorithm, ierror)
    call MPI_Error_class(ierror, class)
    call expect(class == MPI_ERR_ARG, algorithm//' is an error')
    call expect(index(Rondo_Get_last_error(), words) > 0, 'the error text has '//words)
  end subroutine
end program
