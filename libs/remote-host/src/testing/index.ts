export { TestSshd } from './sshd.js';
