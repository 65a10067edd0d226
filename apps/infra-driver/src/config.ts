import { minutes, seconds, type Duration } from '@windlass/foundation';
import { asDuration, Variable, withVimProxy, WorkerServiceConfig } from '@windlass/service-kit';
import { Matches, Min } from 'class-validator';
import { SCRIPT_SETTINGS } from './user-data/script-settings.js';

/** How many steps run at once where nothing else is said: each is a request to a VIM, unlike those of drivers. */
export const STEPS_AT_ONCE = 64;

/** What the infra driver can be told. */
export class InfraDriverConfig extends withVimProxy(WorkerServiceConfig) {
  override readonly stepsAtOnce: number = STEPS_AT_ONCE;

  @Variable({
    name: 'STACK_WITHIN',
    meaning:
      'the longest that Heat may take for one stack, to make, change or delete it; Heat is given a fifth less, at most 5 minutes less (timeout_mins: 20 of 25 minutes)',
    expected: 'a length of time such as 25m, at least 10s',
    read: asDuration,
  })
  @Min(seconds(10))
  readonly stackWithin: Duration = minutes(25);

  @Variable({
    name: 'STACK_ABSENT_FOR',
    meaning:
      'how long a stack that was never seen must stay absent before its creation is taken for not having happened: at least Heat’s own RPC time-out (rpc_response_timeout)',
    expected: 'a length of time such as 60s, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly stackAbsentFor: Duration = seconds(60);

  @Variable({
    name: 'OBJECTS_WITHIN',
    meaning:
      'the longest that the objects of one VNF may take on a Kubernetes cluster to be ready, or to be gone, in one attempt',
    expected: 'a length of time such as 10m, at least 5s',
    read: asDuration,
  })
  @Min(seconds(5))
  readonly objectsWithin: Duration = minutes(10);

  @Variable({
    name: 'IMAGE_MOVES_WITHIN',
    meaning:
      'how long nothing may move in the upload of an image, and how long Glance may take to answer once it was sent all, before the upload is begun anew',
    expected: 'a length of time such as 60s, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly imageMovesWithin: Duration = minutes(1);

  @Variable({
    name: 'USER_DATA_PYTHON',
    meaning: 'the Python that runs the user data scripts of packages, in a sandbox; packages without such scripts need none',
    expected: 'an absolute path',
  })
  @Matches(/^\//)
  readonly userDataPython: string = SCRIPT_SETTINGS.python;

  @Variable({
    name: 'USER_DATA_WITHIN',
    meaning: 'the longest that a user data script of a package may take',
    expected: 'a length of time such as 60s, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly userDataWithin: Duration = SCRIPT_SETTINGS.scriptWithin;
}
