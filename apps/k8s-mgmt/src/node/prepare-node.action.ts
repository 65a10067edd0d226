import { createHash } from 'node:crypto';
import { aptProxy } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { ClusterInput, NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from './node-context.js';
import { PREPARE_NODE, UNPREPARE_NODE } from './scripts.js';
import { checkOs } from './supported-os.js';

const SETTINGS = '/etc/sysctl.d/99-windlass-kubernetes.conf';
const APT_PROXY = '/etc/apt/apt.conf.d/95windlass-proxy';

/** Makes a fresh VM fit for Kubernetes: its name, those of its peers, no swap, modules, settings, apt's proxies. */
export const prepareNode = implementAction(declared<NodeStepInput>('prepare-node'), {
  check: async (context: NodeContext<NodeStepInput>) => {
    const { node, input } = context;
    const digest = createHash('sha256').update(hostLines(input.cluster)).digest('hex');
    const named = await context.sees(
      cmd`test "$(hostname)" = ${node.name} && test "$(cat /etc/hostname)" = ${node.name} &&
        test "$(sed -n '/^# windlass: begin$/,/^# windlass: end$/p' /etc/hosts | sha256sum | cut -c 1-64)" = ${digest}`,
    );
    if (!named) return false;
    const set = await context.sees(
      cmd`test -s ${SETTINGS} && test "$(cat /proc/sys/net/ipv4/ip_forward)" = 1 && test -e /proc/sys/net/bridge/bridge-nf-call-iptables`,
    );
    if (!set) return false;
    const proxy = aptProxy(input.proxy ?? {});
    return proxy.reveal() === '' ? context.sees(cmd`test ! -e ${APT_PROXY}`) : context.sees(cmd`cmp -s - ${APT_PROXY}`, proxy);
  },
  apply: async (context) => {
    await context.firstBoot();
    checkOs(context.node.name, await context.host.facts());
    await context.script('prepare-node', {
      text: PREPARE_NODE,
      within: minutes(5),
      arguments: async (files) => {
        await files.put('hosts', hostLines(context.input.cluster));
        await files.put('apt-proxy', aptProxy(context.input.proxy ?? {}));
        return [context.node.name, files.path('hosts'), files.path('apt-proxy')];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('unprepare-node', { text: UNPREPARE_NODE, within: minutes(2), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

/** Our part of /etc/hosts. It is always replaced as a whole. */
export const hostLines = ({ nodes }: Pick<ClusterInput, 'nodes'>): string =>
  ['# windlass: begin', ...nodes.map(({ name, address }) => `${address} ${name}`), '# windlass: end', ''].join('\n');
