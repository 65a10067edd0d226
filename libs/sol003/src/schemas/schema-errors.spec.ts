import { describe, expect, it } from 'vitest';
import { sampleInstance, sampleOpOcc, instantiatedInfo } from '../testing/samples.js';
import { schemaErrors } from './schema-errors.js';
import { SCHEMA_NAMES, schemasOf } from './schema-files.js';

describe("ETSI's schemas", () => {
  it.each(SCHEMA_NAMES)('%s is there and can be compiled', (name) => {
    expect(schemasOf(name).length).toBeGreaterThan(0);
    expect(() => schemaErrors(name, {})).not.toThrow();
  });

  it('take a whole instance and a whole operation occurrence', () => {
    expect(schemaErrors('VnfInstance', sampleInstance())).toEqual([]);
    expect(schemaErrors('VnfInstances', [sampleInstance()])).toEqual([]);
    expect(schemaErrors('VnfLcmOpOcc', sampleOpOcc())).toEqual([]);
  });

  it('find a missing attribute, a wrong type and a wrong word', () => {
    const info = { ...instantiatedInfo(['a']), flavourId: undefined };
    const wrong = { ...sampleInstance(), vnfdVersion: 3, instantiationState: 'GONE', instantiatedVnfInfo: info };
    const errors = schemaErrors('VnfInstance', wrong).join('\n');
    expect(errors).toContain('/vnfdVersion must be string');
    expect(errors).toContain('/instantiationState must be equal to one of the allowed values');
    expect(errors).toContain("/instantiatedVnfInfo must have required property 'flavourId'");
  });

  it('give their own format names a meaning', () => {
    const links = (href: string) => ({ self: { href }, vnfInstance: { href } });
    expect(schemaErrors('VnfLcmOpOcc', sampleOpOcc({ _links: links('http://host:9890/vnflcm/v1/x') }))).toEqual([]);
    expect(schemaErrors('VnfLcmOpOcc', sampleOpOcc({ _links: links('/vnflcm/v1/x') }))).toHaveLength(2);
    expect(schemaErrors('ProblemDetails', { status: 404, detail: 'x', type: 'about:blank' })).toEqual([]);
    expect(schemaErrors('ProblemDetails', { status: 404, detail: 'x', type: 'no uri' })).toHaveLength(1);
    expect(schemaErrors('VnfLcmOpOcc', sampleOpOcc({ startTime: 'yesterday' }))).toHaveLength(1);
  });

  it('refuse operationParams in the reference system’s JSON-in-a-string form', () => {
    const asText = { ...sampleOpOcc(), operationParams: JSON.stringify(sampleOpOcc().operationParams) };
    expect(schemaErrors('VnfLcmOpOcc', asText)).toHaveLength(1);
  });

  it('hold a package against both SOL005 and SOL003', () => {
    const link = { href: 'http://host/x' };
    const pkg = { id: 'p', operationalState: 'DISABLED', usageState: 'NOT_IN_USE', onboardingState: 'CREATED' };
    expect(schemaErrors('VnfPkgInfo', { ...pkg, _links: { self: link, packageContent: link } })).toEqual([]);
    expect(schemaErrors('VnfPkgInfo', pkg).join()).toContain("'_links'");
  });
});
