import { describe, expect, expectTypeOf, it } from 'vitest';
import { bindActions, expandInto, implementAction, present, type StepRun } from '../worker/action.js';
import { defineAction, stepCalled, stepOf, type InputOf, type OutputOf } from './action-contract.js';
import { common, outputOf, source, sourced, type Ref } from './refs.js';

interface Stack {
  name: string;
  id?: string;
}
interface CreateInput {
  vim: { url: string; ca?: string };
  request: { name: string; tags: string[]; parameters: Record<string, string> };
  minutes: number | null;
}
interface CreateOutput {
  stack: Required<Stack>;
  servers: { id: string }[];
  found: { stack: Stack } | null;
}

const createStack = defineAction<CreateInput, CreateOutput>({ service: 'infra', name: 'create-stack', version: 2 });
const deleteStack = defineAction<{ stack: Stack }>({ service: 'infra', name: 'delete-stack', version: 1 });
const VIM = source<CreateInput['vim']>('vim');
const input: CreateInput = { vim: { url: 'http://keystone' }, request: { name: 's', tags: [], parameters: {} }, minutes: null };
const create = stepOf(createStack, { input });

describe('a step of a declared action', () => {
  it('is the node that the declaration and the input say, and nothing more goes into it', () => {
    expect(create).toEqual({ kind: 'step', id: 'create-stack', action: 'create-stack', version: 2, service: 'infra', input });
    const given = { id: 'create:a', target: 'a', limits: ['vim:1'], traits: { undoable: false } };
    expect(stepOf(createStack, { ...given, input })).toEqual({ ...create, ...given });
    expect(JSON.parse(JSON.stringify(create))).toEqual(create);
  });

  it('takes references to values of the types of its input, at any depth', () => {
    const shared = { name: 'of-the-plan', more: { minutes: 3 } };
    const step = stepOf(createStack, {
      input: {
        vim: { url: sourced(VIM, (vim) => vim.url) },
        request: {
          name: common(shared, (of) => of.name),
          tags: ['windlass', outputOf(create, (out) => out.stack.id)],
          parameters: {},
        },
        minutes: common(shared, (of) => of.more.minutes),
      },
    });
    expect(step.input).toEqual({
      vim: { url: { $from: 'vim', at: '/url' } },
      request: {
        name: { $from: 'common', at: '/name' },
        tags: ['windlass', { $from: 'step:create-stack', at: '/stack/id' }],
        parameters: {},
      },
      minutes: { $from: 'common', at: '/more/minutes' },
    });
  });

  it('is refused by the compiler with a member that is not of the input, that lacks, or that has another type', () => {
    // @ts-expect-error -- the input has no `labels`
    stepOf(createStack, { input: { ...input, request: { name: 's', tags: [], parameters: {}, labels: [] } } });
    // @ts-expect-error -- the input has a `vim`
    stepOf(createStack, { input: { request: input.request, minutes: 1 } });
    // @ts-expect-error -- minutes are a number
    stepOf(createStack, { input: { ...input, minutes: '1' } });
    // @ts-expect-error -- an optional member has its name, too
    stepOf(createStack, { input: { ...input, vim: { url: '', cacert: '' } } });
    // @ts-expect-error -- a reference is of the type of what it points at
    stepOf(createStack, { input: { ...input, minutes: outputOf(create, (out) => out.stack.id) } });
    // @ts-expect-error -- what a bare pointer points at is not known
    stepOf(createStack, { input: { ...input, minutes: outputOf('create-stack', '/minutes') } });
    // @ts-expect-error -- a reference is not written by hand
    stepOf(createStack, { input: { ...input, minutes: { $from: 'common' } } });
    expect(createStack.name).toBe('create-stack');
  });
});

