import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { readableLine } from '../../agents/reading/reading.ts'
import type { AgentInspection, OutputPiece, ProcessNode, ProcessObservation } from '../../contracts/observations.ts'
import { isSecretName, maskArguments, maskSecrets } from '../../domain/words/secrets.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { countsHere, livenessOf } from '../processes/identity.ts'
import { type From, readLines, readOutput } from '../processes/output.ts'
import { familyOf, type ProcessEntry, readProcessTable } from '../processes/table.ts'
import { RELAY } from '../talk/journal-entry.ts'

// A running agent as a person sees it: its command, its processes and what they use, its output.

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

/** Observes processes: CPU use since the previous call and memory now, each with all descendants. */
export const processObserver = () => {
  let before = new Map<string, number>()
  let at = 0
  return (runs: readonly AgentRun[]): readonly ProcessObservation[] => {
    if (runs.length === 0) return []
    const table = readProcessTable()
    const now = performance.now()
    const seconds = new Map<string, number>()
    const observations = runs.flatMap((run): ProcessObservation[] => {
      if (run.process !== 'started' || run.identity === null || !countsHere(run.identity.bootId)) return []
      const family = familyOf(run.identity.pid, table)
      const used = family.reduce((sum, entry) => sum + entry.seconds, 0)
      seconds.set(run.agentId, used)
      const since = before.get(run.agentId)
      const cpu = since === undefined || now <= at ? 0 : (Math.max(0, used - since) / ((now - at) / 1000)) * 100
      return [
        {
          agentId: run.agentId,
          cpu,
          memory: family.reduce((sum, entry) => sum + entry.memory, 0),
          processes: family.length,
        },
      ]
    })
    before = seconds
    at = now
    return observations
  }
}

/**
 * A piece of an agent's output for people: the messages of a CLI with structured output, one per line; of others the
 * text. An incomplete last line is left for the next piece.
 */
export const readReadableOutput = async (
  path: string,
  from: From,
  kind: AgentKind | undefined,
  secrets: readonly string[] = [],
): Promise<OutputPiece> => {
  if (!kind?.read) {
    const { text, next, size } = await readOutput(path, from)
    return { text: maskSecrets(text, secrets), next, size }
  }
  const { lines, next, size } = await readLines(path, from)
  const said = lines.filter(Boolean).flatMap((line) => wordsOf(line, kind.read!))
  return { text: said.map((line) => `${maskSecrets(line, secrets)}\n`).join(''), next, size }
}

/** The text of a line; a line that is not a message of the CLI is shown as it is: warnings of node, a crash. */
const wordsOf = (line: string, read: NonNullable<AgentKind['read']>): readonly string[] =>
  line.startsWith('{') || line.startsWith('[') ? read(line).flatMap((reading) => readableLine(reading) ?? []) : [line]
