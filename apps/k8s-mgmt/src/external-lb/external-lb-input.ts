import type { HostStepInput, MachineInput, MasterInput } from '@windlass/driver-kit';

/** A node of the cluster to which the load balancer passes connections. */
export interface Route {
  name: string;
  /** In the cluster's network, IPv4. */
  address: string;
}

/** The nodes to which a load balancer passes connections. */
export interface Routes {
  /** Masters receive the connections to the API, and as workers do those to ports of Services. */
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
