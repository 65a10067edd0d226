export { FakeHosts, type FakeHostsOptions, type FakePoint } from './fake-hosts.js';
export {
  FakeMachine,
  realClock,
  type FakeCall,
  type FakeClock,
  type FakeJob,
  type FakeProcess,
  type FakeReply,
} from './fake-machine.js';
export { hostRun, nextClaim } from './host-run.js';
