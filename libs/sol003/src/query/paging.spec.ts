import { describe, expect, it } from 'vitest';
import { nextPageLink } from './paging.js';

describe('nextPageLink', () => {
  it('keeps the other parameters as they were sent and replaces the marker', () => {
    expect(nextPageLink('/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,id,x)&nextpage_opaque_marker=a&fields=error%2Cid', 'b c')).toBe(
      '</vnflcm/v1/vnf_lcm_op_occs?filter=(eq,id,x)&fields=error%2Cid&nextpage_opaque_marker=b%20c>; rel="next"',
    );
    expect(nextPageLink('http://host:9890/vnflcm/v1/vnf_instances', 'last')).toBe(
      '<http://host:9890/vnflcm/v1/vnf_instances?nextpage_opaque_marker=last>; rel="next"',
    );
  });

  it('replaces a marker whose name came percent-encoded', () => {
    expect(nextPageLink('/x?nextpage%5Fopaque%5Fmarker=a', 'b')).toBe('</x?nextpage_opaque_marker=b>; rel="next"');
  });

  it('lets nothing of the query end the header', () => {
    const link = nextPageLink('/x?filter=(eq,id,>; rel="next"\r\nSet-Cookie: a=\u{1F600}\ud800)', '<b>');
    expect(link.match(/[<>]/g)).toEqual(['<', '>']);
    expect(link).not.toMatch(/[\r\n]/);
    expect(link).toMatch(/^[\x20-\x7e]+$/);
  });
});
