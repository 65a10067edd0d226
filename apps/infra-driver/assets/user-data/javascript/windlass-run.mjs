// Runs one method of a package's user data in JavaScript, inside the sandbox: what to run comes by standard input, what came of it goes to the file descriptor 3.
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const PACKAGE = '/package';
const MAX_DEPTH = 32;
const MAX_VALUES = 50_000;

/** What the request names is not in the script. */
class Absent extends Error {}
class WrongResult extends Error {}

let counted = 0;

/** The value as JSON has it. Names the place of what JSON does not have. */
function plain(value, path = 'the result', depth = 0) {
  counted += 1;
  if (counted > MAX_VALUES) throw new WrongResult(`${path.slice(0, 200)}: more than ${MAX_VALUES} values are returned`);
  if (depth > MAX_DEPTH)
    throw new WrongResult(`${path.slice(0, 200)}: is nested deeper than ${MAX_DEPTH} levels, or holds itself`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new WrongResult(`${path}: ${value} is no number that JSON has`);
    return value;
  }
  if (Array.isArray(value)) return value.map((each, index) => plain(each, `${path}[${index}]`, depth + 1));
  if (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return Object.fromEntries(members.map(([key, each]) => [key, plain(each, `${path}.${key}`, depth + 1)]));
  }
  throw new WrongResult(`${path}: a value of type ${value?.constructor?.name ?? typeof value} is no JSON`);
}

async function call(job) {
  const module = await import(pathToFileURL(`${PACKAGE}/${job.script}`).href);
  const userData = module[job.class];
  if (userData === undefined) {
    const exported = Object.keys(module).slice(0, 10).join(', ');
    throw new Absent(`it exports no ${job.class}; it exports ${exported === '' ? 'nothing' : exported}`);
  }
  if (typeof userData.instantiate !== 'function') throw new Absent(`${job.class} has no function instantiate`);
  if (typeof userData[job.method] !== 'function') return { signature: 'module', called: false };
  const result = await userData[job.method](job.module);
  return { signature: 'module', called: true, result: result === undefined ? null : plain(result) };
}

function told(error) {
  const stack = String(error?.stack ?? '');
  const at = /file:\/\/\/package\/([^\s:)]+):(\d+)/.exec(stack);
  const where = at === null ? {} : { file: decodeURI(at[1]), line: Number(at[2]), text: lineOf(at[1], Number(at[2])) };
  return { type: String(error?.name ?? typeof error), message: String(error?.message ?? error).slice(0, 1000), ...where };
}

function lineOf(file, line) {
  const lines = readFileSync(`${PACKAGE}/${decodeURI(file)}`, 'utf8').split('\n');
  return (lines[line - 1] ?? '').trim().slice(0, 200);
}

const say = (what) => {
  const bytes = Buffer.from(JSON.stringify(what));
  for (let at = 0; at < bytes.length;) at += writeSync(3, bytes, at);
};

const job = JSON.parse(readFileSync(0, 'utf8'));
process.on('exit', (code) => {
  if (!answered) say({ error: { type: 'Exit', message: `it ended itself with ${code} before it had returned anything` } });
});
let answered = false;
const answer = (what) => {
  answered = true;
  say(what);
  process.exit(0);
};
try {
  answer(await call(job));
} catch (error) {
  if (error instanceof Absent) answer({ absent: error.message.slice(0, 1000) });
  else answer(error instanceof WrongResult ? { wrong: error.message.slice(0, 1000) } : { error: told(error) });
}
