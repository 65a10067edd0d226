import { RequestError } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { parseFilter, parseFilterSyntax, renderFilter, type Filter, type FilterOperator } from './filter.js';
import { matches } from './matches.js';
import { RESOURCES } from './resources.js';

const refusal = (run: () => unknown): RequestError => {
  try {
    run();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('was taken');
};

const text = fc.string({ unit: fc.constantFrom(...'aZ09 \',()~/@;:-"=é%'.split('')), maxLength: 12 });
const name = text.filter((one) => one !== '');
const one = fc.record({
  op: fc.constantFrom<FilterOperator>('eq', 'neq', 'gt', 'gte', 'lt', 'lte'),
  path: fc.array(name, { minLength: 1, maxLength: 4 }),
  onKeys: fc.boolean(),
  values: fc.array(text, { minLength: 1, maxLength: 1 }),
});
const many = fc.record({
  op: fc.constantFrom<FilterOperator>('in', 'nin', 'cont', 'ncont'),
  path: fc.array(name, { minLength: 1, maxLength: 4 }),
  onKeys: fc.boolean(),
  values: fc.array(text, { minLength: 1, maxLength: 4 }),
});
const filters: fc.Arbitrary<Filter> = fc.array(fc.oneof(one, many), { minLength: 1, maxLength: 5 });

describe('the syntax of filters', () => {
  it('reads back every filter it can write', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(parseFilterSyntax(renderFilter(filter))).toEqual(filter);
      }),
    );
  });

  it('never fails otherwise than with 400, whatever the text', () => {
    const noise = fc.oneof(
      fc.string(),
      filters.map(renderFilter).chain((good) => fc.nat(good.length).map((cut) => good.slice(0, cut))),
    );
    fc.assert(
      fc.property(noise, (anything) => {
        try {
          parseFilterSyntax(anything);
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
          expect((error as RequestError).status).toBe(400);
        }
      }),
    );
  });

  it("takes v1's bare values and v2's quoted ones", () => {
    expect(parseFilterSyntax("(eq,vnfInstanceName,it's);(in,vnfdId,'a,b',c,'it''s (ok)')")).toEqual([
      { op: 'eq', path: ['vnfInstanceName'], onKeys: false, values: ["it's"] },
      { op: 'in', path: ['vnfdId'], onKeys: false, values: ['a,b', 'c', "it's (ok)"] },
    ]);
  });

  it('takes escaped names and the keys of maps', () => {
    expect(parseFilterSyntax('(eq,metadata/a~1b~ac~bd~0e/@key,x)')).toEqual([
      { op: 'eq', path: ['metadata', 'a/b,c@d~e'], onKeys: true, values: ['x'] },
    ]);
  });

  it.each([
    ['', 'expected "(" at character 1'],
    ['(eq,id)', 'expected an attribute name and a value at character 5'],
    ['(like,id,x)', 'expected one of the operators'],
    ['(eq,id,x', 'expected ")" at character 9'],
    ['(eq,id,x);', 'expected "(" at character 11'],
    ['(eq,id,x)(eq,id,y)', 'expected ";" or the end at character 10'],
    ["(eq,id,'x)", 'expected a closing quote for the one at character 8'],
    ['(eq,id,x,y)', 'expected exactly one value after eq'],
    ['(eq,a//b,y)', 'expected an attribute name'],
    ['(eq,a~9,y)', 'expected an attribute name'],
    ['(eq,@key,y)', 'expected an attribute name'],
  ])('refuses %s', (filter, reason) => {
    expect(refusal(() => parseFilterSyntax(filter)).message).toContain(reason);
  });

  it('refuses more expressions than anyone needs', () => {
    expect(refusal(() => parseFilterSyntax('(eq,id,x);'.repeat(51))).message).toContain('expected at most 50 expressions');
  });
});

