! A program that knows nothing of Rondo: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, each also with
! MPI_IN_PLACE, MPI_Alltoallw with MPI_BOTTOM too, and their nonblocking forms, ROUNDS times. With mpif.h, the
! module mpi if RONDO_USE_MPI is defined, or with mpi_f08 if RONDO_F08 is. Prints what it counted, or ends
! with status 1. The numbers of calls stand in drop_in_test.py too.
#ifdef RONDO_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program exchanges
#ifdef RONDO_F08
  use mpi_f08
  implicit none
#elif defined(RONDO_USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: rounds = 3, most_ranks = 16
  integer :: rank, ranks, round, q, ierror, wrong = 0
  ! Seen through its address alone where MPI_BOTTOM is used.
  integer, volatile :: send(2, most_ranks), receive(2, most_ranks)
  integer :: counts(most_ranks), displs(most_ranks), byte_displs(most_ranks), zeros(most_ranks), &
      ones(most_ranks)
  HANDLE(MPI_Datatype) :: types(most_ranks)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  counts = 2
  displs = [(2*q, q = 0, most_ranks - 1)]
  byte_displs = 4*displs
  zeros = 0
  ones = 1
  types = MPI_INTEGER

  do round = 1, rounds
    call prepare(.false.)
    call MPI_Alltoall(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoall')
    call prepare(.true.)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, 2, MPI_INTEGER, MPI_COMM_WORLD, &
        ierror)
    call check('MPI_Alltoall in place')
    call prepare(.false.)
    call MPI_Alltoallv(send, counts, displs, MPI_INTEGER, receive, counts, displs, MPI_INTEGER, &
        MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallv')
    call prepare(.true.)
    call MPI_Alltoallv(MPI_IN_PLACE, zeros, zeros, MPI_DATATYPE_NULL, receive, counts, displs, &
        MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallv in place')
    call prepare(.false.)
    call MPI_Alltoallw(send, counts, byte_displs, types, receive, counts, byte_displs, types, &
        MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallw')
    call prepare(.true.)
    call MPI_Alltoallw(MPI_IN_PLACE, zeros, zeros, types, receive, counts, byte_displs, types, &
        MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallw in place')
    call at_bottom()
    call nonblocking()
#ifdef RONDO_F08
    call prepare(.false.)
    call MPI_Alltoall(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, MPI_COMM_WORLD)
    ierror = MPI_SUCCESS
    call check('MPI_Alltoall without ierror')
#endif
  end do

  if (rank == 0) print '(a, i0, a)', 'checked ', rounds, ' rounds'
  if (wrong /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_Finalize(ierror)

contains

  integer function element(from, to, i)
    integer, intent(in) :: from, to, i
    element = 10000*from + 100*to + i
  end function

  subroutine prepare(in_place)
    logical, intent(in) :: in_place
    integer :: to, i
    receive = -1
    do to = 0, ranks - 1
      do i = 1, 2
        send(i, to + 1) = element(rank, to, i)
        if (in_place) receive(i, to + 1) = element(rank, to, i)
      end do
    end do
    ierror = -1
  end subroutine

  subroutine check(what)
    character(*), intent(in) :: what
    integer :: from, i
    logical :: is_right
    is_right = ierror == MPI_SUCCESS
    do from = 0, ranks - 1
      do i = 1, 2
        is_right = is_right .and. receive(i, from + 1) == element(from, rank, i)
      end do
    end do
    if (is_right) return
    wrong = wrong + 1
    print '(3a, i0)', what, ' is wrong', ' on rank ', rank
  end subroutine

  ! The blocks are named by datatypes with absolute addresses.
  subroutine at_bottom()
    HANDLE(MPI_Datatype) :: send_types(most_ranks), receive_types(most_ranks)
    integer :: to
    call prepare(.false.)
    send_types = MPI_INTEGER
    receive_types = MPI_INTEGER
    do to = 1, ranks
      call make_type(send(1, to), send_types(to))
      call make_type(receive(1, to), receive_types(to))
    end do
    call MPI_Alltoallw(MPI_BOTTOM, ones, zeros, send_types, MPI_BOTTOM, ones, zeros, receive_types, &
        MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallw at the bottom')
    do to = 1, ranks
      call MPI_Type_free(send_types(to), ierror)
      call MPI_Type_free(receive_types(to), ierror)
    end do
  end subroutine

  subroutine make_type(block, block_type)
    integer, volatile, intent(inout) :: block
    HANDLE(MPI_Datatype), intent(out) :: block_type
    integer(MPI_ADDRESS_KIND) :: address(1)
    integer :: error
    call MPI_Get_address(block, address(1), error)
    call MPI_Type_create_hindexed(1, [2], address, MPI_INTEGER, block_type, error)
    call MPI_Type_commit(block_type, error)
  end subroutine

  subroutine nonblocking()
    HANDLE(MPI_Request) :: request
    call prepare(.false.)
    call MPI_Ialltoall(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
    call complete(request, 'MPI_Ialltoall')
    call prepare(.false.)
    call MPI_Ialltoallv(send, counts, displs, MPI_INTEGER, receive, counts, displs, MPI_INTEGER, &
        MPI_COMM_WORLD, request, ierror)
    call complete(request, 'MPI_Ialltoallv')
    call prepare(.true.)
    call MPI_Ialltoallw(MPI_IN_PLACE, zeros, zeros, types, receive, counts, byte_displs, types, &
        MPI_COMM_WORLD, request, ierror)
    call complete(request, 'MPI_Ialltoallw in place')
  end subroutine

  ! The start and the wait have a code each.
  subroutine complete(request, what)
    HANDLE(MPI_Request), intent(inout) :: request
    character(*), intent(in) :: what
    integer :: started
    started = ierror
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    if (started /= MPI_SUCCESS) ierror = started
    call check(what)
  end subroutine
end program
