import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import type { Core } from '../../operations/perform/core.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'
import { type Entry, entryOf, sealed } from './journal-entry.ts'

// The journal of a run: everything that its agent has been sent, in order. It is only appended to.

type Run = Pick<AgentRun, 'agentId' | 'run'>
type Place = Pick<Core, 'root' | 'launchToken'>

/** The ids of the entries that open a conversation, and that have the prompt. */
export const OPEN = 'open'
export const PROMPT = 'prompt'

/** The key of a run's journal: the same in every process, and different from the agent's token. */
export const journalKey = ({ launchToken }: Pick<Core, 'launchToken'>, { agentId, run }: Run): string =>
  createHash('sha256')
    .update(launchToken(`journal of ${agentId}`, run))
    .digest('hex')

export const journalPath = (root: string, { agentId, run }: Run): string => runPath(root, agentId, run, 'in.jsonl')

/** The id by which an agent names a line that it was sent: a UUID, the same in every process. */
export const uuidOf = (core: Place, run: Run, id: string): string =>
  createHash('sha256')
    .update(`${journalKey(core, run)} ${id}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

/** The first lines of a journal, as text. */
export const journalOf = (core: Place, run: Run, entries: readonly Entry[]): string =>
  entries.map((entry) => sealed(journalKey(core, run), entry)).join('')

/** The ids of all entries in the journal, in order. */
export const journalIds = (core: Place, run: Run): readonly string[] => {
  const key = journalKey(core, run)
  return readFileSync(journalPath(core.root, run), 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => entryOf(key, line)?.id ?? [])
}

/**
 * Appends entries, and returns when they are on the disk. A line that an earlier writer left unfinished is ended first;
 * it has no valid seal, so it is never forwarded.
 */
export const appendEntries = (core: Place, run: Run, entries: readonly Entry[]): void => {
  const file = openSync(journalPath(core.root, run), 'a+', 0o600)
  try {
    writeSync(file, `${endsInLine(file) ? '\n' : ''}${journalOf(core, run, entries)}`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const endsInLine = (file: number): boolean => {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10
}
