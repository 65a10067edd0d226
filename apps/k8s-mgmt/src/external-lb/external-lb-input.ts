import type { HostStepInput, MachineInput, MasterInput } from '@windlass/driver-kit';

/** A node of the cluster, as the balancer passes on to it. */
export interface Route {
  name: string;
  /** In the cluster's network, IPv4. */
  address: string;
}

/** To whom a balancer passes on. */
export interface Routes {
  /** They have the API; ports of Services are open on them as on workers. */
  masters: Route[];
  workers: Route[];
}

export interface ExternalLbInput extends HostStepInput {
  machine: MachineInput;
}

export interface AskedExternalLbInput extends ExternalLbInput {
  /** Through any of which the cluster is asked. */
  masters: MasterInput[];
}
