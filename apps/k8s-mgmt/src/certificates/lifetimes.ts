import { TransientError } from '@windlass/foundation';

/** How long the certificates of one master are good, by its own clock. */
export interface Lifetimes {
  /** Of the master. */
  address: string;
  /** The certificate that ends first stands first. Empty where kubeadm made no certificates. */
  certificates: {
    name: string;
    secondsLeft: number;
    /** Seconds since 1970, as the certificate has it. */
    endsAt: number;
  }[];
}

const DAY = 86_400;

/** Certificates with fewer days left are reported: 30 days are enough to plan a renewal. */
const WARNED_DAYS = 30;

/** Without these certificates the API answers nobody. The administrator's own on the master is one of them. */
const NEEDED = new Set(['apiserver.crt', 'apiserver-etcd-client.crt', 'etcd/server.crt', 'admin.conf']);

/** Reads what `LIST_CERTIFICATES` printed. @throws TransientError `certificates.not-seen` for anything else */
export function readLifetimes(address: string, printed: string): Lifetimes {
  const lines = printed.split('\n').filter((line) => line !== '');
  const pairs = lines.map((line) => {
    const [name = '', at] = line.split(' ');
    return { name, at: Number(at) };
  });
  const [clock, ...others] = pairs;
  if (clock?.name !== 'now' || pairs.some(({ at }) => !Number.isSafeInteger(at)))
    throw new TransientError('certificates.not-seen', `the certificates on master ${address} could not be looked at`);
  const certificates = others.map(({ name, at }) => ({ name, secondsLeft: at - clock.at, endsAt: at }));
  return { address, certificates: certificates.sort((one, other) => one.secondsLeft - other.secondsLeft) };
}

/** Whether what the API needs has run out on that master. */
export const hasRunOut = ({ certificates }: Lifetimes): boolean =>
  certificates.some(({ name, secondsLeft }) => NEEDED.has(name) && secondsLeft <= 0);

/** What a person does while an operation waits, and none can be begun that renews certificates. */
export const RENEWAL =
  'renew them on each master in turn, "sudo kubeadm certs renew all", and restart the control plane’s static pods there (docs/runbooks/certificates.md)';

/** What a person does between operations. @param instance the VNF instance's id */
export const renewalOf = (instance: string): string =>
  `renew them: ./windlass vnf certificates ${instance} --renew (docs/runbooks/certificates.md)`;

/** A sentence that names the first certificate of a master to end, and when; undefined where there is time. */
export function endText({ address, certificates: [first] }: Lifetimes): string | undefined {
  if (first === undefined || first.secondsLeft > WARNED_DAYS * DAY) return undefined;
  const left = Math.floor(first.secondsLeft / DAY);
  const when = left < 0 ? `ran out ${days(Math.ceil(-first.secondsLeft / DAY))} ago` : `runs out in ${days(left)}`;
  return `${first.name} on master ${address} ${when}`;
}

const days = (n: number): string => (n === 1 ? '1 day' : `${n} days`);
