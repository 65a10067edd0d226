import { Engine1700000000001 } from './1-engine.js';
import { Lcm1700000000002 } from './2-lcm.js';
import { CleanUp1700000000003 } from './3-clean-up.js';
import { AuditTrail1700000000004 } from './4-audit-trail.js';
import { Enrolment1700000000005 } from './5-enrolment.js';
import { Drivers1700000000006 } from './6-drivers.js';
import { HostKeys1700000000007 } from './7-host-keys.js';
import { VimExtra1700000000008 } from './8-vim-extra.js';
import { AuditChain1700000000010 } from './10-audit-chain.js';
import { DesiredState1700000000011 } from './11-desired-state.js';
import { PackageSource1700000000012 } from './12-package-source.js';
import { Notifications1700000000014 } from './14-notifications.js';
import { VnfProperties1700000000017 } from './17-vnf-properties.js';
import { InstanceNames1700000000018 } from './18-instance-names.js';
import { StepDurations1700000000021 } from './21-step-durations.js';
import { OperatorsServers1700000000026 } from './26-operators-servers.js';
import { StepRevisions1700000000031 } from './31-step-revisions.js';
import { ProcessingTries1700000000032 } from './32-processing-tries.js';
import { HostKeysOfInstances1700000000033 } from './33-host-keys-of-instances.js';
import { UploadBytes1700000000034 } from './34-upload-bytes.js';
import { CertificatesEnd1700000000035 } from './35-certificates-end.js';
import { ClusterSnapshots1700000000036 } from './36-cluster-snapshots.js';
import { InternalOperationsOfInstances1700000000037 } from './37-internal-operations-of-instances.js';
import { SnapshotsOfClusters1700000000038 } from './38-snapshots-of-clusters.js';
import { SharedImages1700000000039 } from './39-shared-images.js';
import { ReadsThatDoNotGrow1700000000040 } from './40-reads-that-do-not-grow.js';
import { StepsBehindTheLock1700000000041 } from './41-steps-behind-the-lock.js';
import { Incarnations1700000000042 } from './42-incarnations.js';
import { StepsThatWait1700000000044 } from './44-steps-that-wait.js';
import { KeysSeen1700000000045 } from './45-keys-seen.js';
import { ImagesKept1700000000046 } from './46-images-kept.js';
import { UntouchedImages1700000000047 } from './47-untouched-images.js';

/** In order. A migration that has run anywhere is never changed: the next one corrects it. */
export const migrations = [
  Engine1700000000001,
  Lcm1700000000002,
  CleanUp1700000000003,
  AuditTrail1700000000004,
  Enrolment1700000000005,
  Drivers1700000000006,
  HostKeys1700000000007,
  VimExtra1700000000008,
  AuditChain1700000000010,
  DesiredState1700000000011,
  PackageSource1700000000012,
  Notifications1700000000014,
  VnfProperties1700000000017,
  InstanceNames1700000000018,
  StepDurations1700000000021,
  OperatorsServers1700000000026,
  StepRevisions1700000000031,
  ProcessingTries1700000000032,
  HostKeysOfInstances1700000000033,
  UploadBytes1700000000034,
  CertificatesEnd1700000000035,
  ClusterSnapshots1700000000036,
  InternalOperationsOfInstances1700000000037,
  SnapshotsOfClusters1700000000038,
  SharedImages1700000000039,
  ReadsThatDoNotGrow1700000000040,
  StepsBehindTheLock1700000000041,
  Incarnations1700000000042,
  StepsThatWait1700000000044,
  KeysSeen1700000000045,
  ImagesKept1700000000046,
  UntouchedImages1700000000047,
];
