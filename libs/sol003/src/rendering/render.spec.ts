import { describe, expect, it } from 'vitest';
import { advance, firstStanding } from '../operation-state/state-machine.js';
import { schemaErrors } from '../schemas/schema-errors.js';
import { guideInstantiate, INSTANCE_ID, OP_OCC_ID, sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { LCM_OPERATION_STATES } from '../types/enumerations.js';
import { opOccLinks, vnfInstanceLinks, vnfPackageLinks } from './links.js';
import {
  renderLccnSubscription,
  renderOpOcc,
  renderPkgmSubscription,
  renderVnfInstance,
  renderVnfInstanceV2,
  renderVnfPkgInfo,
  toConnectionMap,
} from './render.js';

const ROOT = 'http://host:9890/vnflcm/v1';

describe('an instance in v1', () => {
  it("obeys ETSI's schema in both instantiation states", () => {
    expect(schemaErrors('VnfInstance', renderVnfInstance(sampleInstance(), ROOT))).toEqual([]);
    expect(
      schemaErrors('VnfInstance', renderVnfInstance(sampleInstance({ instantiationState: 'NOT_INSTANTIATED' }), ROOT)),
    ).toEqual([]);
  });

  it('is named after its id where nobody named it, and leaves out what is empty or null', () => {
    const record = sampleInstance({ metadata: {}, extensions: {} });
    const shown = renderVnfInstance({ ...record, vnfInstanceDescription: null } as never, ROOT);
    expect(shown.vnfInstanceName).toBe(`vnf-${INSTANCE_ID}`);
    for (const name of ['metadata', 'extensions', 'vnfInstanceDescription']) expect(shown).not.toHaveProperty(name);
  });

  it('shows connections and resources while INSTANTIATED only', () => {
    const shown = renderVnfInstance(sampleInstance({ instantiationState: 'NOT_INSTANTIATED' }), ROOT);
    expect(shown).not.toHaveProperty('vimConnectionInfo');
    expect(shown).not.toHaveProperty('instantiatedVnfInfo');
    expect(Object.keys(shown._links ?? {})).toEqual(['self']);
  });

  it('leaves out lists without elements', () => {
    const info = { ...sampleInstance().instantiatedVnfInfo!, extCpInfo: [] };
    const shown = renderVnfInstance(sampleInstance({ instantiatedVnfInfo: info }), ROOT);
    expect(shown.instantiatedVnfInfo).not.toHaveProperty('extCpInfo');
    expect(schemaErrors('VnfInstance', shown)).toEqual([]);
  });

  it('masks its credentials', () => {
    expect(renderVnfInstance(sampleInstance(), ROOT).vimConnectionInfo?.[0]?.accessInfo).toEqual({
      username: 'nfv',
      password: '***',
      region: 'RegionOne',
    });
  });

  it('has absolute links to itself and to the tasks that it is offered for', () => {
    const offered = [
      { link: 'scale', task: 'scale' },
      { link: 'changeExtConn', task: 'change_ext_conn' },
    ] as const;
    const links = {
      self: { href: `${ROOT}/vnf_instances/${INSTANCE_ID}` },
      scale: { href: `${ROOT}/vnf_instances/${INSTANCE_ID}/scale` },
      changeExtConn: { href: `${ROOT}/vnf_instances/${INSTANCE_ID}/change_ext_conn` },
    };
    expect(vnfInstanceLinks(ROOT, INSTANCE_ID, offered)).toEqual(links);
    const shown = renderVnfInstance(sampleInstance(), ROOT, undefined, offered);
    expect(shown._links).toEqual(links);
    expect(schemaErrors('VnfInstance', shown)).toEqual([]);
    expect(renderVnfInstanceV2(sampleInstance(), ROOT, undefined, offered)._links).toEqual(links);
  });
});

describe('an instance in v2', () => {
  it('has a map of connections without credentials, no package and no name nobody gave', () => {
    const shown = renderVnfInstanceV2(sampleInstance(), ROOT);
    expect(shown.vimConnectionInfo).toEqual({
      vim: {
        vimId: '05ef7ca5-7e32-4a6b-a03d-52f811f04496',
        vimType: 'openstack',
        accessInfo: { username: 'nfv', region: 'RegionOne' },
      },
    });
    expect(shown).not.toHaveProperty('vnfPkgId');
    expect(shown).not.toHaveProperty('vnfInstanceName');
    expect(renderVnfInstanceV2(sampleInstance({ vnfInstanceName: 'mine' }), ROOT).vnfInstanceName).toBe('mine');
  });

  it('turns connections into a map by their ids', () => {
    const list = sampleInstance().vimConnectionInfo!;
    expect(Object.entries(toConnectionMap(list)).map(([id, connection]) => ({ id, ...connection }))).toEqual(list);
  });
});

describe('an operation occurrence', () => {
  it("obeys ETSI's schema in every state, its parameters being an object", () => {
    for (const operationState of LCM_OPERATION_STATES) {
      const shown = renderOpOcc(sampleOpOcc({ operationState, cancelMode: undefined } as never), ROOT);
      expect(schemaErrors('VnfLcmOpOcc', shown)).toEqual([]);
      expect(shown.operationParams).toMatchObject({ flavourId: 'simple' });
      expect(shown).not.toHaveProperty('cancelMode');
    }
  });

  it('masks what the guides put into additionalParams, and keeps the rest', () => {
    const text = JSON.stringify(renderOpOcc(sampleOpOcc(), ROOT));
    for (const secret of ['master-pw', 'worker-pw', 'password1', 'password2']) expect(text).not.toContain(secret);
    const { additionalParams, ...others } = guideInstantiate();
    expect(renderOpOcc(sampleOpOcc(), ROOT).operationParams).toMatchObject(others);
    expect(text).toContain(additionalParams.k8s_cluster_installation_param.script_path);
  });

  it('keeps the nulls of a merge patch in its parameters', () => {
    const record = sampleOpOcc({ operation: 'MODIFY_INFO', operationParams: { metadata: { a: null } } });
    expect(renderOpOcc(record, ROOT).operationParams).toEqual({ metadata: { a: null } });
  });

  it('links to the tasks of its state, and not to a rollback past its pivot', () => {
    const failedTemp = {
      ...advance(advance(firstStanding('HEAL'), 'granted'), 'failed'),
      id: OP_OCC_ID,
      vnfInstanceId: INSTANCE_ID,
    };
    const self = `${ROOT}/vnf_lcm_op_occs/${OP_OCC_ID}`;
    expect(opOccLinks(ROOT, failedTemp)).toEqual({
      self: { href: self },
      vnfInstance: { href: `${ROOT}/vnf_instances/${INSTANCE_ID}` },
      retry: { href: `${self}/retry` },
      rollback: { href: `${self}/rollback` },
      fail: { href: `${self}/fail` },
    });
    expect(opOccLinks(ROOT, failedTemp, { pastPivot: 'the replacement' })).not.toHaveProperty('rollback');
    expect(Object.keys(opOccLinks(ROOT, sampleOpOcc()))).toEqual(['self', 'vnfInstance']);
  });
});

describe('subscriptions and packages', () => {
  it('never echo credentials', () => {
    const record = { id: 's', callbackUri: 'http://c/', authentication: { paramsBasic: { password: 'pw' } } };
    const lccn = renderLccnSubscription(record, ROOT);
    expect(lccn).toEqual({ id: 's', callbackUri: 'http://c/', _links: { self: { href: `${ROOT}/subscriptions/s` } } });
    expect(schemaErrors('LccnSubscription', lccn)).toEqual([]);
    expect(JSON.stringify(renderPkgmSubscription(record, ROOT))).not.toContain('pw');
    expect(schemaErrors('PkgmSubscription', renderPkgmSubscription(record, ROOT))).toEqual([]);
  });

  it("obey ETSI's schemas before and after onboarding", () => {
    const created = {
      id: 'p',
      onboardingState: 'CREATED' as const,
      operationalState: 'DISABLED' as const,
      usageState: 'NOT_IN_USE' as const,
    };
    expect(schemaErrors('VnfPkgInfo', renderVnfPkgInfo(created, ROOT))).toEqual([]);
    expect(vnfPackageLinks(ROOT, created)).not.toHaveProperty('vnfd');
    expect(vnfPackageLinks(ROOT, { ...created, onboardingState: 'ONBOARDED' }).vnfd?.href).toBe(`${ROOT}/vnf_packages/p/vnfd`);
  });
});
