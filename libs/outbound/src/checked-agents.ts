import type { Duration } from '@windlass/foundation';
import http from 'node:http';
import https from 'node:https';
import net, { isIP, type LookupFunction, type Socket } from 'node:net';
import type { AddressRules } from './address-rules.js';
import type { Place } from './rule-list.js';
import { refused, systemResolve, type ConnectionChecks, type Resolve } from './connection-checks.js';
import { CONNECT_TIMEOUT } from './errors.js';
import { bare, type HttpProxy } from './http-proxy.js';
import { placeThroughProxy, tunnel } from './proxied.js';

/** Node documents `agent.createConnection`, its types of this release leave it out. */
interface ConnectingAgent {
  createConnection(
    options: { host: string; port: number | string },
    done: (error: Error | null, socket?: Socket) => void,
  ): Socket | undefined;
}

/** Agents for both schemes. */
export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

/** How agents connect. */
export interface AgentChecks extends ConnectionChecks {
  /** Name, TCP and TLS together. */
  readonly connectWithin: Duration;
  /** TLS goes through it to the places that it serves. Plain HTTP is its caller's to send to it (`plainThrough`). */
  readonly proxy?: HttpProxy | undefined;
}

/**
 * Agents whose connections go to permitted addresses alone: the name is looked up once, what is refused is left out of the answer, and the
 * connection is made to what is left. Unless the options keep connections alive there is one a request: none outlives a change of the rules,
 * a certificate or a name.
 */
export function checkedAgents(checks: AgentChecks, { keepAlive = false, ...options }: https.AgentOptions): Agents {
  const { maxSockets } = options;
  const shared = { keepAlive, ...(maxSockets === undefined ? {} : { maxSockets }) };
  return {
    httpAgent: checked(new http.Agent(shared), 'connect', checks),
    httpsAgent: checked(new https.Agent({ minVersion: 'TLSv1.2', ...options, keepAlive }), 'secureConnect', checks),
  };
}

/** A TCP connection that is made to a permitted address alone; otherwise its error has the code {@link ADDRESS_REFUSED}. */
export function checkedSocket({ host, port }: Place, checks: ConnectionChecks): Socket {
  if (isRefused({ host, port }, checks)) return new net.Socket().destroy(refused());
  return net.connect({ host, port, ...lookupFor(checks, port) });
}

function checked<A extends http.Agent>(agent: A, ready: 'connect' | 'secureConnect', checks: AgentChecks): A {
  const connecting = agent as unknown as ConnectingAgent;
  const connect = connecting.createConnection.bind(agent);
  connecting.createConnection = (options, done) => {
    const { host } = options;
    const port = Number(options.port);
    const { proxy } = checks;
    if (proxy !== undefined && ready === 'secureConnect' && proxy.serves({ host: bare(host), port })) {
      const place = { host: bare(host), port };
      connectThrough(proxy, place, checks, (socket) => connect({ ...options, socket } as typeof options, () => undefined)).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error),
      );
      return undefined;
    }
    if (isRefused({ host, port }, checks)) {
      process.nextTick(done, refused());
      return undefined;
    }
    const socket = connect({ ...options, ...lookupFor(checks, port) }, done);
    if (socket === undefined) return undefined;
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error(`no connection within ${checks.connectWithin} ms`), { code: CONNECT_TIMEOUT }));
    }, checks.connectWithin);
    const stop = () => clearTimeout(timer);
    socket.once(ready, stop).once('close', stop);
    return socket;
  };
  return agent;
}

/** TLS over a connection through the proxy; both within the time that a connection has. */
async function connectThrough(
  proxy: HttpProxy,
  place: Place,
  checks: AgentChecks,
  secured: (socket: Socket) => Socket | undefined,
): Promise<Socket | undefined> {
  const control = new AbortController();
  const late = (): Error =>
    Object.assign(new Error(`no connection within ${checks.connectWithin} ms`), { code: CONNECT_TIMEOUT });
  const timer = setTimeout(() => control.abort(), checks.connectWithin);
  const stop = (): void => clearTimeout(timer);
  try {
    const asked = await placeThroughProxy(place, checks);
    const raw = await tunnel(proxy, asked, control.signal);
    const socket = secured(raw);
    control.signal.addEventListener('abort', () => socket?.destroy(late()), { once: true });
    socket?.once('secureConnect', stop).once('close', stop);
    return socket;
  } catch (error) {
    stop();
    throw control.signal.aborted ? late() : error;
  }
}

/** An address that is named as one is never looked up. */
const isRefused = (place: Place, { rules }: ConnectionChecks): boolean =>
  rules !== undefined && isIP(place.host) !== 0 && !rules.permits(place.host, place);

const lookupFor = ({ rules, resolve = systemResolve }: ConnectionChecks, port: number): { lookup?: LookupFunction } =>
  rules === undefined ? {} : { lookup: checkedLookup(rules, resolve, port) };

function checkedLookup(rules: AddressRules, resolve: Resolve, port: number): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (found) => {
        const permitted = found.filter(({ address }) => rules.permits(address, { host, port }));
        const [first] = permitted;
        if (first === undefined) done(refused(), '');
        else if (options.all === true) done(null, [...permitted]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, ''),
    );
  };
}
