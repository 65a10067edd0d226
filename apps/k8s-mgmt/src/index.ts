export { KUBERNETES_DRIVER, kubernetesDriver } from './driver/kubernetes.driver.js';
export { K8S_SERVICE } from './driver/node-steps.js';
export { defaultSettings, type K8sMgmtSettings } from './settings.js';
export { k8sMgmt, k8sParts } from './service.js';
