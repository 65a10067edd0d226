export { KERNEL_FILES, KUBERNETES_VERSIONS, STANDIN_NEEDS, standinPackages } from './packages.js';
