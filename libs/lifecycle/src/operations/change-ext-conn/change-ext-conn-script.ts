import { RequestError } from '@windlass/foundation';
import type { NamedScript } from '@windlass/user-data';
import type { ScriptUse } from '../../operation/script-use.js';

/** A script moves the connection points where its class can. */
export const changeExtConnScript: ScriptUse = {
  method: () => 'change_ext_conn',
  /** @throws RequestError 409 `user-data.not-reconnected` */
  refuse: (script, { instance, package: { model } }) => {
    if (model.reconnectingScripts?.includes(script.path) === false) throw notReconnected(instance.id, script);
  },
};

/** The script computed the networks and has no method to change them. */
const notReconnected = (id: string, { path, className }: NamedScript): RequestError =>
  new RequestError(
    409,
    'user-data.not-reconnected',
    `the networks of VNF instance ${id} were computed by a user data script of its package, and ${path} has no method change_ext_conn for its class ${className}: terminate it and instantiate it anew on the other networks, or onboard a package whose script has one`,
  );
