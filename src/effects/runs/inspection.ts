import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { isSecretName, maskArguments } from '../../domain/words/secrets.ts'
import type { AgentInspection, ProcessNode } from '../../contracts/observations.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { RELAY } from '../talk/journal-entry.ts'
import { livenessOf } from '../processes/identity.ts'
import { familyOf, type ProcessEntry, readProcessTable } from '../processes/table.ts'

/** The most processes of one agent that are listed. */
const MOST = 200

/** The most characters of a command line and of the names in an environment: both may have megabytes. */
const LONGEST = 40_000
const NAMES = 1000

const nothing: AgentInspection = { command: null, folder: null, environment: null, processes: null }

/** The arguments of an agent's process and the processes that it started. Of an ended process nothing is known. */
export const inspectAgent = (
  run: Pick<AgentRun, 'identity' | 'process'> | undefined,
  tokens: readonly string[],
): AgentInspection => {
  if (!run?.identity || run.process !== 'started' || livenessOf(run.identity) !== 'alive') return nothing
  const nodes = treeOf(run.identity.pid, readProcessTable()).slice(0, MOST)
  // The shim that records the end is the first of the family; the agent itself is the first below it.
  const own = agentAmong(nodes) ?? run.identity.pid
  const environment = environmentOf(own)
  const secrets = [
    ...tokens,
    ...Object.entries(environment ?? {}).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
  ]
  const commands = commandsOf(nodes.map(({ entry }) => entry.pid))
  const masked = (pid: number): readonly string[] | null => {
    const words = commands.get(pid)
    return words === undefined ? null : maskArguments(beginningOf(words), secrets)
  }
  return {
    command: masked(own),
    folder: folderOf(own),
    environment: environment === null ? null : Object.keys(environment).sort().slice(0, NAMES),
    processes: nodes.map(({ entry, level }): ProcessNode => ({
      pid: entry.pid,
      level,
      command: masked(entry.pid)?.join(' ') ?? null,
      seconds: entry.seconds,
      memory: entry.memory,
    })),
  }
}

/** A relay between them only forwards the agent's input. */
const agentAmong = (nodes: ReturnType<typeof treeOf>): number | undefined => {
  const [first, second] = [1, 2].map((at) => nodes.find(({ level }) => level === at)?.entry.pid)
  return first !== undefined && commandsOf([first]).get(first)?.includes(RELAY) === true ? (second ?? first) : first
}

/** Cuts at a whole word: half a word could be half a secret, which masking would not recognise. */
const beginningOf = (words: readonly string[]): readonly string[] => {
  let length = 0
  const kept = words.filter((word) => (length += word.length) <= LONGEST)
  return kept.length < words.length ? [...kept, '…'] : words
}

/** The family of a process, each below its parent; processes that have lost their parent are below the first. */
export const treeOf = (
  pid: number,
  table: readonly ProcessEntry[],
): readonly { readonly entry: ProcessEntry; readonly level: number }[] => {
  const family = familyOf(pid, table).filter(({ zombie }) => !zombie)
  const members = new Set(family.map((entry) => entry.pid))
  const below = (parent: number, level: number): { entry: ProcessEntry; level: number }[] =>
    family
      .filter(
        (entry) => entry.pid !== pid && (entry.parent === parent || (parent === pid && !members.has(entry.parent))),
      )
      .flatMap((entry) => [{ entry, level }, ...below(entry.pid, level + 1)])
  const first = family.find((entry) => entry.pid === pid)
  return first ? [{ entry: first, level: 0 }, ...below(pid, 1)] : below(pid, 1)
}

const environmentOf = (pid: number): Readonly<Record<string, string>> | null => {
  if (process.platform !== 'linux') return null
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((pair) => pair.includes('='))
    return Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    )
  } catch {
    return null
  }
}

const folderOf = (pid: number): string | null => {
  try {
    return process.platform === 'linux' ? readlinkSync(`/proc/${pid}/cwd`) : null
  } catch {
    return null
  }
}

const commandsOf = (pids: readonly number[]): ReadonlyMap<number, readonly string[]> =>
  process.platform === 'linux' ? fromProc(pids) : fromPs(pids)

const fromProc = (pids: readonly number[]): ReadonlyMap<number, readonly string[]> =>
  new Map(
    pids.flatMap((pid): [number, readonly string[]][] => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').split('\0')
        return words.join('') === '' ? [] : [[pid, words]]
      } catch {
        return []
      }
    }),
  )

const fromPs = (pids: readonly number[]): ReadonlyMap<number, readonly string[]> => {
  if (pids.length === 0) return new Map()
  try {
    const lines = execFileSync('ps', ['-ww', '-o', 'pid=,command=', '-p', pids.join(',')], { encoding: 'utf8' }).split(
      '\n',
    )
    return new Map(
      lines.flatMap((line): [number, readonly string[]][] => {
        const match = /^\s*(\d+)\s+(.+)$/.exec(line)
        return match ? [[Number(match[1]), match[2]!.split(' ')]] : []
      }),
    )
  } catch {
    return new Map()
  }
}
