import { minutes } from '@windlass/foundation';
import { stackContract } from './stack-contract.js';
import { realConnection } from './testing/real-connection.js';

stackContract('a real OpenStack', () =>
  Promise.resolve({ connection: realConnection(), within: minutes(3), close: () => Promise.resolve() }),
);
