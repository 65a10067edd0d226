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

/**
 * Every exit status is accepted, because Ansible's output and not its status tells which node failed and how: ansible-core 2.14 also exits with 2
 * where a node is not reached.
 */
const EVERY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/** A playbook that is to run. */
export interface PlaybookRun {
  /** The job's name. */
  job: string;
  kind: PlaybookKind;
  within: Duration;
  /** Extra variables with their types. Ansible takes `name=false` for a text, and a text is true to a playbook that does not convert it. */
  extra?: Readonly<Record<string, string | boolean>>;
  /** Names of the only nodes that the playbook may touch. */
  limit?: readonly string[];
}

type Context = PlaybookContext<PlaybookStepInput>;

/**
 * Runs a playbook on the Ansible server to its end.
 * @returns nodes that could not be reached, where no task failed on another node
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
  // kubespray needs localhost, where it downloads.
  const limit = run.limit === undefined ? [] : [`--limit=${[...run.limit, 'localhost'].join(',')}`];
  const words = ['--become', '--become-user=root', ...extra, ...limit, playbook];
  const result = await ansibleJob(context, { ...run, program: 'ansible-playbook', words, shown: playbook });
  return unreached(context, playbook, result);
}

/**
 * Nodes, of these, that the Ansible server can't log in to, each with the error.
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
  // Known names only: they become words of the next command.
  return failed.filter(({ host }) => names.includes(host));
}

/** How long all nodes may take to be tried. */
const REACHED = minutes(5);

/** The nodes of the whole inventory that the Ansible server reaches. */
export interface Reached {
  missed: TaskFailure[];
  /**
   * The limit of a playbook over all nodes: the reached nodes, where some are not reached. A node that is not reached would end the playbook for all,
   * whatever the playbook says of errors.
   */
  limit: { limit?: string[] };
}

/** @param about names of the nodes that the work concerns @throws as {@link unreachableNodes} */
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

/** Called when the job starts, so that passwords lie in the job's folder only while it runs. */
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

/** Ansible's environment variables override its configuration. For everything not set here, an ansible.cfg in kubespray's folder counts. */
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
    // A cache of this instance's own: kubespray's default is in /tmp, which all clusters share.
    ANSIBLE_CACHE_PLUGIN: 'jsonfile',
    ANSIBLE_CACHE_PLUGIN_CONNECTION: `${folder}/facts`,
    // Cached facts never expire: those of a node that can't be reached may be older than Ansible's default of a day.
    ANSIBLE_CACHE_PLUGIN_TIMEOUT: '0',
    // A node's host key is recorded at the first connection, under the id of its VM. A key that changes later is refused.
    ANSIBLE_HOST_KEY_CHECKING: 'True',
    ANSIBLE_SSH_ARGS: `-o ControlMaster=auto -o ControlPersist=60s -o StrictHostKeyChecking=accept-new -o "UserKnownHostsFile=${seen} ${given}"`,
    LC_ALL: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
  };
}

/** The nodes that were not reached. @throws TerminalError where anything else failed */
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

/** The plugin's last line. @throws TerminalError `kubespray.playbook-failed` where the playbook has ended without it */
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

/** The error for nodes without which the work can't go on. */
export const notReached = (context: Context, playbook: string, failed: readonly TaskFailure[]): TransientError =>
  new TransientError(
    'kubespray.unreachable',
    `${playbook}: ${context.serverName} does not reach ${failed.map(({ host, message }) => `${host} (${message.slice(0, 300)})`).join(', ')}`,
  );
