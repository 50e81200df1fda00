import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { inCidrs, parseCidr } from '#config.ts';

const reasons = {
  localhost: 'Requests to localhost are not allowed',
  local: 'Requests to the local network are not allowed',
  linkLocal: 'Requests to the link local network are not allowed',
  shared: 'Requests to the shared address space are not allowed',
  reserved: 'Requests to reserved addresses are not allowed',
} as const;

// ipaddr.js's names of ranges; every range without a line here, but `unicast`, is reserved.
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
 * Why requests to this address are not allowed (contract/operations.md section 1.4), or null when it is a public one.
 * IPv6 addresses that stand for an IPv4 address (mapped, compatible, NAT64, 6to4) count as that.
 */
export function addressBlockedBecause(text: string): string | null {
  if (!ipaddr.isValid(text)) return reasons.reserved;
  const address = meant(ipaddr.parse(text));
  const range = address.range();
  if (range !== 'unicast') return rangeReasons[range] ?? reasons.reserved;
  // 2000::/3 is all that is given out; the rest of IPv6 is kept for later.
  if (address.kind() === 'ipv6' && address.toByteArray()[0]! >> 5 !== 1) return reasons.reserved;
  return isOwn(address) ? reasons.localhost : null;
}

/**
 * Does the allow list (hosts, addresses, CIDRs, each optionally with `:port`) name this host, or one of its addresses?
 */
export function isAllowed(list: readonly string[], host: string, port: number, address: string): boolean {
  return list.some((entry) => {
    const [name, entryPort] = splitPort(entry.trim());
    if (entryPort !== null && entryPort !== port) return false;
    const range = parseCidr(name);
    return range ? inCidrs([range], address) : name !== '' && name.toLowerCase() === host.toLowerCase();
  });
}

/** The IPv4 address inside of an IPv6 one, where there is one. */
function meant(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const leadingZeros = bytes.findIndex((byte) => byte !== 0);
  // ::ffff:a.b.c.d, ::ffff:0:a.b.c.d, 64:ff9b::a.b.c.d
  if (['ipv4Mapped', 'rfc6145', 'rfc6052'].includes(address.range())) return new ipaddr.IPv4(bytes.slice(12));
  // 2002:aabb:ccdd::
  if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  // ::a.b.c.d, but not :: and ::1
  if (leadingZeros === 12 || leadingZeros === 13) return new ipaddr.IPv4(bytes.slice(12));
  return address;
}

/** An address of this machine leads back to it, public or not. Asked anew each time: interfaces come and go. */
function isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const text = address.toString();
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => sameAddress(entry.address, text)),
  );
}

function sameAddress(one: string, other: string): boolean {
  return ipaddr.isValid(one) && ipaddr.parse(one).toString() === other;
}

/** `host:80`, `[::1]:80`, `10.0.0.0/8:80` have a port; `::1` and `fc00::/7` are colons all the way. */
function splitPort(entry: string): [name: string, port: number | null] {
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  if (bracketed) return [bracketed[1]!, bracketed[2] === undefined ? null : Number(bracketed[2])];
  const single = /^([^:]*):(\d{1,5})$/.exec(entry);
  return single ? [single[1]!, Number(single[2])] : [entry, null];
}
