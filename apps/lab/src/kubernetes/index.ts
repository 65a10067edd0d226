export { ServedImages } from './image-layout.js';
export { TEST_IMAGE } from './images.js';
export { realKubernetesPackages } from './packages.js';
export { cachedKubernetes, realKubernetes, type RealKubernetes, type RealKubernetesOptions } from './real-kubernetes.js';
export { REAL_KUBERNETES_VERSIONS } from './versions.js';
