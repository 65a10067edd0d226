import type { Answer, RouteDescription } from '../routes/route.js';

const whole = (...mediaTypes: string[]): Answer => ({ mediaTypes, headers: ['Accept-Ranges', 'ETag'] });
const part = (...mediaTypes: string[]): Answer => ({ mediaTypes, headers: ['Accept-Ranges', 'ETag', 'Content-Range'] });

/** What can be read of an onboarded package, the same below `vnf_packages` and `onboarded_vnf_packages`. */
export const PACKAGE_ROUTES = {
  content: {
    summary: 'the archive of a VNF package',
    role: 'reader',
    answers: { 200: whole('application/zip'), 206: part('application/zip') },
    refusals: [406, 409, 412, 416],
  },
  vnfd: {
    summary: 'the VNFD of a VNF package, as text or as a zip',
    role: 'reader',
    answers: { 200: { mediaTypes: ['text/plain', 'application/zip'] } },
    refusals: [406, 409],
  },
  artifacts: {
    summary: 'the artifacts of a VNF package, in a zip',
    role: 'reader',
    answers: { 200: { mediaTypes: ['application/zip'] } },
    refusals: [406, 409],
  },
  artifact: {
    summary: 'one artifact of a VNF package',
    role: 'reader',
    answers: { 200: whole('application/octet-stream'), 206: part('application/octet-stream') },
    refusals: [406, 409, 412, 416],
  },
} as const satisfies Record<string, RouteDescription>;
