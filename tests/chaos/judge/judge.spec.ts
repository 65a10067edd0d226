import { describe, expect, it } from 'vitest';
import { CHAOS_SERVICE } from '../driver/chaos.driver.js';
import type { ClaimSeen, Evidence, InstanceRecord, LedgerLine, VimContents } from './evidence.js';
import { judge, judgeAftermath, type Finding } from './judge.js';
import { readLedger } from './ledger.js';

const VNF = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const STEP = 'instantiate_end/keep-ledger:vnfc-1';
const nothing: VimContents = { stacks: [], servers: [], stopped: [], ports: [], volumes: [], images: [], insteadOf: {} };

const line = (event: LedgerLine['event'], more: Partial<LedgerLine> = {}): LedgerLine => ({
  event,
  operationId: 'op-1',
  stepId: STEP,
  phase: 'do',
  attemptEpoch: 1,
  ...more,
});

const claim = (epoch: number, attemptEpoch: number, phase: 'do' | 'undo' = 'do'): ClaimSeen => ({
  operationId: 'op-1',
  stepId: STEP,
  phase,
  epoch,
  attemptEpoch,
  owner: `replica ${epoch}`,
});

const instance = (more: Partial<InstanceRecord> = {}): InstanceRecord => ({
  id: VNF,
  instantiated: true,
  stack: `vnf-${VNF}`,
  servers: ['server-1'],
  stopped: [],
  ports: ['port-1'],
  volumes: ['volume-1'],
  images: ['image-1'],
  leftovers: null,
  scaleLevel: 0,
  members: 1,
  ...more,
});

/** The evidence of a flawless run of one instantiation, whose worker was lost in the middle of the job. */
const fine = (more: Partial<Evidence> = {}): Evidence => ({
  seed: 1,
  accepted: [{ id: 'op-1', vnfInstanceId: VNF, operation: 'INSTANTIATE' }],
  unfinished: [],
  pending: [],
  operations: [{ id: 'op-1', vnfInstanceId: VNF, operation: 'INSTANTIATE', state: 'COMPLETED' }],
  history: (['STARTING', 'PROCESSING', 'COMPLETED'] as const).map((state) => ({ operationId: 'op-1', state })),
  claims: [claim(1, 1), claim(2, 1)],
  steps: [{ operationId: 'op-1', stepId: STEP, service: CHAOS_SERVICE, phase: 'do', state: 'done' }],
  ledger: [line('begin'), line('end')],
  instances: [instance()],
  vim: {
    stacks: [
      { name: `vnf-${VNF}`, status: 'CREATE_COMPLETE' },
      { name: `vnf-${VNF}-members-abc`, status: 'CREATE_COMPLETE' },
    ],
    servers: ['server-1'],
    stopped: [],
    ports: ['port-1'],
    volumes: ['volume-1'],
    images: ['image-1', 'public'],
    insteadOf: {},
  },
  vimBefore: { ...nothing, images: ['public'] },
  secretsSeen: [],
  ...more,
});

/** A matcher for text, typed: vitest's has the type `any`. */
const saying = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const kinds = (findings: readonly Finding[]): string[] => findings.map(({ kind }) => kind);

