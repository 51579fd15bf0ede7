import { existsSync, watch } from 'node:fs'
import { basename } from 'node:path'
import type { Conversations, Saying, Spot, TalkRun } from '../../contracts/conversation.ts'
import { logsFolder, outputPath } from '../files/paths.ts'
import { ownSecrets } from '../processes/environment.ts'
import type { World } from '../world.ts'
import { linesFrom, readPiece } from './read.ts'
import { sayingsOf } from './sayings.ts'

/** Milliseconds between two looks at an output on a file system that does not report changes. */
const POLL = 500

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
