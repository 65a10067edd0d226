import { CinderApi } from './cinder/cinder-api.js';
import type { VimConnection } from './session/connection.js';
import { GlanceApi } from './glance/glance-api.js';
import { HeatApi } from './heat/heat-api.js';
import type { StackPace } from './heat/stack-looks.js';
import { STACK_PACE, StackWatch } from './heat/stack-watch.js';
import { IdentityApi } from './keystone/identity-api.js';
import { NeutronApi } from './neutron/neutron-api.js';
import { NovaApi } from './nova/nova-api.js';
import { OpenStackSession, type Effects, type SessionOptions } from './session/openstack-session.js';

/** The APIs of one OpenStack over one session. */
export class OpenStack {
  readonly identity: IdentityApi;
  readonly heat: HeatApi;
  readonly nova: NovaApi;
  readonly neutron: NeutronApi;
  readonly glance: GlanceApi;
  readonly cinder: CinderApi;

  /** @param watch of the same session: whoever waits for a stack through these waits with all others that do */
  constructor(
    readonly session: OpenStackSession,
    readonly watch?: StackWatch,
  ) {
    this.identity = new IdentityApi(session);
    this.heat = new HeatApi(session, watch);
    this.nova = new NovaApi(session);
    this.neutron = new NeutronApi(session);
    this.glance = new GlanceApi(session);
    this.cinder = new CinderApi(session);
  }

  /** Nothing is sent before the first call. Close it when the connection is no longer used. */
  static open(connection: VimConnection, options: SessionOptions = {}): OpenStack {
    return new OpenStack(OpenStackSession.open(connection, options));
  }

  /** The same, with one watch for all that wait for stacks. */
  static watching(connection: VimConnection, options: SessionOptions = {}, pace: StackPace = STACK_PACE): OpenStack {
    const session = OpenStackSession.open(connection, options);
    return new OpenStack(session, new StackWatch(session, pace));
  }

  /** The same APIs for one step: its lease is looked at before every change, its signal ends requests and waits. */
  with(effects: Effects): OpenStack {
    return new OpenStack(this.session.with(effects), this.watch);
  }

  /** Ends the connections. */
  close(): void {
    this.session.close();
  }
}