describe('the judge', () => {
  it('has nothing to say of a run in which a worker was lost and all went well', () => {
    expect(judge(fine())).toEqual([]);
  });

  it('finds an accepted operation that the database forgot', () => {
    const findings = judge(fine({ operations: [], history: [] }));
    expect(findings).toMatchObject([{ kind: 'lost', operationId: 'op-1', vnfInstanceId: VNF }]);
  });

  it('finds a journaled step whose job never ended on the host', () => {
    expect(kinds(judge(fine({ ledger: [line('begin')] })))).toEqual(['lost']);
    expect(kinds(judge(fine({ ledger: [] })))).toEqual(['lost']);
  });

  it('finds an operation that stands still, and one that came to rest too late', () => {
    const history = [{ operationId: 'op-1', state: 'STARTING' }] as const;
    const [operation] = fine().operations;
    const stuck = fine({ operations: [{ ...operation!, state: 'STARTING' }], history: [...history] });
    expect(kinds(judge(stuck))).toEqual(['stuck']);
    expect(kinds(judge(fine({ unfinished: ['op-1'] })))).toEqual(['stuck']);
  });

  it('finds a clean-up or a refresh that did not end', () => {
    const pending = [{ id: 'op-2', kind: 'REFRESH', vnfInstanceId: VNF, reason: 'The VIM does not answer.' }];
    expect(judge(fine({ pending }))).toEqual([
      {
        kind: 'stuck',
        says: 'REFRESH did not come to an end in time: The VIM does not answer.',
        operationId: 'op-2',
        vnfInstanceId: VNF,
      },
    ]);
  });

  it('finds an operation that nobody asked for', () => {
    expect(kinds(judge(fine({ accepted: [] })))).toEqual(['doubled']);
  });

  it('finds a state that does not follow, a first one that is none, and a last one that was never told', () => {
    const told = (...states: Evidence['history'][number]['state'][]) =>
      fine({ history: states.map((state) => ({ operationId: 'op-1', state })) });
    expect(judge(told('STARTING', 'COMPLETED'))).toMatchObject([{ kind: 'illegal', says: saying(/COMPLETED after STARTING/) }]);
    expect(judge(told('PROCESSING', 'COMPLETED'))).toMatchObject([{ kind: 'illegal', says: saying(/PROCESSING first/) }]);
    expect(judge(told('STARTING', 'PROCESSING'))).toMatchObject([
      { kind: 'illegal', says: saying(/last told to be PROCESSING/) },
    ]);
    expect(kinds(judge(told('STARTING', 'PROCESSING', 'FAILED_TEMP', 'PROCESSING', 'COMPLETED')))).toEqual([]);
  });

  describe('by the ledger', () => {
    it('finds a job that began twice in one attempt', () => {
      expect(kinds(judge(fine({ ledger: [line('begin'), line('begin'), line('end'), line('end')] })))).toEqual(['doubled']);
    });

    it('finds two jobs of one step at the same time', () => {
      const claims = [claim(1, 1), claim(2, 2)];
      const second = { attemptEpoch: 2 };
      const ledger = [line('begin'), line('overlap', second), line('begin', second), line('end'), line('end', second)];
      expect(kinds(judge(fine({ claims, ledger })))).toEqual(['doubled']);
    });

    it('finds a job of an attempt that the journal never granted, and one that comes after its successor', () => {
      const ghost = fine({ ledger: [line('begin'), line('end'), line('begin', { attemptEpoch: 7 })] });
      expect(judge(ghost)).toMatchObject([{ kind: 'doubled', says: saying(/never granted/) }]);
      const late = fine({
        claims: [claim(1, 1), claim(2, 2)],
        ledger: [line('begin', { attemptEpoch: 2 }), line('end', { attemptEpoch: 2 }), line('begin')],
      });
      expect(judge(late)).toMatchObject([{ kind: 'doubled', says: saying(/attempt 1 when attempt 2 had begun/) }]);
    });

    it('lets an attempt of its own run again: a retry, and an undo', () => {
      const claims = [claim(1, 1), claim(2, 2), claim(3, 3, 'undo')];
      const undone = { phase: 'undo', attemptEpoch: 3 } as const;
      const again = { attemptEpoch: 2 };
      const ledger = [
        line('begin'),
        line('failed'),
        line('begin', again),
        line('end', again),
        line('begin', undone),
        line('end', undone),
      ];
      expect(judge(fine({ claims, ledger }))).toEqual([]);
    });

    it('refuses a line that no job writes', () => {
      expect(() => readLedger('1\tbegin\top\tstep\tdo\t1\t99\nrubbish')).toThrow('rubbish');
    });
  });

  describe('by what the VIM has', () => {
    it('finds what no instance has, of every kind', () => {
      for (const kind of ['servers', 'ports', 'volumes', 'images'] as const) {
        const { vim } = fine();
        const leaking = fine({ vim: { ...vim, [kind]: [...vim[kind], 'orphan'] } });
        expect(judge(leaking)).toMatchObject([{ kind: 'leaked', says: saying(new RegExp(`${kind} orphan`)) }]);
      }
      const stacks = [...fine().vim.stacks, { name: `vnf-${OTHER}`, status: 'CREATE_FAILED' }];
      expect(judge(fine({ vim: { ...fine().vim, stacks } }))).toMatchObject([{ kind: 'leaked', vnfInstanceId: OTHER }]);
    });

    it('finds what an instance says it has and the VIM has not, and what is there twice', () => {
      const { vim } = fine();
      expect(kinds(judge(fine({ vim: { ...vim, servers: [] } })))).toEqual(['lost']);
      expect(kinds(judge(fine({ vim: { ...vim, stacks: [...vim.stacks, ...vim.stacks.slice(0, 1)] } })))).toEqual(['doubled']);
    });

    it('takes a VNFC without a server for what an operation leaves that was marked as failed, and for lost after any other', () => {
      const { vim } = fine();
      const after = (state: 'FAILED' | 'COMPLETED') => {
        const heal = { id: 'op-2', vnfInstanceId: VNF, operation: 'HEAL', state } as const;
        const instances = [instance({ servers: [''], volumes: ['', 'volume-1'] })];
        return judge(fine({ operations: [...fine().operations, heal], instances, vim: { ...vim, servers: [] } }));
      };
      const ofContents = (found: ReturnType<typeof judge>) =>
        found.filter(({ says }) => says.includes('VNFC')).map(({ kind }) => kind);
      expect(ofContents(after('FAILED'))).toEqual([]);
      expect(ofContents(after('COMPLETED'))).toEqual(['lost']);
    });

    it('takes what a failed operation left as recorded for no leak', () => {
      const left = instance({
        instantiated: false,
        stack: null,
        servers: [],
        ports: [],
        volumes: [],
        images: [],
        scaleLevel: null,
        members: 0,
      });
      const leftovers = { stack: `vnf-${VNF}`, images: ['image-1'] };
      expect(judge(fine({ instances: [{ ...left, leftovers }] }))).toEqual([]);
      const again: VimContents = { ...fine().vim, images: ['image-2', 'public'], insteadOf: { 'image-2': 'image-1' } };
      expect(judge(fine({ instances: [{ ...left, leftovers }], vim: again }))).toEqual([]);
      expect(kinds(judge(fine({ instances: [left], vim: again })))).toContain('leaked');
      expect(new Set(kinds(judge(fine({ instances: [left] }))))).toEqual(new Set(['leaked']));
    });

    it('finds a shared image that is missing, there twice, or nobody’s any more; and takes one in its place for it', () => {
      const { vim } = fine();
      const shared = (images: string[], referring = [VNF], insteadOf: Record<string, string> = {}) =>
        kinds(
          judge(
            fine({
              instances: [instance({ images: [] })],
              sharedImages: referring.length === 0 ? [] : [{ id: 'image-1', instances: referring }],
              vim: { ...vim, images: ['public', ...images], insteadOf },
            }),
          ),
        );
      expect(shared(['image-1'])).toEqual([]);
      expect(shared(['image-2'], [VNF], { 'image-2': 'image-1' })).toEqual([]);
      expect(shared(['image-1', 'image-2'], [VNF], { 'image-2': 'image-1' })).toEqual(['doubled']);
      expect(shared([])).toEqual(['lost']);
      expect(shared([], [OTHER])).toEqual([]);
      expect(shared(['image-1'], [])).toEqual(['leaked']);
    });

    it('finds a group that is not of the size that scaleStatus says', () => {
      expect(judge(fine({ instances: [instance({ scaleLevel: 1 })] }))).toMatchObject([
        { kind: 'illegal', says: saying(/level 1, which is 2/) },
      ]);
    });
  });

  it('finds a server that runs although its instance says STOPPED, and the other way round', () => {
    const { vim } = fine();
    const stopped = ['server-1'];
    expect(judge(fine({ instances: [instance({ stopped })], vim: { ...vim, stopped } }))).toEqual([]);
    expect(judge(fine({ instances: [instance({ stopped })] }))).toMatchObject([
      { kind: 'illegal', says: saying(/stopped, and it runs/) },
    ]);
    expect(judge(fine({ vim: { ...vim, stopped } }))).toMatchObject([
      { kind: 'illegal', says: saying(/running, and it does not run/) },
    ]);
  });

  it('finds a secret in the clear', () => {
    expect(kinds(judge(fine({ secretsSeen: [{ what: 'the API token', where: 'the log x' }] })))).toEqual(['shown']);
  });

  it('finds what is left when everything was taken away: in the VIM, instances, processes', () => {
    const vimBefore = fine().vimBefore;
    const after = { vim: vimBefore, vimBefore, notGone: [], processes: [] };
    expect(judgeAftermath(after)).toEqual([]);
    expect(kinds(judgeAftermath({ ...after, vim: { ...vimBefore, ports: ['port-9'] } }))).toEqual(['leaked']);
    expect(kinds(judgeAftermath({ ...after, notGone: [VNF], processes: ['99 node main.js'] }))).toEqual(['stuck', 'left-over']);
  });
});
