import { RequestError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../schemas/schema-errors.js';
import { sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { parseListQuery, refuseQuery, type QueryParameters } from './list-query.js';
import { RESOURCES, type ResourceTable } from './resources.js';
import { select } from './selector.js';

const links = { self: { href: 'http://h/vnflcm/v1/vnf_instances/1' } };
const view = (
  query: QueryParameters,
  object: object = sampleInstance({ _links: links }),
  table: ResourceTable = RESOURCES.vnfInstances,
) => select(object, parseListQuery(query, table).selector, table) as Record<string, unknown>;
const opOcc = () =>
  sampleOpOcc({
    error: { status: 500, detail: 'x' },
    _links: { ...links, vnfInstance: { href: 'http://h/vnflcm/v1/vnf_instances/1' } },
  });

function refusal(query: QueryParameters, table: ResourceTable = RESOURCES.vnfInstances): RequestError {
  try {
    parseListQuery(query, table);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(query)} was taken`);
}

describe('selectors', () => {
  it('leave out the complex attributes of a list by default', () => {
    for (const query of [{}, { exclude_default: '' }]) {
      expect(Object.keys(view(query)).sort()).toEqual(
        [
          '_links',
          'id',
          'instantiationState',
          'vnfPkgId',
          'vnfProductName',
          'vnfProvider',
          'vnfSoftwareVersion',
          'vnfdId',
          'vnfdVersion',
        ].sort(),
      );
    }
    const shown = view({}, opOcc(), RESOURCES.vnfLcmOpOccs);
    expect(Object.keys(shown)).not.toContain('operationParams');
    expect(Object.keys(shown)).not.toContain('error');
    expect(schemaErrors('VnfLcmOpOccs', [shown])).toEqual([]);
    expect(schemaErrors('VnfInstances', [view({})])).toEqual([]);
  });

  it('show everything with all_fields', () => {
    expect(view({ all_fields: '' })).toEqual(sampleInstance({ _links: links }));
  });

  it('show what is mandatory and what fields names', () => {
    const shown = view({ fields: 'error' }, opOcc(), RESOURCES.vnfLcmOpOccs);
    expect(shown.error).toEqual({ status: 500, detail: 'x' });
    expect(shown).not.toHaveProperty('operationParams');
    expect(schemaErrors('VnfLcmOpOccs', [shown])).toEqual([]);
  });

  it('show a part of a structure, with what its readers may count on', () => {
    const info = view({ fields: 'instantiatedVnfInfo/vnfcResourceInfo/vduId,metadata' }).instantiatedVnfInfo;
    expect(info).toEqual({
      flavourId: 'simple',
      vnfState: 'STARTED',
      vnfcResourceInfo: ['a', 'b'].map((id) => ({
        id,
        vduId: 'workerNode',
        computeResource: sampleInstance().instantiatedVnfInfo?.vnfcResourceInfo?.find((vnfc) => vnfc.id === id)?.computeResource,
      })),
    });
    expect(schemaErrors('VnfInstances', [view({ fields: 'instantiatedVnfInfo/vnfcResourceInfo' })])).toEqual([]);
  });

  it('add fields to the default view with exclude_default', () => {
    const shown = view({ fields: 'metadata', exclude_default: '' });
    expect(shown.metadata).toEqual({ owner: 'lab' });
    expect(shown).not.toHaveProperty('instantiatedVnfInfo');
  });

  it('leave out exactly what exclude_fields names, under both of its spellings', () => {
    for (const name of ['exclude_fields', 'exclude-fields']) {
      const shown = view({ [name]: 'metadata,instantiatedVnfInfo/extCpInfo,instantiatedVnfInfo/flavourId,id' });
      expect(shown).not.toHaveProperty('metadata');
      expect(shown).toHaveProperty('vimConnectionInfo');
      expect(shown.instantiatedVnfInfo).not.toHaveProperty('extCpInfo');
      expect(shown.instantiatedVnfInfo).toHaveProperty('flavourId', 'simple');
      expect(shown).toHaveProperty('id');
    }
  });

  it('leave the object they look at as it was', () => {
    const object = sampleInstance();
    view({ exclude_fields: 'instantiatedVnfInfo/vnfcResourceInfo/vnfcCpInfo' }, object);
    expect(object).toEqual(sampleInstance());
  });

  it('keep the links of a package, which its schema wants', () => {
    const link = { href: 'http://h/p' };
    const pkg = {
      id: 'p',
      onboardingState: 'ONBOARDED',
      operationalState: 'ENABLED',
      usageState: 'IN_USE',
      checksum: {},
      vnfdId: 'd',
    };
    const shown = view(
      { fields: 'userDefinedData' },
      { ...pkg, _links: { self: link, packageContent: link } },
      RESOURCES.vnfPackages,
    );
    expect(schemaErrors('VnfPkgsInfo', [shown])).toEqual([]);
    expect(shown).not.toHaveProperty('checksum');
  });
});

describe('queries of lists', () => {
  it.each([
    [{ all_fields: '', fields: 'id' }, 'all_fields'],
    [{ all_fields: '', exclude_default: '' }, 'all_fields'],
    [{ exclude_fields: 'metadata', fields: 'id' }, 'exclude_fields'],
    [{ 'exclude-fields': 'metadata', exclude_default: '' }, 'exclude_fields'],
    [{ exclude_fields: 'metadata', 'exclude-fields': 'metadata' }, 'exclude-fields'],
    [{ fields: 'nonsense' }, 'fields'],
    [{ fields: '' }, 'fields'],
    [{ exclude_fields: 'metadata,,id' }, 'exclude_fields'],
    [{ all_fields: 'maybe' }, 'all_fields'],
    [{ attribute_not_exist: 'x' }, 'attribute_not_exist'],
    [{ filter: ['(eq,id,x)', '(eq,id,y)'] }, 'filter'],
    [{ filter: '(eq,nonsense,x)' }, 'filter'],
    [{ nextpage_opaque_marker: '' }, 'nextpage_opaque_marker'],
    [{ nextpage_opaque_marker: 'x' }, 'nextpage_opaque_marker'],
    [{ all_records: 'maybe' }, 'all_records'],
    [{ constructor: 'x' }, 'constructor'],
  ] as [QueryParameters, string][])('refuse %j', (query, path) => {
    const error = refusal(query);
    expect(error.status).toBe(400);
    expect(error.invalidParams?.[0]?.path).toBe(path);
  });

  it('read filter, marker and all_records', () => {
    const LAST = '0b6d5d3c-98b6-4a3b-8f2f-0f6f1f6c2b11';
    const query = { filter: '(eq,id,x)', nextpage_opaque_marker: LAST, all_records: 'yes' };
    expect(parseListQuery(query, RESOURCES.vnfInstances)).toEqual({
      filter: [{ op: 'eq', path: ['id'], onKeys: false, values: ['x'] }],
      selector: { show: 'default' },
      marker: LAST,
      allRecords: true,
    });
  });

  it('take selectors of subscriptions too', () => {
    const subscription = { id: 's', callbackUri: 'http://c/', filter: { operationTypes: ['HEAL'] }, _links: links };
    expect(view({ fields: 'filter' }, subscription, RESOURCES.lccnSubscriptions)).toEqual(subscription);
    expect(view({ exclude_fields: 'filter' }, subscription, RESOURCES.lccnSubscriptions)).not.toHaveProperty('filter');
  });

  it('are refused by everything that is no list', () => {
    expect(() => refuseQuery({ fields: 'id' })).toThrow(/known are: none/);
    expect(() => refuseQuery({})).not.toThrow();
  });
});
