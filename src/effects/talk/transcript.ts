import { existsSync, watch } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Heard, sentIn } from '../../agents/kind/conversation.ts'
import { about } from '../../agents/kind/json-line.ts'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Detail, Reading } from '../../agents/reading/reading.ts'
import type {
  Conversations,
  Saying,
  Spot,
  TalkEvent,
  TalkMessage,
  TalkPiece,
  TalkRun,
} from '../../contracts/conversation.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { logsFolder, outputPath } from '../files/paths.ts'
import { ownSecrets } from '../processes/environment.ts'
import type { World } from '../world.ts'
import { uuidOf } from './journal.ts'
import { lastLineEnd, type LineAt, linesAfter, linesBefore, type LineWindow, withFile } from './line-window.ts'

// The conversation with an agent as a person reads it: pieces of its output as events, with secrets masked.

/** The conversations with this repository's agents, read from their output. */
export const conversationsOf = (world: World): Conversations => ({
  read: (runs, messages, from, direction) =>
    readPiece(world, runs, messages, from, direction, [...tokensOf(world, runs), ...ownSecrets()]),
  find: async (runs, from, direction, words, signal): Promise<Spot | undefined> => {
    const sought = words.toLowerCase()
    // Most lines are excluded before they are parsed: in JSON letters, digits and spaces are themselves.
    const part = sought.match(/[a-z0-9 ]+/g)?.reduce((a, b) => (b.length > a.length ? b : a)) ?? ''
    for await (const { run, lines } of linesFrom(world, runs, from, direction)) {
      if (signal.aborted) return undefined
      for (const { offset, text } of lines) {
        if (direction === 'after' && run === from.run && offset <= from.offset) continue
        if (text === undefined || !text.toLowerCase().includes(part)) continue
        const sayings = sayingsOf(text, world.kinds.get(runs[run]!.kind), () => undefined)
        if (sayings.some((saying) => wordsOf(saying).toLowerCase().includes(sought))) return { run, offset }
      }
    }
    return undefined
  },
  watch: (agentId, grown) => watchFile(world, agentId, grown),
})

/** The tokens of the runs, which an agent may have printed with its environment. */
const tokensOf = ({ core }: World, runs: readonly TalkRun[]): readonly string[] =>
  runs.slice(-20).map(({ agentId, run }) => core.launchToken(agentId, run))

/** Everything of it that a person may read, also what is folded. */
const wordsOf = (saying: Saying): string => {
  switch (saying.kind) {
    case 'text':
    case 'thought':
    case 'output':
    case 'result':
    case 'note':
    case 'ended':
      return saying.text
    case 'tool':
    case 'failed':
      return `${saying.name} ${saying.about}`
    case 'asks':
      return `${saying.tool} ${saying.about}`
    case 'input':
      return [saying.command ?? '', ...saying.edits.flatMap(({ path, before, after }) => [path, before, after])].join(
        '\n',
      )
    case 'plan':
      return saying.steps.map(({ text }) => text).join('\n')
    case 'run':
    case 'message':
    case 'gap':
      return ''
  }
}

/** Milliseconds between two looks at an output on a file system that does not report changes. */
const POLL = 500

/** The file may not exist yet, and some file systems report nothing. */
const watchFile = ({ core }: World, agentId: string, grown: () => void): (() => void) => {
  const path = outputPath(core.root, agentId)
  const folder = logsFolder(core.root)
  const timer = setInterval(grown, POLL)
  const seen = (): ReturnType<typeof watch> | undefined => {
    try {
      return existsSync(path)
        ? watch(path, grown)
        : watch(folder, (_, name) => void (name === basename(path) && grown()))
    } catch {
      return undefined
    }
  }
  const watcher = seen()
  watcher?.on('error', () => watcher.close())
  return () => {
    clearInterval(timer)
    watcher?.close()
  }
}

type Place = Pick<World, 'core' | 'kinds'>

/** The events around a spot. `secrets` are masked in every text. */
export const readPiece = async (
  world: Place,
  runs: readonly TalkRun[],
  messages: readonly TalkMessage[],
  from: Spot | 'begin' | 'end',
  direction: 'before' | 'after',
  secrets: readonly string[],
): Promise<TalkPiece> => {
  if (runs.length === 0) return nothing
  const spot = from === 'begin' ? { run: 0, offset: runs[0]!.from } : from === 'end' ? await endOf(world, runs) : from
  return direction === 'before'
    ? readBefore(world, runs, messages, spot, secrets)
    : readAfter(world, runs, messages, spot, secrets)
}

const start: Spot = { run: 0, offset: 0 }
const nothing: TalkPiece = { events: [], from: start, to: start, atBegin: true, atEnd: true }

const pathOf = ({ core }: Place, run: TalkRun): string => outputPath(core.root, run.agentId)

/** The offset at which the output of a run ends for now. */
const limitOf = ({ until }: TalkRun, size: number): number => Math.min(until ?? size, size)