describe('a reference to a part of what is not there yet', () => {
  it('points at what was chosen, by its members and places, with the type of it', () => {
    const id = outputOf(create, (out) => out.servers[0]!.id);
    expectTypeOf(id).toEqualTypeOf<Ref<string>>();
    expect(id).toEqual({ $from: 'step:create-stack', at: '/servers/0/id' });
    expectTypeOf(outputOf(create)).toEqualTypeOf<Ref<CreateOutput>>();
    expect(outputOf(create)).toEqual({ $from: 'step:create-stack' });
    expectTypeOf(sourced(VIM)).toEqualTypeOf<Ref<CreateInput['vim']>>();
    const escaped = common({ 'a/b~c': 1 }, (of) => of['a/b~c']);
    expect(escaped).toEqual({ $from: 'common', at: '/a~1b~0c' });
  });

  it('takes what may be null on the way to be there', () => {
    const stack = outputOf(stepCalled(createStack, 'earlier'), (out) => out.found.stack);
    expectTypeOf(stack).toEqualTypeOf<Ref<Stack>>();
    expect(stepOf(deleteStack, { input: { stack } }).input).toEqual({ stack: { $from: 'step:earlier', at: '/found/stack' } });
  });

  it('is refused by the compiler where the output, the source or the common input has no such member', () => {
    /* eslint-disable @typescript-eslint/no-unsafe-return -- what the compiler refuses has no type */
    const broken = [
      // @ts-expect-error -- the output has no `stck`
      () => outputOf(create, (out) => out.stck),
      // @ts-expect-error -- the source has no `uri`
      () => sourced(VIM, (vim) => vim.uri),
      // @ts-expect-error -- the common input has no `b`
      () => common({ a: 1 }, (of) => of.b),
    ];
    /* eslint-enable @typescript-eslint/no-unsafe-return */
    expect(broken).toHaveLength(3);
  });

  it('is nothing but a member of what was given', () => {
    expect(() => outputOf(create, () => outputOf(create))).toThrow('a selection must return a member');
    expect(() => outputOf(create, (out) => String(out.stack) as never)).toThrow('takes members by name');
  });
});

describe('the work that is bound to a declared action', () => {
  type Context = StepRun<InputOf<typeof createStack>>;
  const output: OutputOf<typeof createStack> = { stack: { name: 's', id: '1' }, servers: [], found: null };

  it('sees the input in its type, and gives the output or a plan', () => {
    const bound = bindActions(
      [
        implementAction(createStack, {
          check: ({ input: { request } }: Context) => Promise.resolve(request.name === 's' ? present(output) : false),
          apply: (run: Context) => Promise.resolve(run.attempt > 1 ? expandInto({ root: create }) : output),
        }),
      ],
      (run, work) => work(run),
    );
    expect(bound.map(({ key }) => key)).toEqual(['create-stack@2']);
  });

  it('is refused by the compiler where it gives another output, or reads another input', () => {
    const wrong = { stack: { name: 's' }, servers: [], found: null };
    // @ts-expect-error -- the stack's id lacks
    implementAction(createStack, { apply: (_: Context) => Promise.resolve(wrong) });
    implementAction(createStack, {
      // @ts-expect-error -- so it does in what a check finds
      check: (_: Context) => Promise.resolve(present(wrong)),
      apply: () => Promise.resolve(output),
    });
    const other = implementAction(createStack, { apply: (_: StepRun<{ name: string }>) => Promise.resolve(output) });
    // @ts-expect-error -- the context is made of a run with the contract's input
    bindActions([other], (run, work) => work(run));
    expect(other.name).toBe('create-stack');
  });

  it('is declared over JSON only', () => {
    // @ts-expect-error -- a Date is no JSON
    defineAction<{ at: Date }>({ service: 'infra', name: 'a', version: 1 });
    // @ts-expect-error -- nor is a function in what it gives
    defineAction<{ at: string }, { list: { of: () => void }[] }>({ service: 'infra', name: 'a', version: 1 });
    expect(defineAction<{ at: string }>({ service: 'infra', name: 'a', version: 1 }).version).toBe(1);
  });
});
