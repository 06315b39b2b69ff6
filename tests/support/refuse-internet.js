// Loaded before a program. Refuses all connections to other machines, and lookups of their names, and appends each attempt to the
// file in REFUSED.
const { appendFileSync } = require('node:fs');
const dgram = require('node:dgram');
const dns = require('node:dns');
const net = require('node:net');

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

function refuse(what) {
  appendFileSync(process.env.REFUSED, `${what}\n`);
  return Object.assign(new Error(`${what} was refused.`), { code: 'ECONNREFUSED' });
}

/** Undefined for a Unix domain socket. */
function hostOf(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object') return first.path ? undefined : (first.host ?? 'localhost');
  if (!Number.isInteger(Number(first))) return undefined;
  return typeof second === 'string' ? second : 'localhost';
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectOnThisMachine(...args) {
  const host = hostOf(args);
  if (host === undefined || LOCAL.test(host)) return connect.apply(this, args);
  const error = refuse(`connection to ${host}`);
  // The owner of the socket may not be listening for errors yet.
  setImmediate(() => this.destroy(error));
  return this;
};

dgram.Socket.prototype.send = () => {
  throw refuse('datagram');
};

/** The last argument is the callback, unless the function returns a promise. */
function wrap(owner, name) {
  const original = owner[name];
  owner[name] = function lookUpOnThisMachine(host, ...more) {
    if (LOCAL.test(host) || net.isIP(host) !== 0) return original.call(this, host, ...more);
    const error = refuse(`${name} of ${host}`);
    const callback = more.at(-1);
    if (typeof callback !== 'function') return Promise.reject(error);
    process.nextTick(callback, error);
  };
}

for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.getOwnPropertyNames(owner))
    if (/^(lookup|resolve|reverse)/.test(name)) wrap(owner, name);
