import { dataOf, wakeUpEvent, NatsCoordinatorClient, openEnvelope, RequestClient, subjects } from '@windlass/messaging';
import { StepWorker, type BoundAction } from '@windlass/saga';
import { newToken, startEnrolment, taken } from './enrolment.js';
import { quiet, type System } from './system.js';

/** A worker of a service that only a test has. */
export interface TestWorker {
  stop(): Promise<void>;
}

/** Enrols a service, and runs the service's actions when wake-ups of their steps are published. */
export async function startTestWorker(
  { link, database, masterKeys }: Pick<System, 'link' | 'database' | 'masterKeys'>,
  service: string,
  actions: readonly BoundAction[],
): Promise<TestWorker> {
  const enrolled = { service, worker: `${service}@test`, link, log: quiet };
  const enrolment = startEnrolment({ ...enrolled, token: (await newToken(database, masterKeys, enrolled)).text });
  await taken(enrolment);
  const coordinator = new NatsCoordinatorClient(new RequestClient(link), enrolment);
  const onTrouble = ({ stepId }: { stepId: string }, error: Error): void => console.error(stepId, error);
  const worker = new StepWorker({ service, worker: enrolled.worker, actions, coordinator, onTrouble });
  const wakeUps = link.connection.subscribe(subjects.step(service), {
    callback: (_error, { data }) => {
      const wakeUp = dataOf(openEnvelope(data), wakeUpEvent.name, wakeUpEvent.data);
      worker.answer({ ...wakeUp, service }).catch((error: unknown) => console.error('a doorbell was not answered', error));
    },
  });
  await link.flushed();
  return {
    stop: async () => {
      wakeUps.unsubscribe();
      await worker.stop();
      await enrolment.stop();
    },
  };
}
