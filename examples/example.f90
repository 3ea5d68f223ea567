! An uneven exchange: rank p sends p + 1 numbers to every rank, so it receives q + 1 numbers from rank q.
! The module lies in lib/rondo/FAMILY under the prefix P where Rondo is installed:
!   L=P/lib/rondo/openmpi; mpifort -I$L example.f90 -L$L -lrondo_fortran -Wl,-rpath,$L -o example
program example
  use mpi_f08
  use rondo
  implicit none
  integer :: rank, ranks, q, wrong
  integer, allocatable :: sendcounts(:), sdispls(:), recvcounts(:), rdispls(:), send(:), recv(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Counts and displacements count elements: the blocks lie one after the other.
  allocate (sendcounts, source=[(rank + 1, q = 0, ranks - 1)])
  allocate (sdispls, source=[(q * (rank + 1), q = 0, ranks - 1)])
  allocate (recvcounts, source=[(q + 1, q = 0, ranks - 1)])
  allocate (rdispls, source=[(q * (q + 1) / 2, q = 0, ranks - 1)])
  allocate (send(sum(sendcounts)), source=rank)
  allocate (recv(sum(recvcounts)), source=-1)

  ! Name an algorithm, or leave this out and let Rondo choose.
  call Rondo_Comm_set_algorithm(MPI_COMM_WORLD, 'alltoallv', 'fused_bruck:radix=2')
  call Rondo_Alltoallv(send, sendcounts, sdispls, MPI_INTEGER, &
      recv, recvcounts, rdispls, MPI_INTEGER, MPI_COMM_WORLD)

  wrong = 0
  do q = 0, ranks - 1
    wrong = wrong + count(recv(rdispls(q + 1) + 1:rdispls(q + 1) + recvcounts(q + 1)) /= q)
  end do
  print '(3(a, i0), a, i0, a)', 'rank ', rank, ' of ', ranks, ' received ', size(recv), ' numbers, ', &
      wrong, ' wrong'

  call MPI_Finalize()
  if (wrong /= 0) error stop 1
end program
