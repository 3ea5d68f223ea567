! As forwarded.c, from Fortran, with the forms of MPI 3.
! With mpif.h, or with the module mpi_f08 if RONDO_F08 is defined.
#ifdef RONDO_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program forwarded
#ifdef RONDO_F08
  use mpi_f08
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: most_ranks = 16
  integer :: rank, ranks, i, ierror, wrong = 0
  integer :: sides(2)  ! the ranks below and above
  integer :: leaving, arriving  ! edges of the open ring
  ! Written while a nonblocking exchange is under way.
  integer, asynchronous :: send(most_ranks), receive(most_ranks)
  integer :: counts(most_ranks), displs(most_ranks), bytes(most_ranks)
  integer(MPI_ADDRESS_KIND) :: addresses(most_ranks)
  HANDLE(MPI_Datatype) :: types(most_ranks)
  HANDLE(MPI_Comm) :: open_ring, ring, of_types
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
  integer :: length
  logical :: is_open
  HANDLE(MPI_Request) :: request

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  ! As graphs: MPICH 4.0 takes every neighbourhood for one in MPI_Neighbor_alltoallw of mpi_f08.
  ! The open one is without the edge from the first rank down to the last one, so that each of them has
  ! more edges in one direction than in the other. MPICH 4.0 reads behind the counts of such a rank in
  ! its w forms, so there they have the whole ring.
  sides = [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]
  leaving = merge(1, 2, rank == 0)
  arriving = merge(1, 2, rank == ranks - 1)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, arriving, sides(1:arriving), [1, 1], leaving, &
      sides(3 - leaving:2), [1, 1], MPI_INFO_NULL, .false., open_ring, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sides, [1, 1], 2, sides, [1, 1], &
      MPI_INFO_NULL, .false., ring, ierror)
  call MPI_Get_library_version(library, length, ierror)
  is_open = index(library, 'MPICH') == 0
  of_types = ring
  if (is_open) of_types = open_ring
  counts = 1
  displs = [(i, i = 0, most_ranks - 1)]
  bytes = 4*displs
  addresses = bytes
  types = MPI_INTEGER

  call prepare()
  call MPI_Ialltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call complete('MPI_Ialltoall')
  call MPI_Ialltoallv(send, counts, displs, MPI_INTEGER, receive, counts, displs, MPI_INTEGER, &
      MPI_COMM_WORLD, request, ierror)
  call complete('MPI_Ialltoallv')
  call MPI_Ialltoallw(send, counts, bytes, types, receive, counts, bytes, types, MPI_COMM_WORLD, &
      request, ierror)
  call complete('MPI_Ialltoallw')
  call MPI_Neighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, open_ring, ierror)
  call from_open_ring('MPI_Neighbor_alltoall')
  call MPI_Neighbor_alltoallv(send, counts, displs, MPI_INTEGER, receive, counts, displs, MPI_INTEGER, &
      open_ring, ierror)
  call from_open_ring('MPI_Neighbor_alltoallv')
  call MPI_Neighbor_alltoallw(send, counts, addresses, types, receive, counts, addresses, types, &
      of_types, ierror)
  call from_types('MPI_Neighbor_alltoallw')
  call MPI_Ineighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, open_ring, request, &
      ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call from_open_ring('MPI_Ineighbor_alltoall')
  call MPI_Ineighbor_alltoallv(send, counts, displs, MPI_INTEGER, receive, counts, displs, &
      MPI_INTEGER, open_ring, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call from_open_ring('MPI_Ineighbor_alltoallv')
  call MPI_Ineighbor_alltoallw(send, counts, addresses, types, receive, counts, addresses, types, &
      of_types, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call from_types('MPI_Ineighbor_alltoallw')

  call MPI_Comm_free(open_ring, ierror)
  call MPI_Comm_free(ring, ierror)
  if (wrong /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_Finalize(ierror)

contains

  subroutine prepare()
    send = [(100*rank + i, i = 0, most_ranks - 1)]
    receive = -1
    ierror = -1
  end subroutine

  ! And prepares for the next one.
  subroutine say(what, is_right)
    character(*), intent(in) :: what
    logical, intent(in) :: is_right
    if (rank == 0) print '(a)', what
    if (.not. is_right .or. ierror /= MPI_SUCCESS) then
      wrong = wrong + 1
      print '(2a, i0)', what, ' is wrong on rank ', rank
    end if
    call prepare()
  end subroutine

  subroutine complete(what)
    character(*), intent(in) :: what
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call say(what, all(receive(1:ranks) == [(100*i + rank, i = 0, ranks - 1)]))
  end subroutine

  ! A rank's last block is for the rank above it, and its first one for the rank below.
  subroutine from_open_ring(what)
    character(*), intent(in) :: what
    integer :: due(2)
    due = [100*sides(1) + merge(0, 1, sides(1) == 0), 100*sides(2)]
    call say(what, all(receive(1:arriving) == due(1:arriving)) .and. receive(arriving + 1) == -1)
  end subroutine

  subroutine from_types(what)
    character(*), intent(in) :: what
    if (is_open) then
      call from_open_ring(what)
      return
    end if
    call say(what, all(receive(1:3) == [100*sides(1) + 1, 100*sides(2), -1]))
  end subroutine
end program
