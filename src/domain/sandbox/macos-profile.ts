import { isWithin } from '../worktree/worktree.ts'
import type { Mount } from './policy.ts'

// The policy as a profile of macOS' sandbox-exec. What that decides between two rules that both hold is not documented,
// so the rules for files exclude each other: each names its folder without those that a later row of the table treats.

export interface Profiled {
  readonly network: 'open' | 'proxied' | 'none'
  /** Folders in which the program finds sockets of aiswarm. */
  readonly sockets: readonly string[]
  /** Files that git replaces when it commits on the own branch: the ref and its log. */
  readonly refs: readonly string[]
  /** The folder that stands for the temporary ones, which are shared here. */
  readonly temporary: string
}

/** The text of a profile. A private folder is a hidden one here, since no folder can be put over another. */
export const profileOf = (given: readonly Mount[], { network, sockets, refs, temporary }: Profiled): string => {
  const mounts: readonly Mount[] = [...given, { path: temporary, access: 'writable' }]
  const regions = mounts.map((mount, at) => ({ ...mount, region: regionOf(mounts, at) }))
  const of = (...accesses: readonly Mount['access'][]): readonly string[] =>
    regions.flatMap(({ access, region }) => (region !== undefined && accesses.includes(access) ? [region] : []))
  const hidden = of('hidden', 'private')
  return [
    '(version 1)',
    '(allow default)',
    ...rule('deny file-write*', ['']),
    ...rule('allow file-write*', [
      ...of('writable'),
      ...refs.flatMap((path) => [literal(path), literal(`${path}.lock`)]),
      ...['/dev/null', '/dev/zero', '/dev/tty'].map(literal),
      '(subpath "/dev/fd")',
    ]),
    // A name can be looked up, because a path to a readable folder leads through it.
    ...rule('deny file-read-data file-read-xattr', hidden),
    ...rule('deny network-outbound', hidden.map(exceptNames)),
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny appleevent-send)',
    '(deny job-creation)',
    ...(network === 'open' ? [] : ['(deny network*)', ...rule('allow network-outbound', sockets.map(subpath))]),
    ...(network === 'proxied'
      ? [
          '(allow network-bind (local ip "localhost:*"))',
          '(allow network-inbound (local ip "localhost:*"))',
          '(allow network-outbound (remote ip "localhost:*"))',
        ]
      : []),
    '',
  ].join('\n')
}

/** A folder without those that later rows treat; undefined if a later row treats all of it. */
const regionOf = (mounts: readonly Mount[], at: number): string | undefined => {
  const { path } = mounts[at]!
  const later = mounts.slice(at + 1)
  if (later.some((other) => isWithin(path, other.path))) return undefined
  const inner = later.filter((other) => isWithin(other.path, path)).map((other) => other.path)
  const outermost = [...new Set(inner)].filter((one) => !inner.some((other) => other !== one && isWithin(one, other)))
  return without(subpath(path), outermost.map(subpath))
}

const without = (filter: string, excluded: readonly string[]): string =>
  excluded.length === 0 ? filter : `(require-all ${filter} ${excluded.map((one) => `(require-not ${one})`).join(' ')})`

/** Names of hosts are resolved through a socket among those of the system. */
const exceptNames = (filter: string): string => without(filter, [literal('/private/var/run/mDNSResponder')])

const rule = (what: string, filters: readonly string[]): readonly string[] =>
  filters.map((filter) => (filter === '' ? `(${what})` : `(${what} ${filter})`))

const subpath = (path: string): string => `(subpath ${quoted(path)})`
const literal = (path: string): string => `(literal ${quoted(path)})`
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
