import { aptProxy } from '@windlass/driver-kit';
import { minutes, seconds, TerminalError, type Secret } from '@windlass/foundation';
import { cmd, type HostFacts } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { declared } from './action.js';
import { lineAfter } from './marked-line.js';
import { proxyEnvironmentFile } from './proxy-files.js';
import type { RegistryContext } from './registry-context.js';
import { APT_PROXY, DROP_IN, dropIn, INSTALL_ENGINE, PROXIES } from './scripts.js';
import type { InstallEngineInput, InstallEngineOutput } from './step-inputs.js';

type Context = RegistryContext<InstallEngineInput>;

/** Installs what runs containers, Docker of the distribution with the request's proxies, and has it run one. */
export const installEngine = implementAction(declared<InstallEngineInput, InstallEngineOutput>('install-engine'), {
  check: async (context: Context) => {
    const { unit, proxies, apt } = filesOf(context.input);
    const there =
      (await context.sees(cmd`docker info > /dev/null 2>&1 && systemctl is-enabled --quiet docker.service`)) &&
      (await context.sees(cmd`cmp -s - ${DROP_IN}`, unit)) &&
      (await isAs(context, PROXIES, proxies)) &&
      (await isAs(context, APT_PROXY, apt));
    return there && present<InstallEngineOutput>({ engine: 'docker' });
  },
  apply: async (context) => {
    await context.firstBoot();
    checkOs(context.input.machine.name, await context.host.facts());
    const { unit, proxies, apt } = filesOf(context.input);
    const { stdoutTail } = await context.script('install-engine', {
      text: INSTALL_ENGINE,
      within: minutes(30),
      arguments: async (files) => {
        await files.put('apt-proxy', apt);
        await files.put('proxies', proxies);
        await files.put('drop-in', unit);
        return [files.path('apt-proxy'), files.path('proxies'), files.path('drop-in')];
      },
    });
    if (lineAfter('engine: ', stdoutTail) === 'docker') return { engine: 'docker' as const };
    return { engine: 'none' as const, why: lineAfter('why: ', stdoutTail) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

function filesOf({ proxy = {} }: InstallEngineInput) {
  const proxies = proxyEnvironmentFile(proxy);
  return { unit: dropIn(proxies.reveal() !== ''), proxies, apt: aptProxy(proxy) };
}

const isAs = (context: Context, path: string, wanted: Secret): Promise<boolean> =>
  wanted.reveal() === '' ? context.sees(cmd`test ! -e ${path}`) : context.sees(cmd`cmp -s - ${path}`, wanted);

/** By `ID` of os-release: those whose packages the scripts know. */
const SUPPORTED = ['debian', 'ubuntu'];

/** @throws TerminalError `node.os-unsupported` */
function checkOs(name: string, { osId, osVersion }: HostFacts): void {
  if (SUPPORTED.includes(osId)) return;
  throw new TerminalError(
    'node.os-unsupported',
    `${name} runs ${osId} ${osVersion}; the registry is installed on ${SUPPORTED.join(' and ')}: use such an image`,
  );
}
