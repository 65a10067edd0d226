import { describe } from 'vitest';
import { storeContract } from '../testing/store-contract.js';
import { MemoryStore } from './memory-store.js';

describe('the store in memory', () => {
  storeContract(() => ({ store: new MemoryStore(), prefix: '/registry/' }));
});
