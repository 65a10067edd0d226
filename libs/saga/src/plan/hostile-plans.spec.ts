import { TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileBounded, MAX_PLAN_ARROWS, MAX_PLAN_BYTES, type CompiledPlan, type CompiledStep } from './compile.js';
import type { PlanBounds } from './plan-bounds.js';
import { PLAN_LIMITS } from './plan-shape.js';
import { processorTime } from '@windlass/foundation/testing';

const PARENT = 'instantiate_end';
const BOUNDS: PlanBounds = {
  driver: 'the-driver',
  service: 'own-mgmt',
  actions: [
    { name: 'configure', version: 1 },
    { name: 'configure', version: 2 },
  ],
  offers: [
    {
      service: 'storage-mgmt',
      name: 'share',
      version: 1,
      input: { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } },
    },
  ],
  sources: new Set(['instantiate-params', 'request-params', 'vnfc:v1']),
  steps: new Set(['instantiate_start/saved']),
  limits: new Set(['host:s1']),
};

/** Often what is allowed, sometimes what is not, now and then anything at all. */
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 40, arbitrary: good },
    { weight: 2, arbitrary: bad },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'join:w1');
const badSources = fc.constantFrom(
  'vim',
  'request',
  'stack',
  'leftovers-vim',
  'flavour',
  'deployment-tag',
  'vnfc:other',
  'vnfc:',
  'common:',
  'common:other',
  'step:/read-stack',
  'step:/other_hook/secret',
  'step:/instantiate_end/nowhere',
  'step:',
  'step:/',
  'COMMON',
  ' vim',
  '__proto__',
);
const source = mostly(
  fc.oneof(
    fc.constantFrom('common', 'instantiate-params', 'request-params', 'vnfc:v1', 'step:/instantiate_start/saved'),
    ids.map((id) => `step:${id}`),
  ),
  badSources,
);
const pointer = mostly(fc.constantFrom('', '/a', '/a~1b/0'), fc.constantFrom('a', '/~2', '#/a', '/__proto__'));
const reference = fc.record({ $from: source, at: pointer }, { requiredKeys: ['$from'] });
/** Names that mean something to JavaScript, to us or to nobody. */
const memberName = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('x', 'y', 'size', 'at', 'constructor', 'toString') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', '$from') },
);
/** As JSON.parse makes it: a member named __proto__ is one like any other. */
const objectOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(memberName, value), { maxLength: 3 }).map((members) => Object.fromEntries(members));
const input = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'input' },
    fc.constantFrom<unknown>(1, 'text', null, true),
    reference,
    objectOf(tie('value')),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const inputs = mostly(
  objectOf(input).chain((rest) => fc.constant({ size: 3, ...(rest as object) })),
  input,
);

const trait = fc.record(
  {
    undoable: mostly(fc.boolean(), fc.constant('no')),
    contributes: fc.boolean(),
    onFailure: mostly(fc.constantFrom('suspend', 'roll-back'), fc.constant('carry-on')),
  },
  { requiredKeys: [] },
);
const badTrait = fc.constantFrom<unknown>(
  { inline: true },
  { pivot: true },
  { milestone: 'PROCESSING' },
  { undoable: false, inline: false },
  { hidden: 1 },
);
const limits = mostly(
  fc.array(fc.constantFrom('host:s1', 'own-mgmt:one'), { maxLength: 3 }),
  fc.constantFrom<unknown>(
    ['vim:all'],
    ['host:other'],
    ['own-mgmt:'],
    ['own-mgmt'],
    ['suspects:p'],
    [5],
    Array.from({ length: 9 }, () => 'host:s1'),
  ),
);
const after = mostly(
  fc.array(ids, { maxLength: 2 }),
  fc.constantFrom<unknown>(
    ['nowhere'],
    ['/read-stack'],
    ['instantiate_end/a'],
    ['__proto__'],
    [''],
    Array.from({ length: 17 }, () => 'a'),
  ),
);
const work = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(['own-mgmt', 'configure', 1], ['own-mgmt', 'configure', 2], ['storage-mgmt', 'share', 1]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ['own-mgmt', 'hidden', 1],
      ['own-mgmt', 'configure', 3],
      ['own-mgmt', 'share', 1],
      ['storage-mgmt', 'configure', 1],
      ['storage-mgmt', 'share', 2],
      ['infra-driver', 'delete-stack', 1],
      ['saga-coordinator', 'publish-instance', 1],
      ['own-mgmt', 'configure', '1'],
      ['', '', 0],
    ),
  },
);

