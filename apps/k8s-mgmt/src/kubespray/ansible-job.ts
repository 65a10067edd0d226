import { minutes, Secret, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import { cmd, type JobFiles, type JobResult, type PreparedRun } from '@windlass/mgmt-driver';
import { fitting } from '../node/given-words.js';
import { lastWords } from '../packaged-script/last-words.js';
import type { PlaybookContext } from './ansible-context.js';
import type { PlaybookKind, PlaybookStepInput } from './ansible-input.js';
import { CALLBACK, CALLBACK_PLUGIN } from './callback.js';
import { inventoryFile, knownHostsFiles, logins, proxyVariables } from './inventory.js';
import { failuresIn, failuresShown, shownOf, type TaskFailure } from './progress.js';
import { RUN_ANSIBLE } from './server-scripts.js';

/** What it printed says who failed and how; the exit status does not: 2 of ansible-core 2.14 is a node that is not reached, too. */
const EVERY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/** A playbook that is to run. */
export interface PlaybookRun {
  /** The job's name. */
  job: string;
  kind: PlaybookKind;
  within: Duration;
  /** Extra variables, of the type that they have: `name=false` is a text to Ansible, and a text is true to a playbook that does not convert it. */
  extra?: Readonly<Record<string, string | boolean>>;
  /** Names of the nodes alone that it may touch. */
  limit?: readonly string[];
}

type Context = PlaybookContext<PlaybookStepInput>;

/**
 * Runs a playbook on the Ansible server to its end. Nodes that could not be reached, where no task failed on another, are given back.
 * @throws TerminalError `kubespray.no-playbook`, `kubespray.task-failed` with host, task and message, `kubespray.playbook-failed`,
 *   `kubespray.bad-host-name`
 */
export async function runPlaybookJob(context: Context, run: PlaybookRun): Promise<TaskFailure[]> {
  const playbook = context.input.kubespray.playbooks[run.kind];
  if (playbook === undefined)
    throw new TerminalError(
      'kubespray.no-playbook',
      `${context.serverName} has no playbook "${run.kind}": this plan was made without it`,
    );
  checkNames(run.limit ?? []);
  const extra = run.extra === undefined ? [] : ['-e', JSON.stringify(run.extra)];
  // localhost is kubespray's own wish: it downloads there.
  const limit = run.limit === undefined ? [] : [`--limit=${[...run.limit, 'localhost'].join(',')}`];
  const words = ['--become', '--become-user=root', ...extra, ...limit, playbook];
  const result = await ansibleJob(context, { ...run, program: 'ansible-playbook', words, shown: playbook });
  return unreached(context, playbook, result);
}

/**
 * Who of these nodes can't be logged in to from the Ansible server, with what was said of each.
 * @throws TerminalError `kubespray.playbook-failed`, `kubespray.bad-host-name`
 */
async function unreachableNodes(
  context: Context,
  names: readonly string[],
  job: string,
  within: Duration,
): Promise<TaskFailure[]> {
  checkNames(names);
  const words = [names.join(','), '-m', 'raw', '-a', 'true'];
  const result = await ansibleJob(context, { job, within, program: 'ansible', words, shown: 'reaching nodes' });
  const { failed } = ended(context, 'ansible', result);
  // Their names become words of the next command.
  return failed.filter(({ host }) => names.includes(host));
}

/** How long all nodes may take to be tried. */
const REACHED = minutes(5);

/** Who is reached, of the whole inventory. */
export interface Reached {
  missed: TaskFailure[];
  /** For a playbook over all: those alone that are reached, where some are not. One that is not would end it for all, whatever it says of errors. */
  limit: { limit?: string[] };
}

/**
 * @param about names that the work is about
 * @throws as {@link unreachableNodes}
 */
export async function reachedNodes(context: Context, about: readonly string[] = []): Promise<Reached> {
  checkNames(about);
  const names = context.input.nodes.map(({ name }) => name);
  const missed = await unreachableNodes(context, names, 'reach-nodes', REACHED);
  const away = new Set(missed.map(({ host }) => host));
  return { missed, limit: away.size === 0 ? {} : { limit: names.filter((name) => !away.has(name)) } };
}

/** @throws TerminalError `kubespray.bad-host-name` */
const checkNames = (names: readonly string[]): void =>
  names.forEach((name) => fitting('kubespray', 'hostName', name, 'the name of a node'));

interface AnsibleJob {
  job: string;
  within: Duration;
  program: 'ansible' | 'ansible-playbook';
  words: readonly string[];
  shown: string;
}

function ansibleJob(context: Context, { job, within, program, words, shown }: AnsibleJob): Promise<JobResult> {
  return context.host.job(job, {
    prepare: (files) => prepared(context, files, program, words),
    within,
    okStatuses: EVERY_STATUS,
    onOutput: ({ text }) => {
      const said = text.split('\n').flatMap((line) => shownOf(shown, line) ?? []);
      context.progress(said.at(-1) ?? '');
    },
  });
}

/** Called when the job starts, so passwords lie in its folder for as long as it runs. */
async function prepared(context: Context, files: JobFiles, program: string, words: readonly string[]): Promise<PreparedRun> {
  const { folder, rootPath, format, nodes, proxy } = context.input;
  const { inventory, keys } = logins(nodes, (name) => files.path(name));
  await files.put('run.sh', RUN_ANSIBLE);
  await files.put(`${CALLBACK}.py`, CALLBACK_PLUGIN);
  await files.put('logins.yaml', inventory);
  for (const { name, key } of keys) await files.put(name, key);
  const proxies = proxyVariables(proxy);
  if (proxies !== undefined) await files.put('proxies.yaml', proxies);
  const given = [
    ...['-i', inventoryFile(folder, format), '-i', files.path('logins.yaml')],
    ...(proxies === undefined ? [] : ['-e', `@${files.path('proxies.yaml')}`]),
  ];
  const plugins = files.path('x').replace(/\/x$/, '');
  return {
    run: cmd`/bin/bash ${files.path('run.sh')} ${rootPath} ${program} ${given} ${[...words]}`,
    env: environment(folder, plugins),
  };
}

/** What Ansible reads of its environment comes before its configuration: an ansible.cfg in kubespray's folder holds for all else. */
function environment(folder: string, plugins: string): Record<string, string> {
  const { seen, given } = knownHostsFiles(folder);
  return {
    ANSIBLE_CALLBACK_PLUGINS: plugins,
    ANSIBLE_STDOUT_CALLBACK: CALLBACK,
    ANSIBLE_LOAD_CALLBACK_PLUGINS: '1',
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_FORCE_COLOR: '0',
    ANSIBLE_RETRY_FILES_ENABLED: '0',
    ANSIBLE_LOG_PATH: '/dev/null',
    ANSIBLE_INVENTORY_ENABLED: 'yaml,ini',
    ANSIBLE_TIMEOUT: '30',
    // Of this instance alone: kubespray's own cache is /tmp, where nodes of all clusters meet.
    ANSIBLE_CACHE_PLUGIN: 'jsonfile',
    ANSIBLE_CACHE_PLUGIN_CONNECTION: `${folder}/facts`,
    // Facts of a node that is not reached may be older than Ansible's day.
    ANSIBLE_CACHE_PLUGIN_TIMEOUT: '0',
    // A node's key is kept when it is first seen, under the id of its VM; one that changes is refused.
    ANSIBLE_HOST_KEY_CHECKING: 'True',
    ANSIBLE_SSH_ARGS: `-o ControlMaster=auto -o ControlPersist=60s -o StrictHostKeyChecking=accept-new -o "UserKnownHostsFile=${seen} ${given}"`,
    LC_ALL: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
  };
}

/** @throws TerminalError where more is wrong than that nodes were not reached */
function unreached(context: Context, playbook: string, result: JobResult): TaskFailure[] {
  if (result.status === 0) return [];
  const said = ended(context, playbook, result);
  if (said.failed.some(({ status }) => status === 'failed'))
    throw new TerminalError(
      'kubespray.task-failed',
      `${playbook} on ${context.serverName} failed: ${failuresShown(said)}. Look at the node, then retry the operation: the playbook runs again`,
    );
  if (said.failed.length > 0) return said.failed;
  throw unexplained(context, playbook, result);
}

/** What the plugin said at the end. @throws TerminalError `kubespray.playbook-failed` where it has not come so far */
function ended(context: Context, what: string, result: JobResult): { failed: TaskFailure[]; more: number } {
  const said = failuresIn(result.stdoutTail);
  if (said === undefined) throw unexplained(context, what, result);
  return said;
}

function unexplained(context: Context, what: string, { status, stdoutTail, stderrTail }: JobResult): TerminalError {
  const others = stdoutTail.split('\n').filter((line) => !line.startsWith('{'));
  const words = lastWords([new Secret(others.join('\n')), new Secret(stderrTail)], []);
  return new TerminalError(
    'kubespray.playbook-failed',
    `${what} on ${context.serverName} ended with exit status ${status}, and named no host that failed. It said last: ${words}`,
  );
}

/** For nodes without which the work can't go on. */
export const notReached = (context: Context, playbook: string, failed: readonly TaskFailure[]): TransientError =>
  new TransientError(
    'kubespray.unreachable',
    `${playbook}: ${context.serverName} does not reach ${failed.map(({ host, message }) => `${host} (${message.slice(0, 300)})`).join(', ')}`,
  );
