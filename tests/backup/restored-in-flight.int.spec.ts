import { describeRestored } from './restored-in-flight.js';

describeRestored(20);
