import { minutes } from '@windlass/foundation';
import { describeJournal } from '../testing/journal-contract.js';
import { MemoryJournal } from '../testing/memory-journal.js';

let ids = 0;

describeJournal('memory', () => {
  const journal = new MemoryJournal();
  return {
    journal,
    accept: () => {
      const id = `op-${ids++}`;
      journal.accept({ id });
      return Promise.resolve(id);
    },
    age: () => Promise.resolve(journal.pass(minutes(1))),
  };
});
