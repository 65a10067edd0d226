import { isJsonObject, TerminalError, type Duration, type Json, type JsonObject } from '@windlass/foundation';
import { languageOf, type ScriptFacts, type ScriptMethod } from '@windlass/user-data';
import { interpreterOf } from './interpreters.js';
import { secondVersion } from './second-version.js';
import { noSandbox, runInSandbox, SANDBOX_LIMITS, type SandboxedEnd } from './sandbox.js';

/** Limits of an answer: two levels and a few values more than the check in the sandbox lets through. */
const [MAX_DEPTH, MAX_VALUES] = [34, 50_010];

/** How the programs that make the sandbox begin the reason why they could not. */
const OUTSIDE_SAYS = /^(?:bwrap|unshare|mount|\/bin\/mount|\/bin\/mkdir|\/bin\/sh): /;

/** A script of a package, and what it is run with. */
export interface ScriptRun {
  /** Whose script it is: projects are served in turn. */
  project: string;
  script: string;
  className: string;
  method: ScriptMethod;
  facts: ScriptFacts;
  /** The VNFD's file of the flavour, parsed. */
  vnfd: JsonObject;
  flavourId: string;
  /** The templates, parsed. */
  baseHot: { template: JsonObject; files: Record<string, Json> };
  /** Files of the package that the script sees, by their paths in it. */
  package: ReadonlyMap<string, Buffer>;
  settings: { python: string; within: Duration };
  signal: AbortSignal;
}

/** What a script returned. Null where it has no such method, or returned nothing: then the stack keeps what it has. */
export interface ScriptResult {
  signature: 'v1' | 'v2' | 'module';
  result: JsonObject | null;
}

/**
 * Runs one method of a script in the sandbox.
 * @throws TerminalError `user-data.failed` with the script's line and what it said, `user-data.wrong-result` with the place of what is wrong,
 * `user-data.no-sandbox`, `user-data.no-python`
 */
export async function runScript(run: ScriptRun): Promise<ScriptResult> {
  const { program, files } = interpreterOf(languageOf(run.script), run.settings.python);
  const packaged = [...run.package].map(([path, bytes]) => [`/package/${path}`, bytes] as const);
  const end = await runInSandbox({
    project: run.project,
    program,
    files: new Map([...files, ...packaged]),
    input: JSON.stringify(jobOf(run)),
    within: run.settings.within,
    signal: run.signal,
  });
  return resultOf(end, run);
}

function jobOf({ script, className, method, facts, vnfd, flavourId, baseHot }: ScriptRun): JsonObject {
  return {
    script,
    class: className,
    method,
    package: { flavourId, vnfd, baseHot },
    v1: firstVersion(method, facts, vnfd, baseHot),
    v2: secondVersion(facts).map(plain),
    module: {
      request: facts.request,
      instance: facts.instance,
      grantRequest: facts.grantRequest,
      grant: facts.grant,
      vnfd,
      templates: baseHot,
      current: facts.current === null ? null : { ...facts.current },
      desiredCapacity: facts.desiredCapacity,
      vnfcs: facts.vnfcs,
      packageFolder: '/package',
    },
  };
}

interface Argument extends JsonObject {
  value: Json;
  /** Whether it is read by attributes. */
  object: boolean;
}

const plain = (value: Json): Argument => ({ value, object: false });
const object = (value: Json): Argument => ({ value, object: true });

/** The arguments of the first version, in the order in which its scripts name them. */
function firstVersion(method: ScriptMethod, facts: ScriptFacts, vnfd: JsonObject, baseHot: ScriptRun['baseHot']): Argument[] {
  const templates = plain({ ...baseHot.files, heat_template: baseHot.template });
  const first = [templates, plain(vnfd), object(facts.request)];
  if (method === 'instantiate') return [...first, object(grantedImages(facts.grant))];
  const { instance, current } = facts;
  const now = [object(instance), object(instance.instantiatedVnfInfo ?? {}), plain(current?.parameters ?? {})];
  return [...first, ...now, method === 'scale' ? plain(facts.desiredCapacity) : object(facts.vnfcs)];
}