const step = fc
  .record(
    {
      id: mostly(ids, fc.constantFrom('a/b', '', '../a', 'ä', 'x'.repeat(201))),
      work,
      input: inputs,
      target: mostly(fc.constantFrom('node-1'), fc.constantFrom('a\u0000', '\ud800', 'x'.repeat(256), '')),
      limits,
      after,
      traits: fc.oneof({ weight: 20, arbitrary: trait }, { weight: 1, arbitrary: badTrait }),
      more: fc.oneof(
        { weight: 30, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constantFrom<object>({ deps: [] }, { parentId: null }, { kind: 'inline' }) },
      ),
    },
    { requiredKeys: ['id', 'work', 'input', 'more'] },
  )
  .map(({ work: [service, action, version], more, ...rest }) => ({ kind: 'step', service, action, version, ...rest, ...more }));

const node = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'plan' },
    { weight: 4, arbitrary: step },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('sequence'),
        of: mostly(fc.array(tie('node'), { maxLength: 4 }), fc.constant(null)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          kind: fc.constant('parallel'),
          of: fc.array(tie('node'), { maxLength: 4 }),
          limit: mostly(fc.constantFrom(1, 2), fc.constantFrom(0, -1, 1.5, 1e999)),
        },
        { requiredKeys: ['kind', 'of'] },
      ),
    },
  ),
})).node;

const plans = mostly(
  fc
    .record(
      {
        root: mostly(node, fc.constantFrom<unknown>({ kind: 'inline' }, { kind: 'step' }, [])),
        common: mostly(objectOf(fc.constantFrom<unknown>('c', 5)), objectOf(input)),
        madeBy: mostly(
          fc.constant({ driver: 'the-driver', version: '1' }),
          fc.constantFrom<unknown>({ driver: 'another', version: '1' }, { driver: 'the-driver' }),
        ),
        more: fc.constant(undefined),
      },
      { requiredKeys: ['root'] },
    )
    .map(({ more: _more, ...plan }) => plan),
  fc.jsonValue(),
);

/** What compiles may hold, said once more and in other words than the compiler's. */
function violations({ steps, common }: CompiledPlan): string[] {
  const wrong: string[] = [];
  const known = new Set(['own-mgmt configure@1', 'own-mgmt configure@2', 'storage-mgmt share@1']);
  const byId = new Map(steps.map((each) => [each.id, each]));
  if (byId.size !== steps.length) wrong.push('an id stands twice');
  if (steps.length > PLAN_LIMITS.steps) wrong.push('too many steps');
  if (Buffer.byteLength(JSON.stringify(steps.map(({ input: of }) => of))) > 2 * MAX_PLAN_BYTES) wrong.push('too many bytes');
  if (JSON.stringify(common).includes('$from')) wrong.push('common points somewhere');
  for (const each of steps) {
    const { id, service, action, version, parentId, traits, limitKeys, target } = each;
    if (!/^instantiate_end\/[\w.:@-]{1,200}$/.test(id) || parentId !== PARENT) wrong.push(`id ${id}`);
    if (!known.has(`${service} ${action}@${version}`)) wrong.push(`${id} is ${service} ${action}@${version}`);
    for (const name of Object.keys(traits))
      if (!['undoable', 'contributes', 'onFailure'].includes(name)) wrong.push(`${id} has ${name}`);
    for (const key of limitKeys) if (key !== 'host:s1' && !/^own-mgmt:./.test(key)) wrong.push(`${id} holds ${key}`);
    if (target !== null && (target.length > 255 || /[\u0000-\u001f]|\p{Surrogate}/u.test(target)))
      wrong.push(`${id} has a target`);
    if (service === 'storage-mgmt' && !(isReference(each.input.size) || Number(each.input.size) >= 1))
      wrong.push(`${id} has the wrong size`);
    wrong.push(...pointsWrong(each, byId));
    const place = steps.indexOf(each);
    for (const dep of each.deps) {
      const at = steps.findIndex((other) => other.id === dep);
      if (at < 0 || at >= place) wrong.push(`${id} waits for ${dep}, which does not stand before it`);
    }
  }
  return wrong;
}

const isReference = (value: Json | undefined): boolean => typeof value === 'object' && value !== null && '$from' in value;

function pointsWrong(of: CompiledStep, byId: ReadonlyMap<string, CompiledStep>): string[] {
  const wrong: string[] = [];
  const look = (value: Json, level: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (level > PLAN_LIMITS.inputLevels) wrong.push(`${of.id} is too deep`);
    const names = Object.getOwnPropertyNames(value);
    if (names.includes('__proto__')) wrong.push(`${of.id} has a prototype`);
    const from = names.includes('$from') ? (value as JsonObject).$from : undefined;
    if (names.includes('$from') && !mayPoint(String(from), of, byId)) wrong.push(`${of.id} points at ${String(from)}`);
    if (names.includes('$from') && names.some((name) => name !== '$from' && name !== 'at'))
      wrong.push(`${of.id} hides something`);
    for (const name of names) if (!(Array.isArray(value) && name === 'length')) look((value as JsonObject)[name]!, level + 1);
  };
  look(of.input, 0);
  return wrong;
}

