import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ensureMemoryFolder, removeLostDrafts } from '../../memory/file-system.ts'
import { hashOfFile, hashOfText, writeLargeFile } from '../../memory/large-files.ts'
import { documentOf } from '../../memory/session-files/sections.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readSessionBoard } from '../../operations/sessions/session-board.ts'
import { getSession } from '../../operations/sessions/sessions.ts'
import { recordFileProblem } from '../../operations/tasks/file-reports.ts'
import { runFolder } from '../files/paths.ts'
import { askGit, git } from '../git/git.ts'
import type { World } from '../world.ts'
import { boardPages, sessionFileOf } from './board.ts'

// Seed 000: the orchestrator's two files are generated from the rows, whole, whenever the rows change.

/**
 * The content that this process wrote last, by file name: any other content was written by another program. `stamp` is
 * the file's state in the file system before the content was last verified.
 */
export type Written = Map<string, { readonly hash: string; readonly stamp?: string }>

/** True if both files are untouched since their content was found to match the rows. */
export const standAsWritten = ({ core, memory }: World, written: Written): boolean =>
  written.size > 0 &&
  [...written].every(
    ([name, { stamp }]) => stamp !== undefined && stamp === stampOf(join(core.root, memory.basePath, name)),
  )

/**
 * Writes the session's and the board's file if they differ from the rows, and returns the number of tasks on the board.
 * A change by another program is reported and overwritten.
 */
export const project = async (world: World, written: Written): Promise<number> => {
  for (;;) {
    const tasks = await projectOnce(world, written)
    // Of two processes that write at once the one that read first may be last; a second round keeps it from leaving
    // files without the session's end.
    if (tasks !== undefined) return tasks
  }
}

/** Undefined if the session has begun or ended since its rows were read. */
const projectOnce = async (world: World, written: Written): Promise<number | undefined> => {
  const { core, memory, actor } = world
  const board = await perform(core, readSessionBoard, {}, actor)
  if (board.session === null) return 0
  const { id, status } = board.session
  const isCurrent = async (): Promise<boolean> => {
    const now = await perform(core, getSession, {}, actor)
    return now.id === id && now.status === status
  }
  const [{ renderSession }, { boardHead, renderTasks }] = await Promise.all([
    import('../../memory/session-files/session-file.ts'),
    import('../../memory/session-files/board-file.ts'),
  ])
  await hideFromGit(world)
  const folder = ensureMemoryFolder(core.root, memory.basePath)
  if (written.size === 0) removeLostDrafts(folder, Date.now() - LOST)
  const parts = [boardHead(board.session.id)]
  let count = 0
  for await (const tasks of boardPages(world, board.session, board.priorities)) {
    parts.push(renderTasks(tasks))
    count += tasks.length
  }
  const files = {
    'orchestrator-session.md': renderSession(sessionFileOf(board.session, board, core.settings)),
    'task-board.md': documentOf(...parts),
  }
  if (!(await isCurrent())) return undefined
  // A process that has just begun to supervise has written nothing yet, but another one may have.
  const known = written.size > 0 || wasWritten(core.root, id)
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    const wanted = await hashOfText(text)
    const before = written.get(name)
    const stamp = stampOf(path)
    const found = stamp !== undefined && stamp === before?.stamp ? before.hash : await hashOfFile(path)
    if (found === wanted) written.set(name, { hash: found, ...(await asFound(path, found)) })
    else {
      if (known && found !== undefined && found !== before?.hash && !isOwnWrite(core.root, found)) {
        const problem = `${name} was changed by another program; it belongs to the orchestrator, so the change was ignored and the file rewritten.`
        await perform(core, recordFileProblem, { file: name, problem, of: null }, actor)
      }
      noteOwnWrite(core.root, id, wanted)
      // A change made meanwhile is reported in the next round.
      if (!(await writeLargeFile(path, text, () => stampOf(path) === stamp))) return undefined
      written.set(name, { hash: wanted, ...(await asFound(path, wanted)) })
    }
  }
  return (await isCurrent()) ? count : undefined
}

/** A draft that was not written to for so long (ms) is abandoned. */
const LOST = 60_000

/** The names of generated files, for git's exclude file. */
const ours = ['orchestrator-session*.md', 'task-board*.md', 'progress-*.md', 'result-*.md', '.*.tmp']

/** Notes of agents about their work. A person who wants to commit them adds them with 'git add --force'. */
const memories = ['working_memory_*.json', 'archive/']

/**
 * Adds the generated files to the repository's own exclude file, which is never committed, because they come and go
 * with the session.
 */
const hideFromGit = async ({ core: { root }, memory }: World): Promise<void> => {
  const folder = memory.basePath.replace(/\/+$/, '')
  const lines = [
    ...((await isKnownToGit(root, `${folder}/task-board.md`)) ? [] : ours.map((name) => `/${folder}/${name}`)),
    ...((await isKnownToGit(root, '.ai/working_memory_dev.json')) ? [] : memories.map((name) => `/.ai/${name}`)),
  ]
  if (lines.length === 0) return
  const exclude = resolve(root, (await git(root, ['rev-parse', '--git-path', 'info/exclude'])).trim())
  const known = existsSync(exclude) ? readFileSync(exclude, 'utf8') : ''
  if (lines.every((line) => known.includes(line))) return
  mkdirSync(dirname(exclude), { recursive: true })
  appendFileSync(
    exclude,
    `${known === '' || known.endsWith('\n') ? '' : '\n'}# Files of aiswarm's sessions\n${lines.join('\n')}\n`,
  )
}

/** True for a file that exists, whose owner decides about it, or that is ignored already. */
const isKnownToGit = async (root: string, path: string): Promise<boolean> =>
  existsSync(join(root, path)) ||
  (await askGit(root, ['check-ignore', '--quiet', path], { answers: [1] })).exitCode === 0

/** The stamp of a file with this content, taken before it was read. */
const asFound = async (path: string, wanted: string): Promise<{ readonly stamp?: string }> => {
  const stamp = stampOf(path)
  return stamp !== undefined && (await hashOfFile(path)) === wanted ? { stamp } : {}
}

/** A stamp that changes with every write, because no program can set the time of an inode's status change (ctime). */
const stampOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

// The supervisor and a command that ends a session write the same files from separate processes: each notes the content
// it is about to write, so that no other process of aiswarm reports it as a foreign change.

/** Room for about a thousand notes (bytes); only the last hundred matter. */
const MOST = 1 << 16
const KEPT = 100

const pathOf = (root: string): string => join(runFolder(root), 'session-files')

/** Notes that a process of aiswarm writes a file of a session, with this hash. */
export const noteOwnWrite = (root: string, session: string, hash: string): void => {
  const path = pathOf(root)
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST)
    writeFileSync(path, notes(root).slice(-KEPT).join(''))
  appendFileSync(path, `${hash} ${session}\n`)
}

/** True if a process of aiswarm has lately written a file with this hash. */
export const isOwnWrite = (root: string, hash: string): boolean =>
  notes(root).some((note) => note.startsWith(`${hash} `))

/** True if a process of aiswarm has written the files of this session before. */
const wasWritten = (root: string, session: string): boolean =>
  notes(root).some((note) => note.endsWith(` ${session}\n`))

const notes = (root: string): readonly string[] => {
  const path = pathOf(root)
  return statSync(path, { throwIfNoEntry: false }) ? (readFileSync(path, 'utf8').match(/^.*\n/gm) ?? []) : []
}
