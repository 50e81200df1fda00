import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { isInCidrs, parseCidr } from '#config.ts';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';

/** The rules for outbound requests; loaded again for each request and redirect. */
export interface OutboundRules {
  /** `allow_local_requests_from_web_hooks_and_services` */
  readonly allowLocalRequests: boolean;
  /** `outbound_local_requests_whitelist`: hosts, addresses, CIDRs, each optionally with `:port`. */
  readonly allowList: readonly string[];
  /** `max_http_response_size_limit` in bytes; null: no limit. */
  readonly maxResponseBytes: number | null;
  /** This instance's own base URL: always allowed. */
  readonly serverUrl: URL | null;
}

/** Error for a URL whose scheme is neither http nor https. */
export const SCHEME_ERROR = 'Only allowed schemes are http, https';

/** A URL that may be requested, only by connecting to one of these addresses. */
export interface CheckedUrl {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Resolves a URL's host and checks each of its addresses. Throws OutboundFailure `blocked` with the reasons of
 * contract/operations.md section 1.4, or `unresolved`.
 */
export async function checkUrl(
  rawUrl: string | URL,
  rules: OutboundRules,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<CheckedUrl> {
  const url = URL.parse(String(rawUrl));
  if (!url) throw new OutboundFailure('blocked', 'Host cannot be resolved or invalid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutboundFailure('blocked', SCHEME_ERROR);
  const host = getHost(url);
  const addresses = await resolve(host, resolver, signal);
  if (!rules.allowLocalRequests && rules.serverUrl?.origin !== url.origin) {
    for (const { address } of addresses) {
      const reason = getBlockReason(address);
      if (reason && !isInAllowList(rules.allowList, host, getPort(url), address))
        throw new OutboundFailure('blocked', reason);
    }
  }
  return { url, addresses };
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export function getHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns the port of a URL, or the default port of its scheme. */
export function getPort(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

async function resolve(host: string, resolver: Resolver, signal?: AbortSignal): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolver(host, signal).catch(() => []);
  if (addresses.length === 0) throw new OutboundFailure('unresolved', 'Host cannot be resolved or invalid');
  return addresses;
}

const reasons = {
  localhost: 'Requests to localhost are not allowed',
  local: 'Requests to the local network are not allowed',
  linkLocal: 'Requests to the link local network are not allowed',
  shared: 'Requests to the shared address space are not allowed',
  reserved: 'Requests to reserved addresses are not allowed',
} as const;

// Range names of ipaddr.js; all ranges not listed here, except `unicast`, are reserved.
const rangeReasons: Readonly<Record<string, string | undefined>> = {
  loopback: reasons.localhost,
  unspecified: reasons.localhost,
  private: reasons.local,
  uniqueLocal: reasons.local,
  deprecatedSiteLocal: reasons.local,
  linkLocal: reasons.linkLocal,
  carrierGradeNat: reasons.shared,
};

/**
 * Returns why requests to this address are not allowed (contract/operations.md section 1.4), or null for a public address.
 * IPv6 addresses that contain an IPv4 address (mapped, compatible, NAT64, 6to4) are treated as that.
 */
export function getBlockReason(text: string): string | null {
  if (!ipaddr.isValid(text)) return reasons.reserved;
  const address = unwrapIpv4(ipaddr.parse(text));
  const range = address.range();
  if (range !== 'unicast') return rangeReasons[range] ?? reasons.reserved;
  // Only 2000::/3 is assigned; the rest of IPv6 is reserved.
  if (address.kind() === 'ipv6' && address.toByteArray()[0]! >> 5 !== 1) return reasons.reserved;
  return isLocalInterface(address) ? reasons.localhost : null;
}

/**
 * Returns whether the allow list (hosts, addresses, CIDRs, each optionally with `:port`) contains this host or its address.
 */
export function isInAllowList(list: readonly string[], host: string, port: number, address: string): boolean {
  return list.some((entry) => {
    const [name, entryPort] = splitPort(entry.trim());
    if (entryPort !== null && entryPort !== port) return false;
    const range = parseCidr(name);
    return range ? isInCidrs([range], address) : name !== '' && name.toLowerCase() === host.toLowerCase();
  });
}

/** Returns the IPv4 address inside an IPv6 address if there is one, else the address itself. */
function unwrapIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const leadingZeroBytes = bytes.findIndex((byte) => byte !== 0);
  // ::ffff:a.b.c.d, ::ffff:0:a.b.c.d, 64:ff9b::a.b.c.d
  if (['ipv4Mapped', 'rfc6145', 'rfc6052'].includes(address.range())) return new ipaddr.IPv4(bytes.slice(12));
  // 2002:aabb:ccdd::
  if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  // ::a.b.c.d, but not :: and ::1
  if (leadingZeroBytes === 12 || leadingZeroBytes === 13) return new ipaddr.IPv4(bytes.slice(12));
  return address;
}

/** Returns whether the address belongs to this machine, even if it is public. Not cached: interfaces change. */
function isLocalInterface(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const text = address.toString();
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some(({ address }) => ipaddr.isValid(address) && ipaddr.parse(address).toString() === text),
  );
}

/** Splits off the port: `host:80`, `[::1]:80` and `10.0.0.0/8:80` have one; `::1` and `fc00::/7` have none. */
function splitPort(entry: string): [name: string, port: number | null] {
  const bracketedMatch = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  if (bracketedMatch) return [bracketedMatch[1]!, bracketedMatch[2] === undefined ? null : Number(bracketedMatch[2])];
  const hostPortMatch = /^([^:]*):(\d{1,5})$/.exec(entry);
  return hostPortMatch ? [hostPortMatch[1]!, Number(hostPortMatch[2])] : [entry, null];
}

/** Reasons of a failed outbound request. */
export type OutboundFailureKind =
  /** The URL or one of its addresses is not allowed; `message` is the reason. */
  | 'blocked'
  /** The host has no address. */
  | 'unresolved'
  /** The connection failed or broke. */
  | 'unreachable'
  /** The connection or the response took too long. */
  | 'timeout'
  /** The response is longer than allowed. */
  | 'tooLarge'
  | 'tooManyRedirects'
  /** The response is not HTTP, or redirects to an invalid URL. */
  | 'badAnswer'
  /** The caller's signal aborted. */
  | 'aborted';

/** The failure of an outbound request or of its response body. The message contains no secret. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: OutboundFailureKind;

  constructor(kind: OutboundFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** True if a retry of the same request may succeed. */
  get isTemporary(): boolean {
    return this.kind === 'unresolved' || this.kind === 'unreachable' || this.kind === 'timeout';
  }
}

/**
 * Returns all addresses of a host name; rejects or returns an empty list if there are none. `signal` aborts when the caller no
 * longer waits.
 */
export type Resolver = (host: string, signal?: AbortSignal) => Promise<readonly LookupAddress[]>;

/** A lookup that is queued or running. */
interface PendingLookup {
  /** Number of callers that wait for it. */
  users: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

/**
 * Creates a resolver that looks up one host at a time. Concurrent callers share a lookup; abandoned lookups are skipped. The
 * runtime runs only two lookups concurrently and cannot cancel them: two names whose servers never answer would block the database
 * and mail connections.
 */
export function createResolver(lookUp: (host: string) => Promise<readonly LookupAddress[]>): Resolver {
  const lookupLimiter = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfterSeconds: 1 });
  const lookupsByHost = new Map<string, PendingLookup>();
  const startLookup = (host: string): PendingLookup => {
    const work = async () => {
      if (pendingLookup.users === 0) throw new Error('The lookup was abandoned: no caller waits for it');
      return lookUp(host);
    };
    const addresses = lookupLimiter.run(work, { exemptFromLimit: true }).finally(() => lookupsByHost.delete(host));
    const pendingLookup: PendingLookup = { users: 0, addresses };
    lookupsByHost.set(host, pendingLookup);
    return pendingLookup;
  };
  return async (host, signal) => {
    const pendingLookup = lookupsByHost.get(host) ?? startLookup(host);
    pendingLookup.users++;
    const release = () => {
      pendingLookup.users--;
    };
    signal?.addEventListener('abort', release, { once: true });
    try {
      return await pendingLookup.addresses;
    } finally {
      signal?.removeEventListener('abort', release);
    }
  };
}

export const systemResolver = createResolver((host) => lookup(host, { all: true }));
