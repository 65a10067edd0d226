import { connectRegistries } from '@windlass/driver-kit';
import { minutes, seconds, Secret } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { createHash } from 'node:crypto';
import type { NodeContext } from './node-context.js';
import { filesOf, linesIn, RECORD, type NodeFile, type NodeFiles } from './node-files.js';
import { HOSTS_BEGIN, HOSTS_END } from './registry-files.js';
import { CONNECT_REGISTRIES, MARKS } from './scripts.js';

/** Has containerd, Docker and the kubelet of a machine know registries, and forget those that an earlier such step told them of. */
export const connectRegistriesWork = implementAction(connectRegistries, {
  check: async (context: NodeContext) => stands(context, await filesOf(context, context.input.registries)),
  apply: async (context) => {
    await tell(context, 'connect-registries', () => filesOf(context, context.input.registries));
    return undefined;
  },
  // containerd goes on to look into a folder in which there is nothing.
  undo: (context) => tell(context, 'forget-registries', () => filesOf(context, [])),
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const textOf = ({ content }: NodeFile): string => (content instanceof Secret ? content.reveal() : content);

async function stands(context: NodeContext, { put, gone, names }: NodeFiles): Promise<boolean> {
  const sums = put.map((file) => `${digestOf(textOf(file))}  ${file.path}\n`).join('');
  if (sums !== '' && !(await context.sees(cmd`sha256sum --check --status`, sums))) return false;
  const secret = put.filter(({ mode }) => mode === '600').map(({ path }) => path);
  return context.sees(
    cmd`for path in ${MARKS} ${[...gone]}; do test ! -e "$path" || exit 1; done
      for path in ${secret.length === 0 ? ['/'] : secret}; do test "$path" = / || test "$(stat -c %a "$path")" = 600 || exit 1; done
      test "$(sed -n ${`/^${HOSTS_BEGIN}$/,/^${HOSTS_END}$/p`} /etc/hosts | sha256sum | cut -c 1-64)" = ${digestOf(names)}`,
  );
}

async function tell(context: NodeContext, job: string, wanted: () => Promise<NodeFiles>): Promise<void> {
  await context.script(job, {
    text: CONNECT_REGISTRIES,
    within: minutes(5),
    arguments: async (files) => {
      const { put, gone, names, known } = await wanted();
      // What there may be is on record before there is anything.
      const all = [...(known.length === 0 ? [] : [{ path: RECORD, mode: '644', content: linesIn(known) }]), ...put];
      const [first = [], ...rest] = all.map(({ mode, path }, n) => [`put ${mode} file-${n} ${path}`]);
      const goes = (path: string): string => `gone ${path}`;
      const forgotten = gone.filter((path) => path !== RECORD);
      const lines = [...first, ...forgotten.map(goes), ...rest.flat(), ...(gone.includes(RECORD) ? [goes(RECORD)] : [])];
      for (const [n, { content }] of all.entries()) await files.put(`file-${n}`, content);
      await files.put('names', names);
      await files.put('manifest', lines.map((line) => `${line}\n`).join(''));
      return [files.path('manifest')];
    },
  });
}
