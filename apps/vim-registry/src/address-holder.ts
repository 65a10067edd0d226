import { request } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { seconds } from '@windlass/foundation';
import type { ClusterNode } from '@windlass/messaging';
import { checkedAgents, type AddressRules } from '@windlass/outbound';

/** Where kubelets listen, on every address of their machine (Kubernetes "Ports and Protocols"). */
const KUBELET_PORT = 10_250;

const WITHIN = seconds(3);

/** Where the question goes. */
export interface HolderQuestion {
  /** URL of the cluster's API. */
  url: string;
  /** Where it may connect to; without them anywhere. */
  rules: AddressRules | undefined;
  /** 10250 unless given. */
  port?: number;
}

/**
 * Names of the machine that has the address of a cluster's API, by the certificate that the kubelet there shows: on several masters HAProxy answers at
 * the API's port, and each asks all (ADR 110). The kubelet's certificate is signed by itself, so nothing is verified, and nothing is sent that is a
 * secret: what comes of it is shown, and decides nothing. Empty where nobody answers within 3 s.
 */
export function namesAtAddress({ url, rules, port = KUBELET_PORT }: HolderQuestion): Promise<string[]> {
  const host = hostOf(url);
  const { httpAgent, httpsAgent } = checkedAgents({ rules, connectWithin: WITHIN }, { rejectUnauthorized: false });
  return new Promise<string[]>((resolve) => {
    const asked = request({ host, port, path: '/healthz', agent: httpsAgent, signal: AbortSignal.timeout(WITHIN) }, (answer) => {
      answer.resume();
      resolve(namesIn(answer.socket as TLSSocket));
    });
    // No kubelet is there, or it may not be asked: who has the address is not known.
    asked.on('error', () => resolve([])).end();
  }).finally(() => {
    httpAgent.destroy();
    httpsAgent.destroy();
  });
}

/** `<node>@<seconds>` of a certificate that the kubelet made, `system:node:<node>` of one that the cluster signed. */
function namesIn(socket: TLSSocket): string[] {
  const { subject, subjectaltname = '' } = socket.getPeerCertificate() as {
    subject?: { CN?: string | string[] };
    subjectaltname?: string;
  };
  const common = [subject?.CN ?? []].flat().map((name) => name.replace(/^system:node:/, '').replace(/@\d+$/, ''));
  const others = subjectaltname.split(', ').flatMap((each) => (each.startsWith('DNS:') ? [each.slice('DNS:'.length)] : []));
  return [...common, ...others];
}

/** The node that has the address: the one that it belongs to, else the master whose kubelet answers there. */
export function holderOf(url: string, nodes: readonly ClusterNode[], names: readonly string[]): string | null {
  const host = hostOf(url);
  const own = nodes.find(({ addresses }) => isIP(host) !== 0 && addresses.includes(host));
  const found = own ?? nodes.find(({ name, role }) => role === 'master' && names.includes(name));
  return found?.name ?? null;
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
