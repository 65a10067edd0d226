import { describe, expect, it } from 'vitest';
import { subjectAt, subjectOf } from './subject.js';

const id = '6f1b4c1e-0b8f-4c3e-9f53-000000000001';

describe('what a request is about', () => {
  it.each([
    [`/vnflcm/v1/vnf_instances/${id}/change_ext_conn`, { vnfInstanceId: id, operation: 'CHANGE_EXT_CONN' }],
    [`/vnflcm/v2/vnf_instances/${id}`, { vnfInstanceId: id }],
    [`/vnflcm/v1/vnf_lcm_op_occs/${id}/retry`, { operationId: id, operation: 'RETRY' }],
    [`/vnfpkgm/v1/vnf_packages/${id}/package_content`, {}],
    ['/vnflcm/v1/vnf_instances/nonsense/heal', {}],
  ])('%s', (path, subject) => expect(subjectAt(path)).toEqual(subject));

  it('is what its path names before what its answer names', () => {
    expect(subjectOf('/vnflcm/v1/vnf_instances', subjectAt(`http://h/vnflcm/v1/vnf_instances/${id}`))).toEqual({
      operation: null,
      operationId: null,
      vnfInstanceId: id,
    });
  });
});
