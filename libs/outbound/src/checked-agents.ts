import type { Duration } from '@windlass/foundation';
import dns from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { AddressRules } from './address-rules.js';
import { ADDRESS_REFUSED, CONNECT_TIMEOUT } from './errors.js';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** As the machine does it: hosts file, DNS. */
export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

/** Node documents `agent.createConnection`, its types of this release leave it out. */
interface ConnectingAgent {
  createConnection(options: { host?: string }, done: (error: Error | null, socket?: Socket) => void): Socket | undefined;
}

/** Agents for both schemes. */
export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

/** What stands between a host's name and a connection. */
export interface ConnectionChecks {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  /** Name, TCP and TLS together. */
  readonly connectWithin: Duration;
}

/**
 * Agents whose connections go to permitted addresses alone: the name is looked up once, what is refused is left out of the answer, and the
 * connection is made to what is left. A connection a request: none outlives a change of the rules, a certificate or a name.
 */
export function checkedAgents(checks: ConnectionChecks, tls: https.AgentOptions): Agents {
  return {
    httpAgent: checked(new http.Agent({ keepAlive: false }), 'connect', checks),
    httpsAgent: checked(new https.Agent({ ...tls, minVersion: 'TLSv1.2', keepAlive: false }), 'secureConnect', checks),
  };
}

function checked<A extends http.Agent>(agent: A, ready: 'connect' | 'secureConnect', checks: ConnectionChecks): A {
  const connecting = agent as unknown as ConnectingAgent;
  const connect = connecting.createConnection.bind(agent);
  const lookup = checkedLookup(checks);
  connecting.createConnection = (options, done) => {
    const { host = '' } = options;
    // An address in the URL itself is never looked up.
    if (isIP(host) !== 0 && !checks.rules.permits(host, host)) {
      process.nextTick(done, refused());
      return undefined;
    }
    const socket = connect({ ...options, lookup } as { host?: string }, done);
    if (socket === undefined) return undefined;
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('no connection in time'), { code: CONNECT_TIMEOUT }));
    }, checks.connectWithin);
    const stop = () => clearTimeout(timer);
    socket.once(ready, stop).once('close', stop);
    return socket;
  };
  return agent;
}

const refused = (): Error => Object.assign(new Error('the address is refused'), { code: ADDRESS_REFUSED });

function checkedLookup({ rules, resolve }: ConnectionChecks): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (found) => {
        const permitted = found.filter(({ address }) => rules.permits(address, host));
        const [first] = permitted;
        if (first === undefined) done(refused(), '');
        else if (options.all === true) done(null, [...permitted]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, ''),
    );
  };
}