const endOf = async (world: Place, runs: readonly TalkRun[]): Promise<Spot> => {
  const run = runs.at(-1)!
  const offset = await withFile(
    pathOf(world, run),
    async (file, size) =>
      isOver(run) ? limitOf(run, size) : lastLineEnd(file, Math.min(run.from, size), limitOf(run, size)),
    run.from,
  )
  return { run: runs.length - 1, offset: Math.max(run.from, offset) }
}

/** The last line of an ended run may lack its line break. */
const isOver = ({ until, endedAt }: TalkRun): boolean => until !== null || endedAt !== null

const readBefore = async (
  world: Place,
  runs: readonly TalkRun[],
  messages: readonly TalkMessage[],
  spot: Spot,
  secrets: readonly string[],
): Promise<TalkPiece> => {
  const run = runs[spot.run]!
  const window = await withFile(
    pathOf(world, run),
    async (file, size) => linesBefore(file, run.from, Math.max(run.from, Math.min(spot.offset, limitOf(run, size)))),
    emptyAt(run.from),
  )
  const begins = window.from <= run.from
  const events = eventsOf(world, runs, spot.run, messages, window.lines, secrets)
  const to = { run: spot.run, offset: window.to }
  if (!begins) return piece(runs, events, { run: spot.run, offset: window.from }, to, false)
  const head: TalkEvent = { run: spot.run, offset: run.from, part: -1, saying: { kind: 'run' } }
  if (spot.run === 0) return piece(runs, [head, ...events], { run: 0, offset: run.from }, to, true)
  const before = await endOf(world, runs.slice(0, spot.run))
  return piece(runs, [head, ...events], before, to, false)
}

const readAfter = async (
  world: Place,
  runs: readonly TalkRun[],
  messages: readonly TalkMessage[],
  spot: Spot,
  secrets: readonly string[],
): Promise<TalkPiece> => {
  const run = runs[spot.run]!
  const window = await withFile(
    pathOf(world, run),
    async (file, size) =>
      spot.offset > size
        ? emptyAt(await lastLineEnd(file, Math.min(run.from, size), size))
        : linesAfter(file, spot.offset, limitOf(run, size), isOver(run)),
    emptyAt(spot.offset),
  )
  const begins = spot.offset <= run.from
  const head: TalkEvent = { run: spot.run, offset: run.from, part: -1, saying: { kind: 'run' } }
  const events = [...(begins ? [head] : []), ...eventsOf(world, runs, spot.run, messages, window.lines, secrets)]
  const isDone = window.to >= window.size || (window.lines.length === 0 && isOver(run))
  const next = isDone && spot.run + 1 < runs.length
  const to = next ? { run: spot.run + 1, offset: runs[spot.run + 1]!.from } : { run: spot.run, offset: window.to }
  return {
    events,
    from: { run: spot.run, offset: window.from },
    to,
    atBegin: begins && spot.run === 0,
    atEnd: !next && (window.lines.length === 0 || window.to >= window.size),
  }
}

const emptyAt = (offset: number): LineWindow => ({ lines: [], from: offset, to: offset, size: offset })

const piece = (
  runs: readonly TalkRun[],
  events: readonly TalkEvent[],
  from: Spot,
  to: Spot,
  atBegin: boolean,
): TalkPiece => ({ events, from, to, atBegin, atEnd: to.run === runs.length - 1 })

const eventsOf = (
  { core, kinds }: Place,
  runs: readonly TalkRun[],
  index: number,
  messages: readonly TalkMessage[],
  lines: readonly LineAt[],
  secrets: readonly string[],
): readonly TalkEvent[] => {
  const run = runs[index]!
  const kind = kinds.get(run.kind)
  const ids = new Map(
    kind?.talk
      ? messages
          .filter(({ agentId }) => agentId === run.agentId)
          .map((message) => [uuidOf(core, run, `${message.kind}:${message.id}`), message.id] as const)
      : [],
  )
  const seen = new Set<number>()
  return lines.flatMap(({ offset, bytes, text }) => {
    const sayings: readonly Saying[] =
      text === undefined ? [{ kind: 'gap', bytes }] : sayingsOf(text, kind, (uuid) => ids.get(uuid))
    return (
      sayings
        // A message that is taken in is reported several times.
        .filter((saying) => saying.kind !== 'message' || (!seen.has(saying.id) && seen.add(saying.id)))
        .map((saying, part) => ({ run: index, offset, part, saying: masked(saying, secrets) }))
    )
  })
}

