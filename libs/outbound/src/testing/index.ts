export { testServer, type SeenRequest, type TestServer } from './test-server.js';
export { tokenEndpoint, type TokenEndpoint } from './token-endpoint.js';
