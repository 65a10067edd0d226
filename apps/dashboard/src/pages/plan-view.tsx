import type { JSX } from 'preact';
import type { Plan, PlannedStep } from '../api/types.js';
import { Name } from '../components/elements.js';
import { Rows } from '../components/rows.js';
import { planLines, stepsIn } from '../state/plan-lines.js';
import { durationText } from '../state/words.js';

const LINE = 26;

/** What an operation would do, before it is asked for. */
export function PlanView({ plan }: { plan: Plan }): JSX.Element {
  const lines = planLines(plan.plan);
  const { toCome, toGo } = plan.vms;
  const volumes = plan.volumes?.toGo ?? [];
  return (
    <section class="plan" aria-label="What it would do">
      <div role="status">
        <h3>
          {plan.operation}: {stepsIn(plan.plan).length} steps, {wholeText(plan)}
        </h3>
      </div>
      <ul class="plain">
        {toCome.length > 0 && <NameList says="VMs that would be made:" names={toCome} />}
        {toGo.length > 0 && <NameList says="VMs that would go:" names={toGo} />}
        {volumes.length > 0 && <NameList says="Volumes that would be deleted, with all that is on them:" names={volumes} />}
        {plan.warnings.map((warning) => (
          <li key={warning} class="note">
            <Name text={warning} />
          </li>
        ))}
      </ul>
      <div class="plan-steps">
        <Rows label="Steps of the plan" count={lines.length} height={LINE} row={(at) => <PlanLine line={lines[at]} />} />
      </div>
      <p class="hint">
        ↶ a roll-back takes it back ·{' '}
        {plan.pointOfNoReturn === null ? (
          'it can be rolled back until it has ended'
        ) : (
          <>no way back from {plan.pointOfNoReturn} on</>
        )}
      </p>
    </section>
  );
}

const NameList = ({ says, names }: { says: string; names: readonly string[] }): JSX.Element => (
  <li>
    <strong>{says}</strong> <Name text={names.join(', ')} />
  </li>
);

function PlanLine({ line }: { line: { depth: number; node: PlannedStep | string } | undefined }): JSX.Element | null {
  if (line === undefined) return null;
  const { depth, node } = line;
  const indented = `planned depth-${Math.min(depth, 6)}`;
  if (typeof node === 'string') return <div class={indented}>{node}</div>;
  const { undoable, action, target, service, duration, hook, id } = node;
  return (
    <div class={indented}>
      <span aria-label={undoable ? 'taken back by a roll-back' : 'passed over by a roll-back'}>{undoable ? '↶' : '·'}</span>{' '}
      {hook === undefined ? action : `${id}: plan of ${hook.driver}`}{' '}
      <Name text={hook === undefined ? (target ?? '') : refusalOf(hook)} />
      <span class="hint">
        {' '}
        {service}
        {duration === null ? '' : `, ${durationText(duration.seconds * 1_000)}`}
      </span>
    </div>
  );
}

const refusalOf = ({ refusal }: NonNullable<PlannedStep['hook']>): string =>
  refusal === undefined ? '' : `can’t be told yet: ${refusal.detail}`;

function wholeText({ estimate: { seconds, isLowerBound } }: Plan): string {
  if (seconds === 0 && isLowerBound) return 'how long they take is not known yet';
  return `${isLowerBound ? 'at least' : 'about'} ${durationText(seconds * 1_000)}`;
}
