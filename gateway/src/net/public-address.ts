/**
 * Which IP addresses are on the public internet. Pure. All others (our own machine and network, those of a provider, cloud
 * metadata services) must not be reachable through the gateway.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 is public except for these. */
const KEPT_V4: ReadonlyArray<[string, number]> = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform services, at a public address
  ['169.254.0.0', 16], // link-local, with the metadata services of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** IPv6 is public in `2000::/3` only, except for these. */
const KEPT_V6: ReadonlyArray<[string, number]> = [
  ['2001::', 23], // protocol assignments, including Teredo, which embeds an IPv4 address
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 embeds an IPv4 address
  ['3fff::', 20], // documentation
];

const keptV4 = listOf(KEPT_V4, 'ipv4');
const keptV6 = listOf(KEPT_V6, 'ipv6');
const globalV6 = listOf([['2000::', 3]], 'ipv6');
/** The IPv4 address is the last four bytes of these. */
const mappedV6 = listOf([['::ffff:0:0', 96]], 'ipv6');
const translatedV6 = listOf([['64:ff9b::', 96]], 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !keptV4.check(address, 'ipv4');
  // A zone refers to a network interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  if (mappedV6.check(address, 'ipv6') || translatedV6.check(address, 'ipv6')) {
    return isPublicAddress(lastFourBytes(address));
  }
  return globalV6.check(address, 'ipv6') && !keptV6.check(address, 'ipv6');
}

function listOf(ranges: ReadonlyArray<[string, number]>, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
}

function lastFourBytes(address: string): string {
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  // As the URL standard writes it, without dots: the last two groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
