export { TestSshd, TestUser } from './sshd.js';
