import { minutes, seconds, Secret, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { declared } from './action.js';
import { HAS_LOGIN, SECURE_REGISTRY } from './access-scripts.js';
import { keyFault } from './certificate.js';
import type { RegistryContext } from './registry-context.js';
import { CERTIFICATE, HTPASSWD, KEY } from './scripts.js';
import type { RegistryLogin, SecureRegistryInput } from './step-inputs.js';

type Context = RegistryContext<SecureRegistryInput>;

/** Puts the files that secure the registry on the VM, before the registry runs, so that it is never open. */
export const secureRegistry = implementAction(declared<SecureRegistryInput>('secure-registry'), {
  check: async (context: Context) => {
    const { login, tls } = context.input;
    const there =
      (login === undefined
        ? await context.sees(cmd`test ! -e ${HTPASSWD}`)
        : (await isPrivate(context, HTPASSWD)) && (await context.sees(cmd`perl -e ${HAS_LOGIN} ${HTPASSWD}`, linesOf(login)))) &&
      (tls === undefined
        ? await context.sees(cmd`test ! -e ${KEY}`)
        : (await isPrivate(context, KEY)) &&
          (await context.sees(cmd`cmp -s - ${KEY}`, new Secret(tls.key))) &&
          (await context.sees(cmd`cmp -s - ${CERTIFICATE}`, tls.certificate)));
    return there && present<undefined>(undefined);
  },
  apply: async (context) => {
    const { login, tls, machine } = context.input;
    checkKey(machine.name, tls);
    await context.firstBoot();
    await context.script('secure-registry', {
      text: SECURE_REGISTRY,
      within: minutes(5),
      arguments: async (files) => {
        await files.put('login', login === undefined ? '' : linesOf(login));
        await files.put('certificate', tls?.certificate ?? '');
        await files.put('key', new Secret(tls?.key ?? ''));
        return [files.path('login'), files.path('certificate'), files.path('key')];
      },
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

const isPrivate = (context: Context, path: string): Promise<boolean> => context.sees(cmd`test "$(stat -c %a ${path})" = 600`);

const linesOf = ({ username, password }: RegistryLogin): Secret => new Secret(`${username}\n${String(password)}\n`);

/** @throws TerminalError `registry.key` */
function checkKey(name: string, tls: SecureRegistryInput['tls']): void {
  const fault = tls === undefined ? undefined : keyFault(tls.certificate, tls.key);
  if (fault === undefined) return;
  throw new TerminalError(
    'registry.key',
    `tls_key does not fit tls_certificate: ${fault}. Nothing was changed on ${name}; roll the operation back, then send the request again with the certificate's own key`,
  );
}
