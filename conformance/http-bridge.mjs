// The suite can't send a token, and knows our server by the address of this bridge only. So the bridge adds the
// token, and writes the server's host where the suite names the bridge, and a listed origin for the bridge's.
// Everything else, foreign hosts and origins included, goes through as it came.
//
// node http-bridge.mjs URL TOKEN_FILE ORIGIN; prints its own address.
import { readFileSync } from 'node:fs';
import http from 'node:http';

const [address, tokenFile, origin] = process.argv.slice(2);
const target = new URL(address);
const token = readFileSync(tokenFile, 'utf8').trim();

const server = http.createServer((request, response) => {
  const own = `127.0.0.1:${server.address().port}`;
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  if (headers.host === own) headers.host = target.host;
  if (headers.origin === `http://${own}`) headers.origin = origin;
  const { hostname, port } = target;
  const passed = http.request({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    response.on('close', () => answer.destroy());
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${target.pathname}`));
