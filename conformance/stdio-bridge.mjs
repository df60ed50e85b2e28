// The suite speaks HTTP only. This bridge gives each of its sessions a server that speaks lines: a process over
// its standard streams, or a connection to a port. It keeps no rules of its own; what it passes on is ours.
//
// node stdio-bridge.mjs PORT, or node stdio-bridge.mjs COMMAND ARGUMENT…; prints its own address.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import readline from 'node:readline';

const [first, ...rest] = process.argv.slice(2);
const sessions = new Map();

function connect() {
  if (/^\d+$/.test(first)) {
    const socket = net.connect(Number(first), '127.0.0.1');
    return { input: socket, output: socket, end: () => socket.end() };
  }
  const child = spawn(first, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  return { input: child.stdin, output: child.stdout, end: () => child.stdin.end() };
}

class Session {
  constructor() {
    this.line = connect();
    this.answers = new Map();
    this.steps = new Map();
    this.listener = null;
    readline.createInterface({ input: this.line.output }).on('line', (text) => this.hear(text));
  }

  send(message) {
    this.line.input.write(`${JSON.stringify(message)}\n`);
  }

  hear(text) {
    const message = JSON.parse(text);
    const event = `data: ${text}\n\n`;
    if (message.method === undefined) {
      this.answers.get(message.id)?.end(event);
      this.answers.delete(message.id);
    } else {
      const step = this.steps.get(message.params?.progressToken);
      const stream = step ?? this.listener ?? [...this.answers.values()].at(-1);
      stream?.write(event);
    }
  }
}

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

const server = http.createServer(async (request, response) => {
  let id = request.headers['mcp-session-id'];
  const message = request.method === 'POST' ? await body(request) : null;
  if (message?.method === 'initialize') {
    id = randomUUID();
    sessions.set(id, new Session());
  }
  const session = sessions.get(id);
  if (!session) return response.writeHead(404).end();
  if (request.method === 'DELETE') {
    session.line.end();
    sessions.delete(id);
    return response.writeHead(204).end();
  }
  if (message && (message.id === undefined || message.method === undefined)) {
    session.send(message);
    return response.writeHead(202).end();
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': id });
  response.flushHeaders();
  if (!message) {
    session.listener = response;
    response.on('close', () => { if (session.listener === response) session.listener = null; });
    return undefined;
  }
  session.answers.set(message.id, response);
  const token = message.params?._meta?.progressToken;
  if (token !== undefined) session.steps.set(token, response);
  session.send(message);
  return undefined;
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