function mayPoint(from: string, of: CompiledStep, byId: ReadonlyMap<string, CompiledStep>): boolean {
  if (['instantiate-params', 'request-params', 'vnfc:v1', `common:${PARENT}`, 'step:instantiate_start/saved'].includes(from))
    return true;
  const before = new Set(of.deps);
  for (const id of before) for (const dep of byId.get(id)?.deps ?? []) before.add(dep);
  return from.startsWith('step:') && before.has(from.slice('step:'.length));
}

describe('a plan of a stranger', () => {
  it('is refused in words that name the driver, or holds nothing beyond its bounds', () => {
    let taken = 0;
    let refused = 0;
    fc.assert(
      fc.property(plans, (plan) => {
        // As it comes from the wire.
        const wire: unknown = JSON.parse(JSON.stringify(plan));
        let compiled: CompiledPlan;
        try {
          compiled = compileBounded(wire, PARENT, BOUNDS);
        } catch (error) {
          refused += 1;
          expect(error).toBeInstanceOf(TerminalError);
          expect(error).toMatchObject({ code: 'plan.refused', message: expect.stringContaining('the-driver') as string });
          expect((error as Error).message.length).toBeLessThan(1_200);
          return;
        }
        taken += 1;
        expect(violations(compiled)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    // Else the generator would prove nothing.
    expect(taken).toBeGreaterThan(300);
    expect(refused).toBeGreaterThan(300);
  });
});

describe('a plan that would exhaust us', () => {
  const own = (id: string, more: object = {}) => ({
    kind: 'step',
    id,
    service: 'own-mgmt',
    action: 'configure',
    version: 1,
    input: {},
    ...more,
  });
  const nested = (levels: number, inner: unknown, around: (value: unknown) => unknown): unknown => {
    let value = inner;
    for (let level = 0; level < levels; level++) value = around(value);
    return value;
  };
  const refusal = (root: unknown): string => {
    try {
      compileBounded({ root }, PARENT, BOUNDS);
    } catch (error) {
      return (error as Error).message;
    }
    return 'taken';
  };
  const all = (count: number, of: (index: number) => unknown): unknown => ({
    kind: 'parallel',
    of: Array.from({ length: count }, (_, index) => of(index)),
  });

  it('by its depth is refused before anything walks to its end', () => {
    expect(refusal(nested(100_000, own('a'), (of) => ({ kind: 'sequence', of: [of] })))).toContain('too deep');
    expect(refusal(own('a', { input: { x: nested(100_000, 1, (of) => [of]) } }))).toContain('too deep');
    expect(refusal(own('a', { input: nested(100_000, 1, (of) => ({ of })) }))).toContain('too deep');
  });

  it('by its count of steps is refused', () => {
    expect(refusal(all(PLAN_LIMITS.steps + 1, (index) => own(`s${index}`)))).toContain(`more than ${PLAN_LIMITS.steps} steps`);
  });

  it('by the ways in which its steps wait for each other is refused, and at once', () => {
    const width = Math.ceil(Math.sqrt(MAX_PLAN_ARROWS)) + 1;
    const wide = { kind: 'sequence', of: [all(width, (index) => own(`a${index}`)), all(width, (index) => own(`b${index}`))] };
    expect(refusal(wide)).toContain(`more than ${MAX_PLAN_ARROWS} ways`);
  });

  it('by parts without steps costs what its bytes cost', () => {
    const nothing = { kind: 'sequence', of: [] };
    const started = processorTime();
    const root = {
      kind: 'sequence',
      of: [all(1_500, (index) => own(`a${index}`)), all(4_000, () => nothing), all(4_000, () => nothing), own('end')],
    };
    expect(refusal(root)).toBe('taken');
    expect(processorTime() - started).toBeLessThan(2_000);
  });

  it('by a long chain of references is compiled quickly', () => {
    const started = processorTime();
    const chain = Array.from({ length: 2_500 }, (_, index) =>
      own(`s${index}`, index === 0 ? {} : { input: { x: { $from: 'step:s0' }, y: { $from: `step:s${index - 1}` } } }),
    );
    expect(refusal({ kind: 'sequence', of: chain })).toBe('taken');
    expect(processorTime() - started).toBeLessThan(2_000);
  });
});
