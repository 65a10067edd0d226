import { millis } from '@windlass/foundation';
import { VimSessions } from '@windlass/infra-driver';
import type { VimAccess } from '@windlass/lifecycle';
import { OpenStackEmulator } from '@windlass/lab';
import { OpenStack, STACK_PACE, StackWatch, type OpenStackSession } from '@windlass/openstack';

/**
 * Sessions of the real client to the emulator. A change is answered when the VIM has come to rest, so that no step waits on a clock.
 * @param changed called after the answer to each change
 */
export class SimulatedSessions extends VimSessions {
  constructor(
    private readonly emulator: OpenStackEmulator,
    private readonly changed: (request: string) => void,
  ) {
    super(undefined);
  }

  override of(vim: VimAccess): OpenStack {
    const session = this.#settling(super.of(vim).session);
    // The VIM has come to rest at each look: no look waits for another.
    return new OpenStack(session, new StackWatch(session, { ...STACK_PACE, first: millis(0), most: millis(0) }));
  }

  #settling(session: OpenStackSession): OpenStackSession {
    return new Proxy(session, {
      get: (target, member) => {
        if (member === 'with')
          return (...effects: Parameters<OpenStackSession['with']>) => this.#settling(target.with(...effects));
        if (member === 'request') return (...request: Parameters<OpenStackSession['request']>) => this.#request(target, request);
        const value: unknown = Reflect.get(target, member, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async #request(session: OpenStackSession, [service, request]: Parameters<OpenStackSession['request']>) {
    const answer = await session.request(service, request);
    if (request.method !== 'GET') {
      await this.emulator.settled();
      this.changed(`${request.method} of ${service}`);
    }
    return answer;
  }
}
