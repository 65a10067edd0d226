/** The coordinator's own service name: hooks are asked for by its workers. */
export const COORDINATOR_SERVICE = 'saga-coordinator';

/** The service that does what the VIM is asked for. */
export const INFRA_SERVICE = 'infra-driver';
