import { isJsonObject, type Json } from '@windlass/foundation';
import { pythonStr } from '../http/python-json.js';
import type { CloudState, Server } from '../state/state.js';
import { computeError, invalidField } from '../http/nova-errors.js';
import type { Nova } from './nova.js';
import { requireState } from './power.js';

/**
 * The action `rebuild`: the machine is made again from an image; id, ports and volumes stay. Of its options only `imageRef` is known here.
 * @throws HttpFailure 400 where the image is named wrongly or does not exist, 409 where the server's state forbids it
 */
export function rebuild({ nova, state }: { nova: Nova; state: CloudState }, server: Server, options: Json): void {
  const { imageRef, ...others } = isJsonObject(options) ? options : {};
  if (typeof imageRef !== 'string') throw invalidField('rebuild', pythonStr(options), "'imageRef' is a required property");
  const [other] = Object.keys(others);
  if (other !== undefined) throw computeError(400, `The lab's emulator does not know ${other} of rebuild.`);
  requireState(server, 'rebuild', ['active', 'stopped', 'error'], nova.taskOf(server.id));
  const image = state.images.get(imageRef);
  if (image === undefined) throw computeError(400, 'Cannot find image for rebuild');
  server.status = 'REBUILD';
  nova.rebuild(server, image).catch((error: unknown) => {
    server.status = 'ERROR';
    server.fault = { code: 500, message: error instanceof Error ? error.message : String(error), created: server.updated };
  });
}
