export { KUBERNETES_DRIVER, kubernetesDriver } from './kubeadm.driver.js';
export { KUBESPRAY_DRIVER } from './kubespray.driver.js';
export { NODE_PORT_DRIVER } from './node-port.driver.js';
export { K8S_SERVICE } from './cluster/action.js';
export { defaultSettings, type K8sMgmtSettings } from './settings/settings.js';
export { k8sMgmt, k8sParts, k8sServiceParts, kubesprayParts, nodePortParts } from './service.js';
export { INTERNET, PAUSE_TAGS, type InternetDefault } from './settings/internet-defaults.js';
