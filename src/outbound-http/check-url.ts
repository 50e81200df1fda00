import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { getBlockReason, isInAllowList } from './addresses.ts';
import { OutboundFailure } from './failure.ts';
import type { Resolver } from './resolver.ts';

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
  if (!isHttp(url)) throw new OutboundFailure('blocked', SCHEME_ERROR);
  const host = getHost(url);
  const addresses = await resolve(host, resolver, signal);
  if (!rules.allowLocalRequests && rules.serverUrl?.origin !== url.origin) {
    for (const { address } of addresses) {
      const reason = getBlockReason(address);
      if (reason && !isInAllowList(rules.allowList, host, getPort(url), address)) {
        throw new OutboundFailure('blocked', reason);
      }
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

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

async function resolve(host: string, resolver: Resolver, signal?: AbortSignal): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolver(host, signal).catch(() => []);
  if (addresses.length === 0) throw new OutboundFailure('unresolved', 'Host cannot be resolved or invalid');
  return addresses;
}
