import { describe, expect, it } from 'vitest';
import { checkTrail, reportText, type CheckPage } from './audit-trail-check.js';

const page = (more: Partial<CheckPage>): CheckPage => ({
  entries: 0,
  findings: [],
  links: null,
  next: null,
  purgedThrough: 0,
  end: null,
  ...more,
});

const end = { head: '9:ab', waiting: 2, separation: { separated: true, reason: null } };

describe('a check of the audit trail', () => {
  it('asks for page after page, for the head with the first, and adds them up', async () => {
    const asked: string[] = [];
    const pages = [
      page({ entries: 10, links: { from: 6, through: 7 }, next: 7 }),
      page({
        entries: 5,
        links: { from: 8, through: 9 },
        findings: [{ kind: 'entry-missing', link: 8, entries: ['41'], detail: 'gone' }],
        purgedThrough: 3,
        end,
      }),
    ];
    const api = {
      get: <T>(path: string): Promise<T> => {
        asked.push(path);
        return Promise.resolve(pages.shift() as T);
      },
    };
    const seen: number[] = [];
    const report = await checkTrail(api, '5:cd', (links) => seen.push(links));
    expect(asked).toEqual(['/windlass/v1/audit_trail/check?after=5&head=5%3Acd', '/windlass/v1/audit_trail/check?after=7']);
    expect(seen).toEqual([2, 4]);
    expect(report).toMatchObject({ links: 4, entries: 15, purgedThrough: 3, end, findings: [{ kind: 'entry-missing' }] });
  });

  it('is told with what is wrong first, ids in measure, nothing that could steer a terminal, and what to do', () => {
    const entries = Array.from({ length: 30 }, (_, n) => String(n));
    const text = reportText({
      links: 4,
      entries: 15,
      findings: [{ kind: 'entry-inserted', link: null, entries, detail: '30 entries\u001b[31m were put in' }],
      purgedThrough: 3,
      end: { ...end, separation: { separated: false, reason: 'services connect as windlass, who is a superuser' } },
    });
    const [first, separation, purged, verdict, head] = text.split('\n');
    expect(first).toMatch(/^entry-inserted: 30 entries.* were put in {2}0 1 2 .* 19 \.\.\.$/);
    expect(text).not.toContain('\u001b');
    expect(separation).toContain('runbooks/audit-trail.md');
    expect(purged).toBe('Links up to 3 are older than the trail is kept.');
    expect(verdict).toBe(
      'THE AUDIT TRAIL IS NOT AS IT WAS WRITTEN: 4 links with 15 entries compared; 2 entries wait for their link.',
    );
    expect(head).toBe('head 9:ab');
  });
});
