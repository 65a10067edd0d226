import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilStopSignal } from './signals.js';

/** A process that notes with which status it was ended. */
class FakeProcess extends EventEmitter {
  readonly statuses: number[] = [];
  exit(status: number): void {
    this.statuses.push(status);
  }
}

describe('being told to stop', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s aborts what is under way, and ends nothing by itself', async (signal) => {
    const process_ = new FakeProcess();
    const { stopSignalled, signal: stop, status, release } = untilStopSignal(process_);
    expect(status()).toBe(0);
    process_.emit(signal, signal);
    await stopSignalled;
    expect(stop.aborted).toBe(true);
    expect(status()).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(process_.statuses).toEqual([]);
    release();
    expect(process_.listenerCount(signal)).toBe(0);
  });

  it('one Ctrl-C that comes twice, to the process and to its group, is one: the clean-up goes on', () => {
    const process_ = new FakeProcess();
    const { release } = untilStopSignal(process_);
    process_.emit('SIGINT');
    vi.advanceTimersByTime(900);
    process_.emit('SIGINT');
    expect(process_.statuses).toEqual([]);
    release();
  });

  it('a second one ends it at once', () => {
    const process_ = new FakeProcess();
    const { release } = untilStopSignal(process_);
    process_.emit('SIGINT');
    vi.advanceTimersByTime(1_100);
    process_.emit('SIGINT');
    expect(process_.statuses).toEqual([130]);
    release();
  });
});
