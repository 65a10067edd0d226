import { hours } from '@windlass/foundation';
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
    payloads: (id) =>
      Promise.resolve(
        [...journal.payloads.keys()].flatMap((key) => (key.startsWith(`${id} `) ? [key.slice(id.length + 1)] : [])),
      ),
    age: (_id, by = hours(1)) => Promise.resolve(journal.jump(by)),
  };
});