describe('filters of a resource', () => {
  const instances = RESOURCES.vnfInstances;

  it('know all attributes of the schema, and what guides and reference system add', () => {
    for (const path of [
      'id',
      'vnfPkgId',
      'instantiatedVnfInfo/vnfcResourceInfo/computeResource/resourceId',
      'instantiatedVnfInfo/vnfVirtualLinkResourceInfo/vnfLinkPorts/id',
      'instantiatedVnfInfo/vnfcInfo/vnfcState',
      'vimConnectionInfo/vimId',
      'metadata/anything/below',
    ]) {
      expect(parseFilter(`(eq,${path},x)`, instances)[0]?.path.join('/')).toBe(path);
    }
  });

  it.each([
    ['vnfInstances', '(eq,nonsense,x)', 'VnfInstance has no attribute nonsense'],
    ['vnfInstances', '(eq,instantiatedVnfInfo/nonsense,x)', 'no attribute instantiatedVnfInfo/nonsense'],
    ['vnfInstances', '(eq,id/deeper,x)', 'no attribute id/deeper'],
    ['vnfInstances', '(eq,instantiatedVnfInfo,x)', 'is a structure'],
    ['vnfInstances', '(gt,instantiatedVnfInfo/scaleStatus/scaleLevel,many)', 'expected a number'],
    ['vnfInstances', '(eq,vimConnectionInfo/accessInfo/password,x)', "is a secret and can't be filtered by"],
    ['vnfInstances', '(eq,id/@key,x)', 'is no map'],
    ['vnfLcmOpOccs', '(eq,isCancelPending,yes)', 'expected true or false'],
    ['vnfLcmOpOccs', '(gt,isCancelPending,true)', "can't be compared by gt"],
    ['vnfPackages', '(eq,vnfInstanceName,x)', 'VnfPkgInfo has no attribute vnfInstanceName'],
  ] as const)('of %s refuses %s', (resource, filter, reason) => {
    const error = refusal(() => parseFilter(filter, RESOURCES[resource]));
    expect(error.status).toBe(400);
    expect(error.message).toContain(reason);
    expect(error.invalidParams?.[0]?.path).toBe('filter');
  });

  it('find an attribute by its second name', () => {
    const filter = parseFilter('(eq,instantiatedVnfInfo/virtualLinkResourceInfo/vnfVirtualLinkDescId,internalVL)', instances);
    expect(matches(filter, sampleInstance())).toBe(true);
  });

  it('address the entries of v2’s connections by key', () => {
    const object = { vimConnectionInfo: { main: { vimType: 'openstack' }, spare: { vimType: 'kubernetes' } } };
    const holds = (filter: string): boolean => matches(parseFilter(filter, RESOURCES.vnfInstancesV2), object);
    expect(holds('(eq,vimConnectionInfo/main/vimType,openstack)')).toBe(true);
    expect(holds('(eq,vimConnectionInfo/main/vimType,kubernetes)')).toBe(false);
    expect(holds('(eq,vimConnectionInfo/@key,spare)')).toBe(true);
    expect(holds('(eq,vimConnectionInfo/@key,other)')).toBe(false);
  });
});

describe('matches', () => {
  const holds = (filter: string, object: unknown = sampleInstance()): boolean => matches(parseFilterSyntax(filter), object);

  it.each([
    ['(eq,vnfProvider,Company)', true],
    ['(eq,vnfProvider,company)', false],
    ['(neq,vnfProvider,Other)', true],
    ['(neq,vnfProvider,Company)', false],
    ['(in,vnfProvider,Other,Company)', true],
    ['(nin,vnfProvider,Other,Company)', false],
    ['(cont,vnfProductName,xyz,VNF)', true],
    ['(ncont,vnfProductName,xyz,VNF)', false],
    ['(eq,instantiatedVnfInfo/scaleStatus/scaleLevel,2)', true],
    ['(eq,instantiatedVnfInfo/scaleStatus/scaleLevel,2.0)', true],
    ['(gt,instantiatedVnfInfo/scaleStatus/scaleLevel,2)', false],
    ['(gte,instantiatedVnfInfo/scaleStatus/scaleLevel,2)', true],
    ['(lt,instantiatedVnfInfo/scaleStatus/scaleLevel,10)', true],
    ['(lte,instantiatedVnfInfo/scaleStatus/scaleLevel,1)', false],
    ['(eq,vnfProvider,Company);(eq,vnfdVersion,2.0)', false],
    ['(eq,metadata/@key,owner)', true],
    ['(eq,vnfInstanceDescription,)', false],
    ['(neq,vnfInstanceDescription,x)', false],
    ['(eq,constructor,x)', false],
  ])('%s: %s', (filter, expected) => {
    expect(holds(filter)).toBe(expected);
  });

  it('takes a list attribute for met when any element meets it', () => {
    expect(holds('(eq,instantiatedVnfInfo/vnfcResourceInfo/id,b)')).toBe(true);
    expect(holds('(neq,instantiatedVnfInfo/vnfcResourceInfo/id,b)')).toBe(true);
    expect(holds('(eq,instantiatedVnfInfo/vnfcResourceInfo/id,c)')).toBe(false);
    expect(holds('(eq,instantiatedVnfInfo/vnfcResourceInfo/storageResourceIds,volume-b)')).toBe(true);
  });

  it('compares times by their instant', () => {
    expect(holds('(gt,startTime,2025-01-02T04:04:04+01:00)', sampleOpOcc())).toBe(true);
    expect(holds('(eq,startTime,2025-01-02T04:04:05+01:00)', sampleOpOcc())).toBe(true);
    expect(holds('(eq,isAutomaticInvocation,false)', sampleOpOcc())).toBe(true);
  });
});
