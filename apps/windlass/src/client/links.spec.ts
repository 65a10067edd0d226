import { describe, expect, it } from 'vitest';
import { nextOf, pathIn } from './links.js';

describe('links of answers', () => {
  it.each(['http://127.0.0.1:9890', 'https://example.com/nfv/vnfm', 'https://example.com/windlass', ''])(
    'lead to the path on the service, whatever stands before it: "%s"',
    (root) => {
      expect(pathIn(`${root}/vnflcm/v1/vnf_lcm_op_occs/1`)).toBe('/vnflcm/v1/vnf_lcm_op_occs/1');
      expect(pathIn(`${root}/windlass/v1/audits/2`)).toBe('/windlass/v1/audits/2');
    },
  );

  it.each(['', '/nfv', 'https://example.com/nfv'])('lead to the next page of the same list: "%s"', (root) => {
    const asked = '/vnflcm/v1/vnf_instances?filter=(eq,id,1)';
    const link = `<${root}/vnflcm/v1/vnf_instances?filter=(eq,id,1)&nextpage_opaque_marker=7>; rel="next"`;
    expect(nextOf(asked, link)).toBe('/vnflcm/v1/vnf_instances?filter=(eq,id,1)&nextpage_opaque_marker=7');
    expect(nextOf(asked, '')).toBeUndefined();
  });
});
