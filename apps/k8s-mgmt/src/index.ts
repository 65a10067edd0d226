export { KUBERNETES_DRIVER, kubernetesDriver } from './driver/kubernetes.driver.js';
export { KUBESPRAY_DRIVER } from './kubespray/kubespray.driver.js';
export { NODE_PORT_DRIVER } from './node-ports/node-port.driver.js';
export { K8S_SERVICE } from './actions/contracts.js';
export { defaultSettings, type K8sMgmtSettings } from './settings.js';
export { k8sMgmt, k8sParts, k8sServiceParts, kubesprayParts, nodePortParts } from './service.js';
export { INTERNET, PAUSE_TAGS, type InternetDefault } from './internet-defaults.js';
