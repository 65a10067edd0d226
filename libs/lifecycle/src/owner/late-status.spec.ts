import { InvariantError, RequestError, TerminalError, TransientError } from '@windlass/foundation';
import { reportError } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { withLateStatus } from './late-status.js';

const statusOf = (thrown: unknown): number => withLateStatus(reportError(thrown)).status;

describe('the status in an occurrence’s error', () => {
  it.each([
    'kubespray.not-ready',
    'remote.auth-failed',
    'flavor.none-fits',
    'node.not-drained',
    'script.failed',
    'user-data.failed',
    'example.refused',
  ])('of a user’s mistake that shows late is 422: %s', (code) => {
    expect(statusOf(new TerminalError(code, 'no'))).toBe(422);
  });

  it.each([
    ['openstack.conflict', 409],
    ['openstack.forbidden', 403],
    ['heat.template-invalid', 400],
    ['stack.create-failed', 502],
    ['stack.delete-failed', 502],
  ])('of the VIM’s refusal is the VIM’s: %s', (code, status) => {
    expect(statusOf(new TerminalError(code, 'no'))).toBe(status);
  });

  it('of a defect is 500, ours or a driver’s', () => {
    expect(statusOf(new Error('x is not a function'))).toBe(500);
    expect(statusOf(new InvariantError('no'))).toBe(500);
    expect(statusOf(new TerminalError('driver.garbage', 'no'))).toBe(500);
    expect(statusOf(new TerminalError('plan.refused', 'no'))).toBe(500);
  });

  it('that the thrower gave stays', () => {
    expect(statusOf(new TerminalError('vim.in-use', 'no', { status: 409 }))).toBe(409);
    expect(statusOf(new RequestError(404, 'x.gone', 'no'))).toBe(404);
    expect(statusOf(new TransientError('remote.unreachable', 'no'))).toBe(503);
  });
});
