import { isJsonObject } from '@windlass/foundation';
import { sequence, source, sourced, stepOf, type JournalTransaction, type PlanNode } from '@windlass/saga';
import { namedScript, type ComputedData, type NamedScript, type ScriptFacts, type ScriptMethod } from '@windlass/user-data';
import type { SagaContext } from '../../operation/operation-saga.js';
import type { ScriptUse } from '../../operation/script-use.js';
import { FLAVOUR, notUndone } from '../../stack/stack-step.js';
import { runUserDataAction, type RunUserDataOutput, type ScriptFile } from '../../stack/user-data-actions.js';

/** The source of what a script is told of the operation. */
export const SCRIPT_INPUT = source<ScriptFacts>('user-data-facts');

const STEP = 'run-user-data';
/** A script sees the small files of its package: templates, definitions, other scripts. It does not see images and archives. */
const [MAX_FILE_BYTES, MAX_BYTES, MAX_FILES] = [256 * 1024, 4 * 1024 * 1024, 200];

interface Asked {
  instance: Pick<SagaContext['instance'], 'desired'>;
  opOcc: Pick<SagaContext['opOcc'], 'request'>;
}

/**
 * The script of an operation, and which of its methods is run; undefined where the data is the built-in one, or stays as it is.
 * @param use the member `script` of the operation's definition
 */
export function scriptOf(
  { opOcc, instance }: Asked,
  use: ScriptUse | undefined,
): { script: NamedScript; method: ScriptMethod } | undefined {
  if (use === undefined) return undefined;
  const asked = use.makesVnf === true ? undefined : instance.desired?.additionalParams;
  const script =
    namedScript(isJsonObject(opOcc.request.additionalParams) ? opOcc.request.additionalParams : {}) ?? namedScript(asked);
  return script === undefined ? undefined : { script, method: use.method(opOcc.request) };
}

/** The grant, then the script where there is one: nothing is made before it, so a script that fails rolls the operation back. */
export function withScript(granted: PlanNode, context: SagaContext, use: ScriptUse | undefined): PlanNode {
  const asked = scriptOf(context, use);
  if (asked === undefined) return granted;
  const { script, method } = asked;
  const step = stepOf(runUserDataAction, {
    id: STEP,
    target: script.path,
    input: {
      tenant: context.opOcc.tenant,
      vnfPkgId: context.package.id,
      script: script.path,
      className: script.className,
      method,
      files: filesFor(script.path, context.package.files),
      flavour: sourced(FLAVOUR),
      facts: sourced(SCRIPT_INPUT),
    },
  });
  return sequence(...(granted.kind === 'sequence' ? granted.of : [granted]), notUndone(step));
}

function filesFor(script: string, files: readonly ScriptFile[]): ScriptFile[] {
  const [own, ...others] = [
    ...files.filter(({ path }) => path === script),
    ...files.filter(({ path }) => path !== script && path.startsWith('UserData/')),
    ...files.filter(({ path }) => path !== script && !path.startsWith('UserData/') && !path.startsWith('Files/images/')),
  ].map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const chosen = own === undefined ? [] : [own];
  let bytes = own?.size ?? 0;
  for (const file of others) {
    if (file.size > MAX_FILE_BYTES || bytes + file.size > MAX_BYTES || chosen.length >= MAX_FILES) continue;
    bytes += file.size;
    chosen.push(file);
  }
  return chosen;
}

/**
 * What the operation's script has computed, else what an earlier script has; undefined where the user data is the built-in one. An instance that is
 * NOT_INSTANTIATED has no earlier script.
 */
export async function computedIn(tx: JournalTransaction, context: SagaContext): Promise<ComputedData | undefined> {
  if (tx.steps.some(({ id }) => id === STEP)) {
    const output = (await tx.readPayload(STEP, 'output')) as Partial<RunUserDataOutput> | undefined;
    if (output?.computed !== undefined && output.computed !== null) return output.computed;
  }
  return context.instance.desired?.computed;
}

/** As a member of the desired state: absent where there is none. */
export const keptAs = (computed: ComputedData | undefined): { computed?: ComputedData } =>
  computed === undefined ? {} : { computed };
