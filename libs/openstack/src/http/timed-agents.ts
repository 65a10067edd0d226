import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duration } from '@windlass/foundation';

/** Code of the error that ends a connection which was not up in time. */
export const CONNECT_TIMEOUT = 'ERR_CONNECT_TIMEOUT';

/** Node documents `agent.createConnection`, its types of this release leave it out. */
interface ConnectingAgent {
  createConnection(options: object, done?: (error: Error | null, socket: Socket) => void): Socket | undefined;
}

/** Agents for both schemes. */
export interface Agents {
  httpAgent: http.Agent;
  httpsAgent: https.Agent;
}

/** To one host of one VIM: more would only queue in its own workers. */
const MAX_SOCKETS = 32;

/** Agents that give up a connection attempt, a TLS handshake included, after `connectWithin`. */
export function timedAgents(connectWithin: Duration, keepAlive: boolean, tls: https.AgentOptions): Agents {
  const options = { keepAlive, maxSockets: MAX_SOCKETS };
  return {
    httpAgent: limited(new http.Agent(options), 'connect', connectWithin),
    httpsAgent: limited(new https.Agent({ ...tls, ...options }), 'secureConnect', connectWithin),
  };
}

function limited<A extends http.Agent>(agent: A, ready: 'connect' | 'secureConnect', within: Duration): A {
  const connecting = agent as unknown as ConnectingAgent;
  const connect = connecting.createConnection.bind(agent);
  connecting.createConnection = (options, done) => {
    const socket = connect(options, done);
    if (socket === undefined) return socket;
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error(`no connection within ${within} ms`), { code: CONNECT_TIMEOUT }));
    }, within);
    const stop = () => clearTimeout(timer);
    socket.once(ready, stop).once('close', stop);
    return socket;
  };
  return agent;
}
