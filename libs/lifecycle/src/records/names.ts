/** As the reference system's guide has it. */
export const stackNameOf = (vnfInstanceId: string): string => `vnf-${vnfInstanceId}`;

/** Every stack and image that Windlass makes carries the instance it is for. */
export const vnfTag = (vnfInstanceId: string): string => `windlass-vnf-${vnfInstanceId}`;

/** The instance that a tag of {@link vnfTag} names. */
export const vnfOfTag = (tag: string): string | undefined => /^windlass-vnf-(.+)$/.exec(tag)?.[1];

/** Several Windlass may share a project of an OpenStack: what one made, another never touches. */
export const deploymentTag = (deploymentId: string): string => `windlass-deployment-${deploymentId}`;

/** A tag of {@link deploymentTag}, of whichever Windlass. */
export const isDeploymentTag = (tag: string): boolean => tag.startsWith(deploymentTag(''));

/** A tag of {@link vnfTag}, of whichever instance. */
export const isWindlassTag = (tag: string): boolean => vnfOfTag(tag) !== undefined;

/** On images that instances share: they carry no instance's tag. */
export const SHARED_IMAGE_TAG = 'windlass-shared-image';

/** Glance never gives an id twice, not even after a deletion: what is made again in place of an image carries the first one's id as a tag. */
export const imageTag = (imageId: string): string => `windlass-image-${imageId}`;
