/** The lab as tests have it: beside a deployment of their own. */
export { labEnvironment } from './lab/bring-lab.js';
export { startLab, type LabKubernetes, type LabOptions, type RunningLab } from './lab/lab.js';
export { instancesOn, LabMoved, registerLab } from './lab/register-lab.js';
/** What stands in for an OpenStack in `bench engine`, for speed alone. */
export { CheapServer } from './bench/cheap-vim/cheap-server.js';
