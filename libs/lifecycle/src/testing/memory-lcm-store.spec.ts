import { describeLcmStore } from './lcm-store-contract.js';
import { MemoryLcmStore } from './memory-lcm-store.js';

describeLcmStore('memory', () => {
  const store = new MemoryLcmStore();
  const now = (work: () => unknown): Promise<void> => Promise.resolve().then(() => void work());
  return {
    store,
    addPackage: (record) => now(() => store.packages.set(record.id, record)),
    addInstance: (record) => now(() => store.instances.set(record.id, record)),
    accept: (opOcc) => now(() => store.accept(opOcc)),
    addVim: (vim) => now(() => store.vims.push(vim)),
    addDriver: (description) => now(() => store.drivers.set(description.driver, description)),
    changes: () => Promise.resolve(store.changes),
    events: () => Promise.resolve(store.events),
  };
});
