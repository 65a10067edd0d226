import { params, type Given, type GivenTopLevel } from '@windlass/driver-kit';
import { minutes, type JsonObject } from '@windlass/foundation';
import { MAY_CHANGE_AT_RETRY } from '@windlass/mgmt-driver';
import { IMAGE } from '../settings/image-names.js';
import { NO_VERIFICATION_IMAGE } from '../settings/images.js';

const { cidr, named, needed, noProxy, objectOf, parameter, proxyUrl, text } = params;

// What requests say to both drivers of clusters.

/** Where the parameters of a driver of clusters lie in `additionalParams`. */
export const PARAM = 'k8s_cluster_installation_param';

/** The image of the pods that test a cluster; any request may give it. */
export const verificationImage = text(
  `Image of the pods that try the cluster, the service's unless given; ${NO_VERIFICATION_IMAGE}: none is run`,
  IMAGE,
  { maxLength: 512 },
);

/** Which VMs a group is, and how they are reached. */
export const access = {
  aspect_id: named('Scaling aspect of the group'),
  vdu_id: named('VDU of the group, in place of its aspect'),
  ssh_cp_name: needed(named('CP whose address is logged in to')),
};

/** `proxy`. */
export const proxy = objectOf('Proxies of the nodes', {
  http_proxy: proxyUrl('For http'),
  https_proxy: proxyUrl('For https'),
  no_proxy: noProxy,
  k8s_node_cidr: cidr('Network of the nodes: reached without a proxy'),
});

export type ProxyParams = Given<typeof proxy>;

/** Seconds. */
export const DEFAULT_DRAIN_TIMEOUT = minutes(5) / 1_000;

/** A day: longer is no time to wait for. */
const LONGEST_DRAIN = 86_400;

/** What requests to scale and to heal say of nodes that leave, at the top of their `additionalParams`. */
export const leaving = {
  drain_timeout_seconds: parameter<number>({
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_DRAIN,
    default: DEFAULT_DRAIN_TIMEOUT,
    title: 'How long pods may take to go from a node that leaves',
    [MAY_CHANGE_AT_RETRY]: true,
  }),
  drain_force: parameter<boolean>({
    type: 'boolean',
    default: false,
    title: 'Whether pods that have not gone by then go with their node',
    [MAY_CHANGE_AT_RETRY]: true,
  }),
} satisfies JsonObject;

export type DrainParams = GivenTopLevel<typeof leaving>;