/** A saying without the secrets that an agent may have printed. */
const masked = (saying: Saying, secrets: readonly string[]): Saying => {
  const mask = (text: string): string => maskSecrets(text, secrets)
  switch (saying.kind) {
    case 'text':
    case 'thought':
    case 'output':
    case 'result':
    case 'note':
    case 'ended':
      return { ...saying, text: mask(saying.text) }
    case 'tool':
    case 'failed':
    case 'asks':
      return { ...saying, about: mask(saying.about) }
    case 'input':
      return {
        ...saying,
        command: saying.command === null ? null : mask(saying.command),
        edits: saying.edits.map(({ path, before, after }) => ({ path, before: mask(before), after: mask(after) })),
      }
    case 'plan':
      return { ...saying, steps: saying.steps.map((step) => ({ ...step, text: mask(step.text) })) }
    case 'run':
    case 'message':
    case 'gap':
      return saying
  }
}

/** Every line of the runs from a spot on, in one direction; for a search. */
async function* linesFrom(
  world: Place,
  runs: readonly TalkRun[],
  spot: Spot,
  direction: 'before' | 'after',
): AsyncGenerator<{ readonly run: number; readonly lines: readonly LineAt[] }> {
  const by = direction === 'before' ? -1 : 1
  for (let index = spot.run, offset: number | undefined = spot.offset; runs[index] !== undefined; index += by) {
    const run: TalkRun = runs[index]!
    const begin: number | undefined = offset
    offset = undefined
    for (let at = begin; ;) {
      const window: LineWindow = await withFile(
        pathOf(world, run),
        (file, size) => windowOf(file, run, size, at, direction),
        emptyAt(run.from),
      )
      if (window.lines.length === 0) break
      yield { run: index, lines: direction === 'before' ? window.lines.toReversed() : window.lines }
      at = direction === 'before' ? window.from : window.to
    }
  }
}

const windowOf = (
  file: FileHandle,
  run: TalkRun,
  size: number,
  at: number | undefined,
  direction: 'before' | 'after',
): Promise<LineWindow> => {
  const limit = Math.max(run.from, limitOf(run, size))
  return direction === 'before'
    ? linesBefore(file, run.from, Math.max(run.from, Math.min(at ?? limit, limit)))
    : linesAfter(file, at ?? run.from, limit, isOver(run))
}

/** The readers of a kind: every protocol is read by them, and none by its own format here. */
type Readers = Pick<AgentKind, 'read' | 'details' | 'talk'>

/** Reads everything that is said in a line of output; `messageOf` names the message with an id of the journal. Never throws. */
const sayingsOf = (
  line: string,
  kind: Readers | undefined,
  messageOf: (uuid: string) => number | undefined,
): readonly Saying[] => {
  if (line.trim() === '') return []
  if (kind?.read === undefined || (!line.startsWith('{') && !line.startsWith('[')))
    return [{ kind: 'output', text: line }]
  const details = kind.details?.(line) ?? []
  return [
    ...heardIn(line, kind).flatMap((heard) => heardFrom(heard, messageOf)),
    ...details.filter(({ kind }) => kind === 'thought'),
    ...kind.read(line).flatMap(saidIn),
    ...details.filter((detail): detail is Exclude<Detail, { kind: 'thought' }> => detail.kind !== 'thought'),
  ]
}

/** A line is read alone here, so a protocol with a driver shows a message where the driver handed it over. */
const heardIn = (line: string, { talk }: Readers): readonly Heard[] => {
  const sent = sentIn(line)
  if (sent !== undefined) return [{ kind: 'seen', id: sent }]
  const heard = talk?.listen()(line) ?? []
  return talk?.protocol === 'stream-json' ? heard : heard.filter(({ kind }) => kind === 'asks')
}

const heardFrom = (heard: Heard, messageOf: (uuid: string) => number | undefined): readonly Saying[] => {
  if (heard.kind === 'asks')
    return [
      { kind: 'asks', call: heard.call, tool: heard.tool, about: about(heard.input), input: sortedJson(heard.input) },
    ]
  if (heard.kind !== 'seen') return []
  const id = messageOf(heard.id)
  return id === undefined ? [] : [{ kind: 'message', id }]
}

const saidIn = (reading: Reading): readonly Saying[] => {
  switch (reading.kind) {
    case 'text':
      return [{ kind: 'text', text: reading.text, continues: reading.continues === true }]
    case 'tool':
      return [{ kind: 'tool', call: reading.call ?? '', name: reading.name, about: reading.about }]
    case 'tool_failed':
    case 'denied':
      return [
        {
          kind: 'failed',
          call: reading.call ?? '',
          name: reading.name,
          about: reading.about,
          denied: reading.kind === 'denied',
        },
      ]
    case 'no_server':
    case 'limited':
    case 'unauthorized':
    case 'no_session':
      return [{ kind: 'note', level: 'warn', text: reading.sentence }]
    case 'ended':
      return [{ kind: 'ended', ok: reading.ok, text: reading.ok ? '' : reading.sentence }]
    case 'note':
      return [{ kind: 'note', level: reading.level, text: reading.text }]
    case 'session':
    case 'model':
    case 'usage':
    case 'context':
      return []
  }
}

/** The same JSON whatever the order of its keys, which a database may change. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
