import type { ComponentChildren, JSX } from 'preact';
import type { Operation, Step } from '../api/types.js';
import { Name } from '../components/elements.js';
import { causeOf, failedAtOf, failedOnText, meansOf, nextOf, numberedOf, sentencesOf, type Cause } from '../state/failing.js';
import { hrefOf } from '../state/route.js';
import { nameOf } from '../state/words.js';

interface FailureProps {
  operation: Operation;
  /** The step that failed. */
  step: Step | undefined;
  choose: (id: string) => void;
  /** What can be done. */
  children: ComponentChildren;
}

/** Where an operation broke, why, and what to do first: what one looks for, in this order. */
export function Failure({ operation, step, choose, children }: FailureProps): JSX.Element {
  const { error } = operation;
  if (step?.error == null) {
    if (error?.detail === undefined) return <>{children}</>;
    const { detail, remedy, code, title } = error;
    return (
      <div class="failure">
        <Why cause={causeOf({ detail, ...(remedy === undefined ? {} : { remedy }) })}>
          <code>{code ?? title ?? 'error'}</code>
        </Why>
        <First operation={operation} says={remedy?.says} isRolledBack={remedy?.leadsOn === 'rollback'} code={code}>
          {children}
        </First>
      </div>
    );
  }
  const next = nextOf(step.error);
  return (
    <div class="failure">
      <Where step={step} choose={choose} />
      <Why cause={causeOf(step.error)}>
        {meansOf(step.error.kind)} <code>{step.error.code}</code>
      </Why>
      <First operation={operation} says={next?.says} isRolledBack={next?.leadsOn === 'rollback'} code={step.error.code}>
        {children}
      </First>
    </div>
  );
}

function Where({ step, choose }: Pick<FailureProps, 'choose'> & { step: Step }): JSX.Element {
  const on = step.action === 'ask-driver' ? undefined : failedOnText(failedAtOf(step));
  return (
    <p class="where">
      <span aria-hidden="true">✘ </span>
      <button type="button" class="as-link" onClick={() => choose(step.id)}>
        <Name text={nameOf(step)} />
      </button>{' '}
      failed
      {on !== undefined && (
        <>
          {' '}
          on{' '}
          <strong>
            <Name text={on} />
          </strong>
        </>
      )}
      {step.attempt > 1 && ` at attempt ${step.attempt}`}
    </p>
  );
}

const Why = ({ cause: { says, differs, more }, children }: { cause: Cause; children: ComponentChildren }): JSX.Element => (
  <>
    <h2>Cause</h2>
    <p class="line">
      <bdi class="name">{says}</bdi>
    </p>
    {differs !== undefined && (
      <dl class="differs">
        <dt>expected</dt>
        <dd>
          <Name text={differs.expected} />
        </dd>
        <dt>got</dt>
        <dd>
          <Name text={differs.got} />
        </dd>
      </dl>
    )}
    <p class="means">
      {more !== undefined && (
        <>
          <Name text={more} />{' '}
        </>
      )}
      {children}
    </p>
  </>
);

/** A machine shows another key than the one that is pinned, or than one that was given. */
const HOST_KEY = 'remote.host-key-changed';

interface FirstProps {
  operation: Operation;
  says: string | undefined;
  /** The way on is back: what is asked anew is asked on the instance's page. */
  isRolledBack: boolean;
  code: string | undefined;
  children: ComponentChildren;
}

/** What to do first, while somebody can. */
function First({ operation, says, isRolledBack, code, children }: FirstProps): JSX.Element | null {
  const { operationState, operation: kind, vnfInstanceId } = operation;
  if (operationState !== 'FAILED_TEMP') return null;
  const numbered = says === undefined ? undefined : numberedOf(says);
  const sentences = says === undefined ? [] : sentencesOf(says);
  return (
    <>
      <h2>What to do first</h2>
      {numbered === undefined ? (
        sentences.length > 0 && (
          <ul class="first">
            <Lines lines={sentences} />
          </ul>
        )
      ) : (
        <ol class="first">
          <Lines lines={numbered} />
        </ol>
      )}
      {says !== undefined && isRolledBack && (
        <p class="then">
          Once it is rolled back, {kind} is asked for on <a href={hrefOf('instances', vnfInstanceId)}>the page of the instance</a>
          .
        </p>
      )}
      {says !== undefined && code === HOST_KEY && !isRolledBack && (
        <p class="then">
          An admin removes a pinned key on the page of the <a href={hrefOf('vims')}>VIMs</a>.
        </p>
      )}
      {children}
    </>
  );
}

const Lines = ({ lines }: { lines: readonly string[] }): JSX.Element => (
  <>
    {lines.map((line) => (
      <li key={line}>
        <bdi>{line}</bdi>
      </li>
    ))}
  </>
);
