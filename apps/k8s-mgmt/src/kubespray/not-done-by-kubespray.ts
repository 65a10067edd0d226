import { isJsonObject, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import { clusterSchema } from '../kubeadm/parameters/parameters.js';
import { PARAM } from '../parameters/of-clusters.js';
import { kubespraySchema } from './parameters.js';

const OTHER_DRIVER = 'mgmt-drivers-kubernetes';

/** What to do in place of a parameter that kubespray's driver does nothing with. */
const INSTEAD: Readonly<Record<string, string>> = {
  private_registry_connection_info:
    'set containerd_registries_mirrors in a group variables file of kubespray’s sample inventory, which the cluster’s inventory begins with',
  storage_server: 'export the volumes from a VNF of its own',
  pv_registration_params: 'apply the PersistentVolumes to the cluster once it stands',
  network_addon: 'set kube_network_plugin in a group variables file of kubespray’s sample inventory',
  image_repository: 'set kube_image_repo and its like in a group variables file of kubespray’s sample inventory',
  pod_node_prefix: 'set kube_network_node_prefix in a group variables file of kubespray’s sample inventory',
};

/** Errors for the other driver's parameters, which this driver would ignore. An empty list or object is no error. */
export const notDoneByKubespray = (requestParams: JsonObject): InvalidParam[] =>
  passedOver(requestParams[PARAM] ?? null, clusterSchema, kubespraySchema, `/additionalParams/${PARAM}`);

function passedOver(value: Json, theirs: JsonObject, ours: JsonObject, at: string): InvalidParam[] {
  if (!isJsonObject(value) || !isJsonObject(theirs.properties)) return [];
  const own = isJsonObject(ours.properties) ? ours.properties : {};
  return Object.entries(theirs.properties).flatMap(([name, schema]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null || isEmpty(given)) return [];
    const path = `${at}/${name}`;
    const mine = own[name];
    if (isJsonObject(mine) && isJsonObject(schema)) return passedOver(given, schema, mine, path);
    const instead = INSTEAD[name];
    const other = `leave it out, or make the cluster with the driver ${OTHER_DRIVER}`;
    return [
      {
        path,
        reason: `kubespray’s driver does nothing with it: ${instead === undefined ? other : `${other}, or ${instead}`}`,
      },
    ];
  });
}

const isEmpty = (value: Json): boolean =>
  (Array.isArray(value) && value.length === 0) || (isJsonObject(value) && Object.keys(value).length === 0);
