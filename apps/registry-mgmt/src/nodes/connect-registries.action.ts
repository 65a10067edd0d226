import { connectRegistries } from '@windlass/driver-kit';
import { minutes, seconds, Secret } from '@windlass/foundation';
import { cmd, type JobFiles } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { createHash } from 'node:crypto';
import type { NodeContext } from './node-context.js';
import { UNANSWERED } from './ask-script.js';
import { CERTS_D, CONTAINERD_CONFIG } from './containerd-config.js';
import { filesOf, FOLDERS, linesIn, RECORD, type AskedRegistry, type NodeFile, type NodeFiles } from './node-files.js';
import { curlLoginOf } from './kubelet-credentials.js';
import { apiHostOf, HOSTS_BEGIN, HOSTS_END, nameOf } from './registry-files.js';
import { CONNECT_REGISTRIES, MARKS } from './scripts.js';

/** Tells containerd, Docker and the kubelet of a machine of registries, and removes registries that an earlier such step told them of. */
export const connectRegistriesWork = implementAction(connectRegistries, {
  check: async (context: NodeContext) => stands(context, await filesOf(context, context.input.registries)),
  apply: async (context) => {
    await tell(context, 'connect-registries', () => filesOf(context, context.input.registries));
    return undefined;
  },
  // containerd keeps looking into its folder, which is then empty.
  undo: (context) => tell(context, 'forget-registries', () => filesOf(context, [])),
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const textOf = ({ content }: NodeFile): string => (content instanceof Secret ? content.reveal() : content);

/** Turns the folder's name `host_5000_`, which containerd takes for `host:5000` too, into the form in images' names. */
const AS_WRITTEN = String.raw`s/_\([0-9]*\)_$/:\1/`;

async function stands(context: NodeContext, { put, gone, names, folders }: NodeFiles): Promise<boolean> {
  const sums = put.map((file) => `${digestOf(textOf(file))}  ${file.path}\n`).join('');
  if (sums !== '' && !(await context.sees(cmd`sha256sum --check --status`, sums))) return false;
  const secret = put.filter(({ mode }) => mode === '600').map(({ path }) => path);
  const linked = cmd`for theirs in ${folders}; do for entry in "$theirs"/*/; do
        test ! -d "$entry" || for name in "$(basename "$entry")"; do
          test -e ${CERTS_D}/"$name" || test -e ${CERTS_D}/"$(printf %s "$name" | sed ${AS_WRITTEN})" || exit 1
        done
      done; done`;
  if (folders.length > 0 && !(await context.sees(linked))) return false;
  return context.sees(
    cmd`for path in ${MARKS} ${UNANSWERED} ${[...gone]}; do test ! -e "$path" || exit 1; done
      for path in ${secret.length === 0 ? ['/'] : secret}; do test "$path" = / || test "$(stat -c %a "$path")" = 600 || exit 1; done
      test "$(sed -n ${`/^${HOSTS_BEGIN}$/,/^${HOSTS_END}$/p`} /etc/hosts | sha256sum | cut -c 1-64)" = ${digestOf(names)}`,
  );
}

async function tell(context: NodeContext, job: string, wanted: () => Promise<NodeFiles>): Promise<void> {
  await context.script(job, {
    text: CONNECT_REGISTRIES,
    within: minutes(15),
    arguments: async (files) => {
      const { put, gone, names, folders, asked, known } = await wanted();
      // What may be put on the machine is on record before it is put there.
      const records = [
        ...(known.length === 0 ? [] : [fileOf(RECORD, known)]),
        ...(folders.length === 0 ? [] : [fileOf(FOLDERS, folders)]),
      ];
      // Other folders' content is linked before containerd stops looking into those folders.
      const [config, others] = [put.filter(isContainerds), put.filter((file) => !isContainerds(file))];
      const all = [...records, ...others, ...config];
      const lineOf = ({ mode, path }: NodeFile, n: number): string => `put ${mode} file-${n} ${path}`;
      const goes = (path: string): string => `gone ${path}`;
      const lines = [
        ...all.slice(0, records.length).map((file, n) => lineOf(file, n)),
        ...gone.filter((path) => path !== RECORD).map(goes),
        ...others.map((file, n) => lineOf(file, n + records.length)),
        ...(folders.length === 0 ? [] : [`links ${FOLDERS}`]),
        ...config.map((file, n) => lineOf(file, n + records.length + others.length)),
        ...(gone.includes(RECORD) ? [goes(RECORD)] : []),
      ];
      for (const [n, each] of asked.entries()) lines.push(await asks(files, each, n));
      for (const [n, { content }] of all.entries()) await files.put(`file-${n}`, content);
      await files.put('names', names);
      await files.put('manifest', lines.map((line) => `${line}\n`).join(''));
      return [files.path('manifest')];
    },
  });
}

/** The manifest's line for asking a registry; puts the files that it needs beside the manifest. */
async function asks(files: JobFiles, { unit, registry, certificates }: AskedRegistry, n: number): Promise<string> {
  const login = curlLoginOf(registry);
  const [loginFile, caFile] = [login === undefined ? '-' : `login-${n}`, certificates === undefined ? '-' : `ca-${n}`];
  if (login !== undefined) await files.put(loginFile, login);
  if (certificates !== undefined) await files.put(caFile, certificates);
  return ['ask', unit, apiHostOf(registry.server), registry.scheme, loginFile, caFile, nameOf(registry)].join(' ');
}

const fileOf = (path: string, lines: readonly string[]): NodeFile => ({ path, mode: '644', content: linesIn(lines) });

const isContainerds = ({ path }: NodeFile): boolean => path === CONTAINERD_CONFIG;