/** By VDU, the images that are granted. */
function grantedImages({ vimAssets }: JsonObject): JsonObject {
  const images = isJsonObject(vimAssets) && Array.isArray(vimAssets.softwareImages) ? vimAssets.softwareImages : [];
  return Object.fromEntries(
    images
      .filter(isJsonObject)
      .map(({ vnfdSoftwareImageId, vimSoftwareImageId }) => [
        textOf(vnfdSoftwareImageId),
        [{ resourceIdentifier: vimSoftwareImageId ?? null }],
      ]),
  );
}

function resultOf(end: SandboxedEnd, run: ScriptRun): ScriptResult {
  const { script, className, method } = run;
  const what = `${script}, ${className}.${method}`;
  const said = end.said === '' ? '' : `; it said: ${end.said.slice(-1000)}`;
  const failed = (reason: string): TerminalError => new TerminalError('user-data.failed', `${what}: ${reason}${said}`);
  if (end.ended === 'too-late')
    throw failed(`was ended after ${run.settings.within / 1000} s, which is the longest that a script may take`);
  if (end.ended === 'printed-too-much') throw failed(`was ended: it printed more than ${SANDBOX_LIMITS.printedBytes} bytes`);
  if (end.ended === 'out-of-memory') throw failed('was ended: it took more memory than a script may have');
  if (end.ended === 'returned-too-much')
    throw wrongResult(what, `is larger than ${SANDBOX_LIMITS.resultBytes} bytes as JSON, which is the most that is taken`);
  const answer = parsed(end.result);
  if (answer === undefined && end.result === '' && OUTSIDE_SAYS.test(end.said) && end.exitCode !== 0) throw noSandbox(end.said);
  if (answer === undefined) {
    const how = end.endedBy === null ? `with ${end.exitCode ?? 'nothing'}` : `by ${end.endedBy}`;
    throw failed(`ended ${how} and gave no result`);
  }
  if (isBomb(answer)) throw wrongResult(what, `is nested deeper than ${MAX_DEPTH} levels, or has more than ${MAX_VALUES} values`);
  if (typeof answer.absent === 'string') throw failed(answer.absent);
  if (typeof answer.wrong === 'string') throw wrongResult(what, answer.wrong);
  if (isJsonObject(answer.error)) throw failed(atLine(answer.error));
  const { signature, called, result = null } = answer;
  if ((signature !== 'v1' && signature !== 'v2' && signature !== 'module') || typeof called !== 'boolean')
    throw failed('gave no result that can be read');
  if (!called) return { signature, result: null };
  if (result !== null && !isJsonObject(result))
    throw wrongResult(what, `is ${kindOf(result)}, where a map of parameters was expected`);
  const unstorable = unstorableAt(result);
  if (unstorable !== undefined)
    throw wrongResult(what, `has a NUL character or half of a surrogate pair ${unstorable}: send such bytes in base64`);
  return { signature, result: result === null || Object.keys(result).length === 0 ? null : result };
}

/** What speaks against what a script returned: nothing of it goes to Heat. */
export const wrongResult = (what: string, reason: string): TerminalError =>
  new TerminalError('user-data.wrong-result', `${what}: the result ${reason.replace(/^the result[.:]? ?/, '')}`);

/** Where a text stands that neither the database nor Heat can hold, as the end of a sentence. The depth of a result has a limit already. */
function unstorableAt(value: Json, at = ''): string | undefined {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? `at ${at === '' ? '/' : at}` : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [name, each] of Object.entries(value)) {
    if (UNSTORABLE.test(name)) return `in a name below ${at === '' ? '/' : at}`;
    const found = unstorableAt(each, `${at}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const UNSTORABLE = /\0|\p{Surrogate}/u;

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // told as "gave no result": a script can write there what it likes
  }
}

function atLine({ type, message, file, line, text }: JsonObject): string {
  const what = `${textOf(type)}: ${textOf(message)}`.slice(0, 1200);
  return file === undefined ? what : `${what}, at ${textOf(file)} line ${textOf(line)} (${textOf(text).trim()})`.slice(0, 1600);
}

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/**
 * Whether a result is deeper or larger than any template asks for. A script can write its result past the check inside the sandbox, so it is checked
 * here.
 */
function isBomb(value: Json): boolean {
  let level = [value];
  for (let depth = 0, seen = 0; level.length > 0; depth += 1) {
    seen += level.length;
    if (depth > MAX_DEPTH || seen > MAX_VALUES) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

const kindOf = (value: Json): string => (Array.isArray(value) ? 'a list' : `a ${typeof value}`);
