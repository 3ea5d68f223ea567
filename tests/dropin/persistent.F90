! A persistent request from Fortran, with the names of Open MPI 4.1.
program persistent
  implicit none
  include 'mpif.h'
  integer, parameter :: most_ranks = 16, starts = 8
  integer :: rank, ranks, i, n, request, ierror, wrong = 0
  integer, asynchronous :: send(most_ranks), receive(most_ranks)
  integer :: counts(most_ranks), displs(most_ranks)
  external :: MPIX_Alltoallv_init

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  counts = 1
  displs = [(i, i = 0, most_ranks - 1)]
  call MPIX_Alltoallv_init(send, counts, displs, MPI_INTEGER, receive, counts, displs, MPI_INTEGER, &
      MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
  do n = 1, starts
    send = [(1000*n + 100*rank + i, i = 0, most_ranks - 1)]
    receive = -1
    call MPI_Startall(1, [request], ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    if (any(receive(1:ranks) /= [(1000*n + 100*i + rank, i = 0, ranks - 1)])) wrong = wrong + 1
  end do
  call MPI_Request_free(request, ierror)
  if (request /= MPI_REQUEST_NULL) wrong = wrong + 1
  if (wrong /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_Finalize(ierror)
end program
