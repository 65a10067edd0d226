import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';
import { inState, instantiate, running, startReplica, type Replica } from './support/replicas.js';

const MAIN = join(import.meta.dirname, '../../apps/windlass/dist/main.js');
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

let system: System;
let replica: Replica;
let folder: string;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  replica = await startReplica(system, { user: 'watcher' });
  folder = await mkdtemp(join(tmpdir(), 'windlass-terminal-'));
  await writeFile(join(folder, 'token'), replica.token, { mode: 0o600 });
});

afterAll(async () => {
  await replica.stop();
  await system.close();
  await rm(folder, { recursive: true, force: true });
});

interface Shown {
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
}

function run(program: string, args: string[]): Shown {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, exit };
}

const watchArgs = (id: string): string[] => [
  MAIN,
  'op',
  'watch',
  id,
  '--url',
  replica.url,
  '--token-file',
  join(folder, 'token'),
];

/** As somebody at a terminal of 80 by 12 has it: util-linux's `script` is the terminal. */
const atTerminal = (id: string): Shown =>
  run('script', ['-qec', `stty rows 12 cols 80; exec node ${watchArgs(id).join(' ')}`, join(folder, 'typescript')]);

/** What stands on the terminal: without the orders to it. */
const text = (output: string): string => output.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '');

const until = (shown: Shown, what: string): Promise<boolean> =>
  waitUntil(
    (seen) => {
      seen(shown.output());
      return Promise.resolve(shown.output().includes(what) ? true : undefined);
    },
    { for: `"${what}" on the terminal`, within: seconds(120), every: seconds(0.05) },
  );

describe('op watch', () => {
  it('draws the tree over itself on a terminal, leaves it whole at the end, and ends with 0', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 20_000, times: 1 });
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const shown = atTerminal(operationId);
    await until(shown, '▸ create-stack');
    expect(await shown.exit).toBe(0);
    const output = shown.output();
    expect(output).toContain(HIDE_CURSOR);
    expect(output.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(output.lastIndexOf(HIDE_CURSOR));
    const [, last = ''] = /(INSTANTIATE COMPLETED {2}.*)$/s.exec(text(output)) ?? [];
    expect(last).toContain('✔ create-stack');
    expect(last).toContain('publish');
  });

  it('leaves the terminal sane on Ctrl-C, and the operation alone', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 20_000, times: 1 });
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const shown = atTerminal(operationId);
    await until(shown, '▸ create-stack');
    shown.child.stdin?.write('\u0003');
    expect(await shown.exit).toBe(130);
    const output = shown.output();
    expect(output.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(output.lastIndexOf(HIDE_CURSOR));
    await inState(system.api, operationId, 'COMPLETED');
  });

  it('writes plain lines into a pipe, and ends with 1 where the operation failed', async () => {
    const { faults } = system.emulator;
    faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const { operationId } = await instantiate(system.api, vnfdId);
    const shown = run('node', watchArgs(operationId));
    expect(await shown.exit).toBe(1);
    expect(shown.output()).not.toContain('\u001b');
    expect(shown.output()).toContain('INSTANTIATE FAILED_TEMP');
    expect(shown.output()).toContain('No valid host.');
  });
});

describe('vnf plan', () => {
  it('shows what an operation would do, and asks for nothing', async () => {
    const { data } = await system.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    const request = join(folder, 'request.json');
    await writeFile(request, JSON.stringify(await sampleRequest('instantiate-simple-vm.json', 'net0')));
    const target = ['--url', replica.url, '--token-file', join(folder, 'token')];
    const lines = run('node', [MAIN, 'vnf', 'instantiate', data.id, request, '--plan', ...target]);
    expect(await lines.exit).toBe(0);
    expect(lines.output()).toContain(`INSTANTIATE of ${data.id}: `);
    expect(lines.output()).toContain('VMs that would be made: VDU1-1');
    expect(lines.output()).toContain(`  ↶ create-stack vnf-${data.id}  by infra-driver`);
    const json = run('node', [MAIN, 'vnf', 'plan', data.id, 'modify', '--json', ...target]);
    expect(await json.exit).toBe(0);
    expect(JSON.parse(json.output())).toMatchObject({ operation: 'MODIFY_INFO', pointOfNoReturn: null });
    const shown = await system.api.get<{ instantiationState: string; vnfInstanceName?: string }>(
      `/vnflcm/v1/vnf_instances/${data.id}`,
    );
    expect(shown.data.instantiationState).toBe('NOT_INSTANTIATED');
    expect((await system.api.get<unknown[]>(`/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,${data.id})`)).data).toEqual([]);
  });
});
