import { INTERNET } from './internet-defaults.js';

/** The sources of images, which the operator has decided for all clusters. Undefined: where the images' makers publish them. */
export interface ImageSettings {
  /** Registry and path of all images that have no setting of their own: `registry.example:5000/kubernetes`. */
  imageRepository?: string | undefined;
  flannelImage?: string | undefined;
  flannelPluginImage?: string | undefined;
  /** Of the pods that try a cluster; `none`: none is run. */
  verificationImage?: string | undefined;
}

/** In an image's place: no pod is run. */
export const NO_VERIFICATION_IMAGE = 'none';

/** Of the network add-on. */
export interface NetworkImages {
  flannel: string;
  plugin: string;
}

/** Every image source of a cluster beside what its user's pods run. */
export interface ClusterImages {
  /** Of kubeadm's images and the sandbox image. */
  repository: string;
  network: NetworkImages;
  verification: string;
}

/**
 * What a cluster's images are.
 * @param own the cluster's own repository, by its parameter: all images come from there, by the last part of their names and their tags
 */
export function clusterImages(settings: ImageSettings, own?: string): ClusterImages {
  const repository = own ?? settings.imageRepository;
  const of = (byDefault: string, setting: string | undefined): string => {
    if (setting === NO_VERIFICATION_IMAGE) return setting;
    if (own !== undefined) return under(own, setting ?? byDefault);
    return setting ?? (repository === undefined ? byDefault : under(repository, byDefault));
  };
  return {
    repository: repository ?? INTERNET.imageRepository.value,
    network: {
      flannel: of(INTERNET.flannelImage.value, settings.flannelImage),
      plugin: of(INTERNET.flannelPluginImage.value, settings.flannelPluginImage),
    },
    verification: of(INTERNET.verificationImage.value, settings.verificationImage),
  };
}

/** `registry.example/k8s/flannel:v1` of `ghcr.io/flannel-io/flannel:v1`. */
const under = (repository: string, image: string): string => `${repository}/${image.slice(image.lastIndexOf('/') + 1)}`;
