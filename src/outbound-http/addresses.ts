import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { isInCidrs, parseCidr } from '#config.ts';

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
    entries?.some((entry) => isSameAddress(entry.address, text)),
  );
}

/** Returns whether `address` is valid and equals `normalized` after normalization. */
function isSameAddress(address: string, normalized: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).toString() === normalized;
}

/** Splits off the port: `host:80`, `[::1]:80` and `10.0.0.0/8:80` have one; `::1` and `fc00::/7` have none. */
function splitPort(entry: string): [name: string, port: number | null] {
  const bracketedMatch = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  if (bracketedMatch) return [bracketedMatch[1]!, bracketedMatch[2] === undefined ? null : Number(bracketedMatch[2])];
  const hostPortMatch = /^([^:]*):(\d{1,5})$/.exec(entry);
  return hostPortMatch ? [hostPortMatch[1]!, Number(hostPortMatch[2])] : [entry, null];
}
