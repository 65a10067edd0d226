import { INFRA_SERVICE } from '@windlass/lifecycle';
import { enrol, vimRulesOf, type ServiceDefinition } from '@windlass/service-kit';
import { InfraDriverConfig } from './config.js';
import { startInfraDriver } from './start-infra-driver.js';

export const infraDriver: ServiceDefinition<InfraDriverConfig> = {
  name: INFRA_SERVICE,
  version: '0.1.0',
  description: 'does what VIMs are asked for: stacks and images of OpenStack, objects of Kubernetes, and what they consist of',
  config: InfraDriverConfig,
  start: async (context) => {
    const { config, log, replica, nats } = context;
    const link = await nats();
    const enrolment = enrol(INFRA_SERVICE, context, link);
    const service = await startInfraDriver({
      link,
      enrolment,
      settings: {
        stackWithin: config.stackWithin,
        absentFor: config.stackAbsentFor,
        objectsWithin: config.objectsWithin,
        imageMovesWithin: config.imageMovesWithin,
        python: config.userDataPython,
        scriptWithin: config.userDataWithin,
      },
      rules: vimRulesOf(config),
      stepsAtOnce: config.stepsAtOnce,
      replica,
      log,
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    });
    return {
      get ready() {
        return service.ready;
      },
      stop: async () => {
        await service.stop();
        await enrolment.stop();
      },
    };
  },
};
