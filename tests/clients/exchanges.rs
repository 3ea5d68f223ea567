//! A program in Rust that knows nothing of Rondo: MPI_Alltoall and MPI_Alltoallv of Open MPI, called as
//! Rust's bindings to MPI call it, each checked, ROUNDS times. Prints `right`, or ends with status 1.
//!
//!   rustc -C linker=mpicc exchanges.rs

use std::os::raw::{c_int, c_void};
use std::ptr::{addr_of, null_mut};

const ROUNDS: c_int = 3;

/// Open MPI's handles are the addresses of these.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

extern "C" {
    static ompi_mpi_comm_world: Opaque;
    static ompi_mpi_int: Opaque;
    fn MPI_Init(words: *mut c_int, word: *mut c_void) -> c_int;
    fn MPI_Comm_rank(comm: *const Opaque, rank: *mut c_int) -> c_int;
    fn MPI_Comm_size(comm: *const Opaque, ranks: *mut c_int) -> c_int;
    fn MPI_Finalize() -> c_int;
    fn MPI_Alltoall(
        send: *const c_int, send_count: c_int, send_type: *const Opaque, recv: *mut c_int,
        recv_count: c_int, recv_type: *const Opaque, comm: *const Opaque,
    ) -> c_int;
    fn MPI_Alltoallv(
        send: *const c_int, send_counts: *const c_int, send_displs: *const c_int,
        send_type: *const Opaque, recv: *mut c_int, recv_counts: *const c_int,
        recv_displs: *const c_int, recv_type: *const Opaque, comm: *const Opaque,
    ) -> c_int;
}

fn number(from: c_int, to: c_int, round: c_int) -> c_int {
    10000 * round + 100 * from + to
}

/// How many numbers one rank sends to another.
fn length(from: c_int, to: c_int) -> c_int {
    (from + 2 * to) % 3
}

fn displacements(counts: &[c_int]) -> Vec<c_int> {
    let before = |end: usize| counts[..end].iter().sum();
    (0..counts.len()).map(before).collect()
}

/// The numbers that travel from each of `froms` to each of `tos`, one after the other.
fn numbers(pairs: &[(c_int, c_int)], counts: &[c_int], round: c_int) -> Vec<c_int> {
    let repeated = |(&(from, to), &count): (&(c_int, c_int), &c_int)| {
        vec![number(from, to, round); count as usize]
    };
    pairs.iter().zip(counts).flat_map(repeated).collect()
}

/// Whether an exchange of these counts brings the right numbers.
fn exchange(rank: c_int, send_counts: &[c_int], recv_counts: &[c_int], round: c_int) -> bool {
    let ranks = send_counts.len() as c_int;
    let to: Vec<_> = (0..ranks).map(|other| (rank, other)).collect();
    let from: Vec<_> = (0..ranks).map(|other| (other, rank)).collect();
    let send = numbers(&to, send_counts, round);
    let expected = numbers(&from, recv_counts, round);
    let mut recv = vec![-1; expected.len()];
    let is_even = [send_counts, recv_counts].concat().iter().all(|&count| count == 1);
    let (send_displs, recv_displs) = (displacements(send_counts), displacements(recv_counts));
    let status = unsafe {
        let (comm, int) = (addr_of!(ompi_mpi_comm_world), addr_of!(ompi_mpi_int));
        if is_even {
            MPI_Alltoall(send.as_ptr(), 1, int, recv.as_mut_ptr(), 1, int, comm)
        } else {
            MPI_Alltoallv(
                send.as_ptr(), send_counts.as_ptr(), send_displs.as_ptr(), int, recv.as_mut_ptr(),
                recv_counts.as_ptr(), recv_displs.as_ptr(), int, comm,
            )
        }
    };
    status == 0 && recv == expected
}

fn main() {
    let (mut rank, mut ranks) = (0, 0);
    unsafe {
        MPI_Init(null_mut(), null_mut());
        MPI_Comm_rank(addr_of!(ompi_mpi_comm_world), &mut rank);
        MPI_Comm_size(addr_of!(ompi_mpi_comm_world), &mut ranks);
    }
    let ones = vec![1; ranks as usize];
    let sent: Vec<_> = (0..ranks).map(|other| length(rank, other)).collect();
    let received: Vec<_> = (0..ranks).map(|other| length(other, rank)).collect();
    let right = (0..ROUNDS).all(|round| {
        exchange(rank, &ones, &ones, round) && exchange(rank, &sent, &received, round)
    });
    unsafe { MPI_Finalize() };
    println!("rank {}: {}", rank, if right { "right" } else { "WRONG" });
    std::process::exit(if right { 0 } else { 1 });
}
