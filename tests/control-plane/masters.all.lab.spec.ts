import { mastersSuite } from './support/masters-suite.js';

mastersSuite('standins');
