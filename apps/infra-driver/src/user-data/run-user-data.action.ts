import { isJsonObject, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { runUserDataAction, type RunUserDataInput } from '@windlass/lifecycle';
import { implementAction, type StepRun } from '@windlass/saga';
import { faultIn, serverFault, type ComputedData } from '@windlass/user-data';
import { PackageError, plainYaml, type Flavour } from '@windlass/vnf-package';
import { isDeepStrictEqual } from 'node:util';
import type { InfraSettings, PackageReader } from '../actions/infra-context.js';
import { computedFrom } from './computed-from.js';
import { packageContents } from './package-contents.js';
import { runScript, wrongResult, type ScriptRun } from './run-script.js';

/** What a script is run with: no VIM. */
export interface UserDataContext {
  run: StepRun<RunUserDataInput>;
  settings: Pick<InfraSettings, 'python' | 'scriptWithin'>;
  packages: PackageReader;
}

/** Runs a package's script. Nothing outside is changed by it, so that a run whose worker died is as if it had not been. */
export const runUserData = implementAction<UserDataContext, RunUserDataInput, { computed: ComputedData | null }>(
  runUserDataAction,
  {
    apply: async ({ run, settings, packages }) => {
      const { input, signal } = run;
      const { script, className, method, facts, flavour, vnfPkgId, files, tenant = '' } = input;
      const contents = await packageContents(packages, vnfPkgId, files, signal);
      const baseHot = templatesOf(flavour);
      const { signature, result } = await runScript({
        project: tenant,
        script,
        className,
        method,
        facts,
        vnfd: await vnfdOf(input, contents, packages, signal),
        flavourId: flavour.id,
        baseHot,
        package: contents,
        settings: { python: settings.python, within: settings.scriptWithin },
        signal,
      });
      const what = `${script}, ${className}.${method}`;
      if (result === null && method !== 'instantiate') return unchanged(what, input);
      // A stack that is made or recreated keeps nothing of the previous one.
      const current = method === 'instantiate' ? null : facts.current;
      const computed = computedFrom(what, { signature, result: result ?? {}, current, baseHot });
      const fault = faultIn(flavour, computed, facts.counts) ?? stays(input, computed);
      if (fault !== undefined) throw wrongResult(what, fault);
      return { computed };
    },
  },
);

/** For a script that returned nothing, or has no such method: Windlass itself sets the groups' sizes, and nothing else may change so. */
function unchanged(what: string, { method, flavour, facts }: RunUserDataInput): { computed: null } {
  if (method === 'change_ext_conn')
    throw new TerminalError(
      'user-data.not-reconnected',
      `${what}: there is no such method, or it returned nothing, and the script has computed the networks: the ports would stay where they are`,
    );
  const fault = method === 'scale' ? serverFault(flavour, facts.current, facts.counts ?? {}) : undefined;
  if (fault !== undefined) throw wrongResult(what, `is none, and what is there does not fit: ${fault}`);
  return { computed: null };
}

/**
 * Why a change of connectivity has no effect: the script's result is as before, and a network of the request is nowhere in it. Undefined otherwise.
 */
function stays({ method, facts }: RunUserDataInput, computed: ComputedData): string | undefined {
  if (method !== 'change_ext_conn' || !isDeepStrictEqual(computed.parameters, facts.current?.parameters)) return undefined;
  const links = Array.isArray(facts.request.extVirtualLinks) ? facts.request.extVirtualLinks.filter(isJsonObject) : [];
  const has = JSON.stringify(computed);
  const missing = links.find(({ resourceId }) => typeof resourceId === 'string' && !has.includes(JSON.stringify(resourceId)));
  if (missing === undefined) return undefined;
  return `changes nothing, and the network ${JSON.stringify(missing.resourceId)} that the request asks for is not in it`;
}

/** The package's templates as a script has them. They were read when it was onboarded. */
function templatesOf({ id, baseHot }: Flavour): ScriptRun['baseHot'] {
  if (baseHot === undefined)
    throw new TerminalError(
      'user-data.no-base-hot',
      `the package has no BaseHOT/${id}/, and a script computes what its templates ask for`,
    );
  const files: Record<string, Json> = {};
  for (const [name, { text, path }] of Object.entries(baseHot.files))
    if (/\.ya?ml$/i.test(name)) files[name] = plainYaml(text, path);
  return { template: plainYaml(baseHot.top.text, baseHot.top.path), files };
}

/** The file that defines the flavour; of a flavour that only the top file defines, that. */
async function vnfdOf(
  { flavour, vnfPkgId }: RunUserDataInput,
  contents: ReadonlyMap<string, Buffer>,
  packages: PackageReader,
  signal: AbortSignal,
): Promise<JsonObject> {
  let text = contents.get(flavour.file);
  if (text === undefined) {
    const parts: Buffer[] = [];
    for await (const part of (await packages.open(vnfPkgId, flavour.file, signal)).bytes()) parts.push(part as Buffer);
    text = Buffer.concat(parts);
  }
  try {
    const vnfd = plainYaml(text.toString('utf8'), flavour.file);
    return isJsonObject(vnfd) ? vnfd : {};
  } catch (error) {
    throw error instanceof PackageError ? new TerminalError(error.code, error.message, { cause: error }) : error;
  }
}
