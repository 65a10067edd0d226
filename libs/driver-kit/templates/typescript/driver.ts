// @DRIVER@, a management driver: it writes a notice to the VMs of a VNF, and takes it away again.
//
// Windlass starts the file `driver` anew for each question and for each step. One JSON object a line comes on standard input and goes to standard
// output; what is for people goes to standard error. docs/contracts/mgmt-driver.md says what the lines mean. Node alone is all it needs.
import { createInterface } from 'node:readline';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const DESCRIPTION = {
  driver: '@DRIVER@',
  version: '1.0.0',
  service: '@SERVICE@',
  hooks: ['instantiate_end'],
  actions: [{ name: 'write-notice', version: 1, undo: true }],
  checks: ['INSTANTIATE'],
  // JSON Schema of additionalParams. What is writeOnly is shown to nobody, and to this driver only in the input of a step.
  parameters: {
    type: 'object',
    required: ['notice'],
    properties: {
      notice: {
        type: 'object',
        required: ['text', 'ssh_cp_name', 'username'],
        properties: {
          text: { type: 'string', minLength: 1, maxLength: 1000 },
          ssh_cp_name: { type: 'string' },
          username: { type: 'string' },
          password: { type: 'string', writeOnly: true },
          private_key: { type: 'string', writeOnly: true },
          passphrase: { type: 'string', writeOnly: true },
        },
        sshLogin: { password: 'password', privateKey: 'private_key', passphrase: 'passphrase' },
      },
    },
  },
};

const FILE = '/etc/motd.d/@DRIVER@';

interface Params {
  notice: { text: string; ssh_cp_name: string; username: string; password?: string; private_key?: string; passphrase?: string };
}

interface ValidateRequest {
  requestParams: Params;
  flavour: { cps: { id: string }[] };
}

interface HookContext {
  vnfInstanceId: string;
  instantiateParams: Params;
  vnfcs: { id: string; name: string; resourceId: string; cps: { cpdId: string }[] }[];
}

interface Input {
  text: string;
  machine: { name: string; address: string };
}

/** What the schema can't say: whether the VNF has such a connection point. */
function validate({ requestParams, flavour }: ValidateRequest): JsonObject {
  const wanted = requestParams.notice.ssh_cp_name;
  const known = flavour.cps.map(({ id }) => id);
  if (known.includes(wanted)) return {};
  const reason = `the flavour has no connection point ${wanted}; it has ${known.join(', ')}`;
  return { invalidParams: [{ path: '/additionalParams/notice/ssh_cp_name', reason }] };
}

/** A step for each VM that has the connection point, side by side. Secrets are pointed at: none is known here. */
function plan({ vnfInstanceId, instantiateParams: { notice }, vnfcs }: HookContext): JsonObject {
  const parts = (['username', 'password', 'private_key', 'passphrase'] as const).filter((part) => notice[part] !== undefined);
  const login = Object.fromEntries(parts.map((part) => [part, { $from: 'instantiate-params', at: `/notice/${part}` }]));
  const steps = vnfcs
    .filter(({ cps }) => cps.some(({ cpdId }) => cpdId === notice.ssh_cp_name))
    .map(({ id, name, resourceId }) => ({
      kind: 'step',
      id: `write-notice:${id}`,
      action: 'write-notice',
      version: 1,
      target: name,
      limits: [`host:${resourceId}`],
      input: {
        instance: vnfInstanceId,
        text: notice.text,
        machine: { name, vnfc: { $from: `vnfc:${id}` }, sshCp: notice.ssh_cp_name, ...login },
      },
    }));
  return { root: { kind: 'parallel', of: steps } };
}

/** It may have run before, and have been lost half-way: it must be right to do it again. */
async function run({ text, machine }: Input): Promise<JsonObject> {
  say({ say: 'progress', line: `writing to ${machine.name}` });
  await script({
    name: 'write-notice',
    text: 'install -D -m 0644 "$1" "$2"',
    arguments: [{ file: 'notice' }, FILE],
    files: { notice: `${text}\n` },
    firstBoot: true,
  });
  return { file: FILE };
}

/** Whatever part of run happened, and once more where it was undone already. */
async function undo(): Promise<void> {
  await script({ name: 'remove-notice', text: 'rm -f "$1"', arguments: [FILE] });
}

// --- what every driver in TypeScript can keep as it is ---

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]() as AsyncIterator<string, string | undefined>;

function say(line: JsonObject): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The next line from Windlass. A cancel, or an end without one, ends this process. */
async function told(): Promise<JsonObject> {
  const { value, done } = await lines.next();
  const message = (done === true ? { tell: 'cancel' } : JSON.parse(value ?? '')) as JsonObject;
  if (message.tell !== 'cancel') return message;
  say({ say: 'cancelled' });
  process.exit(0);
}

/** Has Windlass run a bash script as root on the machine of the input; returns when it ended with status 0. Else the step fails. */
async function script(what: JsonObject): Promise<JsonObject> {
  say({ say: 'script', ...what });
  return told();
}

async function main(): Promise<void> {
  const { value: line = '' } = await lines.next();
  const request = JSON.parse(line) as JsonObject;
  switch (request.ask) {
    case 'describe':
      return say({ say: 'answer', answer: DESCRIPTION });
    case 'validate':
      return say({ say: 'answer', answer: validate(request.request as unknown as ValidateRequest) });
    case 'plan':
      return say({ say: 'answer', answer: plan(request.context as unknown as HookContext) });
    case 'run':
      return say({ say: 'done', output: await run(request.input as unknown as Input) });
    case 'undo':
      await undo();
      return say({ say: 'done' });
    default:
      return say({
        say: 'failed',
        kind: 'terminal',
        code: '@DRIVER@.unknown-question',
        detail: 'this driver does not know the question',
      });
  }
}

await main();
process.stdin.destroy();
