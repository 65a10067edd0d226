export { KUBERNETES_DRIVER, KubernetesDriver } from './driver/kubernetes.driver.js';
export { K8S_SERVICE } from './driver/node-steps.js';
export { defaultSettings, type K8sMgmtSettings } from './settings.js';
export { k8sMgmt } from './service.js';
export { startK8sMgmt, type K8sMgmtDependencies } from './start-k8s-mgmt.js';
