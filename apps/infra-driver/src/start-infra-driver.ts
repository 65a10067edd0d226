import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { INFRA_SERVICE, type RunUserDataInput, type VimAccess } from '@windlass/lifecycle';
import {
  JetStreamStrategy,
  NatsCoordinatorClient,
  PackageClient,
  RequestClient,
  stepLog,
  type Enrolment,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import type { StackPace } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { bindActions, StepWorker, throughFence, type Action, type BoundAction, type StepRun } from '@windlass/saga';
import { Readable } from 'node:stream';
import { auditVim } from './actions/audit-vim.action.js';
import { createStack } from './actions/create-stack.action.js';
import { deleteStack } from './actions/delete-stack.action.js';
import { findHealTargets } from './actions/find-heal-targets.action.js';
import { findFlavors } from './actions/find-flavors.action.js';
import { seeComputeHosts } from './actions/see-compute-hosts.action.js';
import { findImages } from './actions/find-images.action.js';
import { deleteImage, uploadImage } from './actions/images.actions.js';
import type { InfraContext, InfraSettings, PackageReader } from './actions/infra-context.js';
import { inspectStack } from './actions/inspect-stack.action.js';
import { markUnhealthy } from './actions/mark-unhealthy.action.js';
import { powerServer } from './actions/power-server.action.js';
import { readStack } from './actions/read-stack.action.js';
import { reconnectStack } from './actions/reconnect-stack.action.js';
import { removeStack } from './actions/remove-stack.action.js';
import { replaceServers } from './actions/replace-servers.action.js';
import { resizeStack } from './actions/resize-stack.action.js';
import { findSharedImage, shareImage } from './actions/share-image.action.js';
import { surveyStack } from './actions/survey-stack.action.js';
import { STEPS_AT_ONCE } from './config.js';
import { infraController } from './infra.controller.js';
import { ClusterApi, type OpenCluster } from './kubernetes/cluster-api.js';
import { clusterActions } from './kubernetes/cluster-actions.js';
import { Runnable } from './user-data/runnable.js';
import { runUserData } from './user-data/run-user-data.action.js';
import { WaitingLooks } from './looks/waiting-looks.js';
import { VimSessions } from './vim-sessions.js';

export interface InfraDriverDependencies {
  link: NatsLink;
  enrolment: Enrolment;
  settings: InfraSettings;
  /** Where VIMs, and what their catalogs name, may be; without them anywhere. */
  rules: AddressRules | undefined;
  /** Names this replica. */
  replica: string;
  log: MessagingLog;
  user?: string;
  /** Steps that this replica works on at once; {@link STEPS_AT_ONCE} by default. */
  stepsAtOnce?: number;
  /** How often stacks that are waited for are looked at; STACK_PACE unless given. */
  pace?: StackPace;
}

@Module({})
class InfraDriverModule {
  static with(worker: StepWorker, scripts: Runnable, stepsAtOnce: number): DynamicModule {
    const providers = [
      { provide: StepWorker, useValue: worker },
      { provide: Runnable, useValue: scripts },
    ];
    return { module: InfraDriverModule, controllers: [infraController(stepsAtOnce)], providers };
  }
}

/** Opens clusters where these rules let it connect to; without them anywhere. */
export const openCluster =
  (rules: AddressRules | undefined): OpenCluster =>
  (access, terms) =>
    new ClusterApi(access, terms, rules);

/** The actions of this service over its sessions. */
export function infraActions(
  sessions: VimSessions,
  packages: PackageReader,
  settings: InfraSettings,
  open: OpenCluster,
  looks = new WaitingLooks(),
): BoundAction[] {
  const bind = <Input extends { vim: VimAccess }, Output>(action: Action<InfraContext<Input>, Input, Output>) =>
    bindActions([action], (claimed: StepRun<Input>, work) =>
      throughFence(claimed, (run) => {
        const { input } = run;
        const openStack = sessions.of(input.vim).with({ fence: () => run.assertLease(), signal: run.signal });
        return work({ run, input, openStack, settings, packages, looks });
      }),
    );
  return [
    ...bind(createStack),
    ...bind(readStack),
    ...bind(deleteStack),
    ...bind(findFlavors),
    ...bind(seeComputeHosts),
    ...bind(findImages),
    ...bind(uploadImage),
    ...bind(shareImage),
    ...bind(findSharedImage),
    ...bind(deleteImage),
    ...bind(removeStack),
    ...bind(inspectStack),
    ...bind(auditVim),
    ...bind(findHealTargets),
    ...bind(markUnhealthy),
    ...bind(replaceServers),
    ...bind(surveyStack),
    ...bind(resizeStack),
    ...bind(powerServer),
    ...bind(reconnectStack),
    ...clusterActions({ packages, settings, open, looks }),
    ...bindActions([runUserData], (run: StepRun<RunUserDataInput>, work) => work({ run, settings, packages })),
  ];
}

/** Starts a worker of the VIM's steps. */
export async function startInfraDriver(dependencies: InfraDriverDependencies) {
  const { link, enrolment, settings, rules, replica, log, user, pace, stepsAtOnce = STEPS_AT_ONCE } = dependencies;
  const client = new RequestClient(link);
  const sessions = new VimSessions(rules, pace);
  const files = new PackageClient(client, INFRA_SERVICE, enrolment);
  const packages: PackageReader = {
    open: async (id, path, signal) => {
      const file = await files.open(id, path, signal);
      return { size: file.size, bytes: () => Readable.from(file.bytes(), { objectMode: false }) };
    },
  };
  const worker = new StepWorker({
    service: INFRA_SERVICE,
    worker: replica,
    actions: infraActions(sessions, packages, settings, openCluster(rules)),
    coordinator: new NatsCoordinatorClient(client, enrolment),
    ...stepLog(log),
  });
  const { admitted } = enrolment;
  const strategy = new JetStreamStrategy({
    link,
    service: INFRA_SERVICE,
    log,
    admitted,
    ...(user === undefined ? {} : { user }),
  });
  const app = await NestFactory.createMicroservice(InfraDriverModule.with(worker, new Runnable(settings.python), stepsAtOnce), {
    strategy,
    logger: false,
  });
  await app.listen();
  return {
    get ready() {
      return strategy.ready;
    },
    stop: async () => {
      await strategy.stopTaking();
      await worker.stop();
      await app.close();
      sessions.close();
    },
  };
}
