/*
 * Cells, slots and epochs of src/segment/arrival.hpp, and receipts and findings of src/segment/receipts.hpp, as
 * engines/node/neighbours.hpp uses them: three ranks, two parities, a few epochs, any order of
 * steps. What stands in a cell, a slot, a rank's own memory or a finding is the epoch it was written in, or
 * kBusy while it is being written. model_test.py runs it.
 *
 * Shown:  nobody reads a cell, a slot, another rank's memory or a finding that is not yet written, is
 *         being written, or is written anew; nobody waits for ever.
 * Memory is sequentially consistent here; release and acquire are what arrival_test.cpp under
 * ThreadSanitizer looks at.
 *
 * -DEPOCHS=n        how many; three are the least in which something is written anew
 * -DLONG            blocks are read from their sender's memory, not from slots
 * -DANY_PATTERN     any pattern of who has a block for whom, the same in all epochs; else all have
 *
 * Mutants that must be found wrong:
 *   -DWAIT_ONLY_FOR_DATA   wait only for ranks that have data for this one
 *   -DONE_PARITY           one set of cells and slots
 *   -DSEND_FIRST           store the epoch before the data
 *   -DLEAVE_EARLY          with LONG: leave without waiting for receipts
 *   -DFIND_BEFORE_ALL      with LONG: publish the finding before all cells have been seen
 */
#define kRanks 3
#define kEpochs EPOCHS
#define kBusy 255

#ifdef ONE_PARITY
#define PARITY(epoch) 0
#else
#define PARITY(epoch) ((epoch) % 2)
#endif

#define PAIR(reader, writer) ((reader) * kRanks + (writer))
#define CELL(epoch, reader, writer) (PARITY(epoch) * kRanks * kRanks + PAIR(reader, writer))
#define SLOT(epoch, writer) (PARITY(epoch) * kRanks + (writer))

byte sent[18];      /* the epoch of a cell: what is waited for */
byte content[18];   /* the rest of its line */
byte slots[6];
byte memory[3];     /* of a rank: what it sends in long blocks */
byte receipts[9];   /* the epoch in which a reader needed the sender's memory no more */
byte findings[3];
byte found[3];      /* the epoch of a finding: what is waited for */
bool has_data[9];   /* whether the writer has a block for the reader */
bool is_ready;

/* The two steps of a write and of a read, between which anything can happen. */
inline write(place, epoch) {
  place = kBusy;
  place = epoch
}
inline read(place, epoch) {
  assert(place == epoch);
  assert(place == epoch)
}

inline publish(self, peer, epoch) {
#ifdef SEND_FIRST
  sent[CELL(epoch, peer, self)] = epoch;
#endif
  write(content[CELL(epoch, peer, self)], epoch);
#ifndef SEND_FIRST
  sent[CELL(epoch, peer, self)] = epoch
#endif
}

inline take(self, peer, epoch) {
#ifdef WAIT_ONLY_FOR_DATA
  if
  :: !has_data[PAIR(self, peer)] -> skip
  :: has_data[PAIR(self, peer)] ->
#endif
  sent[CELL(epoch, self, peer)] >= epoch;
  read(content[CELL(epoch, self, peer)], epoch);
#ifndef LONG
  if
  :: has_data[PAIR(self, peer)] -> read(slots[SLOT(epoch, peer)], epoch)
  :: else
  fi
#endif
#ifdef WAIT_ONLY_FOR_DATA
  fi
#endif
}

inline find(self, epoch) {
  write(findings[self], epoch);
  found[self] = epoch
}

inline pull(self, peer, epoch) {
  if
  :: has_data[PAIR(self, peer)] ->
    read(memory[peer], epoch);
    receipts[PAIR(self, peer)] = epoch
  :: else
  fi
}

inline end_long(self, peer, epoch) {
#ifndef LEAVE_EARLY
  !has_data[PAIR(peer, self)] || receipts[PAIR(peer, self)] >= epoch;
#endif
  found[peer] >= epoch;
  read(findings[peer], epoch)
}

proctype rank(byte self) {
  byte epoch = 1;
  is_ready;
  do
  :: epoch <= kEpochs ->
#ifdef LONG
    write(memory[self], epoch);
#else
    write(slots[SLOT(epoch, self)], epoch);
#endif
    publish(self, (self + 1) % kRanks, epoch);
    publish(self, (self + 2) % kRanks, epoch);
    take(self, (self + 1) % kRanks, epoch);
#ifdef FIND_BEFORE_ALL
    find(self, epoch);
#endif
    take(self, (self + 2) % kRanks, epoch);
#ifdef LONG
#ifndef FIND_BEFORE_ALL
    find(self, epoch);
#endif
    pull(self, (self + 1) % kRanks, epoch);
    pull(self, (self + 2) % kRanks, epoch);
    end_long(self, (self + 1) % kRanks, epoch);
    end_long(self, (self + 2) % kRanks, epoch);
#endif
    epoch++
  :: else -> break
  od
}

init {
  byte pair;
  atomic {
    for (pair : 0 .. kRanks * kRanks - 1) {
      has_data[pair] = true;
#ifdef ANY_PATTERN
      if
      :: pair / kRanks != pair % kRanks -> has_data[pair] = false
      :: skip
      fi
#endif
    }
    run rank(0);
    run rank(1);
    run rank(2);
    is_ready = true
  }
}
