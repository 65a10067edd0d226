import { MastersContext, type DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { checkCertificatesWork } from './check-certificates.action.js';
import { checkRenewalWork } from './check-renewal.action.js';
import { listCertificatesWork } from './list-certificates.action.js';
import { renewCertificatesWork } from './renew-certificates.action.js';

export const boundCertificatesActions = ({ hosts }: DriverPorts): BoundAction[] => [
  ...bindActions([checkCertificatesWork, listCertificatesWork], (run, work) => work(new MastersContext(run, hosts))),
  ...bindActions([checkRenewalWork, renewCertificatesWork], (run, work) => work(new MastersContext(run, hosts))),
];
