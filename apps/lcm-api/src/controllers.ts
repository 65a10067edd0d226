import { OPERATIONS, type OperationTable } from '@windlass/lifecycle';
import { AuditsController } from './audits/audits.controller.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DriversController } from './drivers/drivers.controller.js';
import { EnrolmentsController } from './enrolment/enrolments.controller.js';
import { HostKeysController } from './host-keys/host-keys.controller.js';
import { ApiVersionsController } from './http/api-versions.controller.js';
import { WhoController } from './identity/who.controller.js';
import { VnfInstancesController } from './instances/vnf-instances.controller.js';
import { MessagesController } from './messages.controller.js';
import { EventsController } from './observability/events.controller.js';
import { StepsController } from './observability/steps.controller.js';
import { DocsController } from './openapi/docs.controller.js';
import { opOccControllersV1, opOccControllersV2 } from './op-occs/op-occ-controllers.js';
import { packageControllers } from './packages/package-services.js';
import { planControllers } from './plans/plan-controllers.js';
import { RestorationController } from './restoration/restoration.controller.js';
import { Routes } from './routes/routes.js';
import { TrailCheckController } from './trail/trail-check.controller.js';
import { TrailController } from './trail/trail.controller.js';
import { VnfInstancesV2Controller } from './v2/vnf-instances-v2.controller.js';
import { DeliveriesController } from './subscriptions/deliveries.controller.js';
import { subscriptionControllers } from './subscriptions/subscription-controllers.js';
import { CertificatesController } from './instances/certificates.controller.js';
import { SnapshotsController } from './snapshots/snapshots.controller.js';
import { ClusterNodesController } from './instances/cluster-nodes.controller.js';
import { KubeconfigsController } from './instances/kubeconfigs.controller.js';
import { VimChecksController } from './vims/vim-checks.controller.js';
import { VimsController } from './vims/vims.controller.js';

/** Everything that answers requests and messages. */
export const CONTROLLERS = [
  ApiVersionsController,
  VnfInstancesController,
  ...opOccControllersV1,
  VnfInstancesV2Controller,
  ...opOccControllersV2,
  ...planControllers,
  StepsController,
  EventsController,
  TrailController,
  TrailCheckController,
  AuditsController,
  ...packageControllers,
  ...subscriptionControllers,
  DeliveriesController,
  VimsController,
  VimChecksController,
  KubeconfigsController,
  ClusterNodesController,
  CertificatesController,
  SnapshotsController,
  EnrolmentsController,
  RestorationController,
  DriversController,
  HostKeysController,
  DocsController,
  DashboardController,
  WhoController,
  MessagesController,
] as const;

/** All routes of the REST surface, with the operations that there are. @throws InvariantError for one that nothing describes */
export const routesOf = (operations: OperationTable = OPERATIONS): Routes => new Routes(CONTROLLERS, operations);
