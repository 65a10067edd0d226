/**
 * A script that asks the containerd of a VM for an image as a kubelet does: by the CRI, with the login of /var/lib/kubelet/config.json. The script runs in the
 * VM, which has no kubelet, and prints the CRI's error; nothing when the image is there.
 */
export const PULL_IMAGE = String.raw`
const fs = require('node:fs'); const http2 = require('node:http2'); const net = require('node:net');
const image = process.argv[1];
const file = '/var/lib/kubelet/config.json';
const { auths = {} } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
const auth = auths[image.split('/')[0]]?.auth;
const [, user, password] = auth === undefined ? [] : /^([^:]*):(.*)$/.exec(Buffer.from(auth, 'base64').toString());
// Protocol buffers: a field that is bytes has the tag (number << 3 | 2), then the length.
const field = (number, bytes) => {
  const lengths = []; let rest = bytes.length;
  do { lengths.push((rest & 127) | (rest > 127 ? 128 : 0)); rest >>= 7; } while (rest > 0);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...lengths]), bytes]);
};
const text = (number, value) => field(number, Buffer.from(value));
const message = Buffer.concat([
  field(1, text(1, image)),
  ...(auth === undefined ? [] : [field(2, Buffer.concat([text(1, user), text(2, password)]))]),
]);
const frame = Buffer.concat([Buffer.alloc(5), message]);
frame.writeUInt32BE(message.length, 1);
const session = http2.connect('http://localhost', { createConnection: () => net.connect('/run/containerd/containerd.sock') });
session.on('error', (error) => { console.log(String(error)); process.exitCode = 2; });
const call = session.request({
  ':method': 'POST', ':path': '/runtime.v1.ImageService/PullImage', 'content-type': 'application/grpc', te: 'trailers',
});
const told = (headers) => {
  if (headers['grpc-status'] === undefined || headers['grpc-status'] === '0') return;
  console.log(decodeURIComponent(headers['grpc-message'])); process.exitCode = 1;
};
call.on('response', told); call.on('trailers', told);
call.on('close', () => session.close());
call.resume(); call.end(frame);
`;
