import type { Review, ReviewFile } from '../../../../contracts/review.ts'
import { viewedText } from '../../../../text/integration.ts'
import type { Controller } from '../../../core/controller.ts'
import type { Kept, ViewedFiles } from '../../../core/console-memory.ts'
import type { ConsoleState } from '../../../core/state.ts'

// Which files of a diff a person has read, by their contents: they are read until their diff is another one.

export type ViewedMark = 'viewed' | 'changed' | 'unread'

export const viewedIn = ({ kept }: Pick<ConsoleState, 'kept'>, worktree: string): ViewedFiles =>
  kept.viewed[worktree] ?? NONE

const NONE: ViewedFiles = {}

export const markOf = (viewed: ViewedFiles, file: ReviewFile): ViewedMark => {
  const known = Object.hasOwn(viewed, file.path) ? viewed[file.path] : undefined
  return known === undefined ? 'unread' : known === contentOf(file) ? 'viewed' : 'changed'
}

/** Both versions of a file: the diff of a file that another merge has changed below is another diff. */
const contentOf = ({ oldOid, newOid, newMode }: ReviewFile): string =>
  `${oldOid.slice(0, 12)} ${newOid.slice(0, 12)} ${newMode}`

/** The number of read files; undefined if the person reads without marking any. */
export const viewedLine = (viewed: ViewedFiles, { files }: Review): string | undefined => {
  const marks = files.map((file) => markOf(viewed, file))
  const [read, changed] = (['viewed', 'changed'] as const).map((mark) => marks.filter((one) => one === mark).length)
  return read === 0 && changed === 0 ? undefined : viewedText.line(read!, changed!, files.length)
}

/** Marks a file as read or unread, for this console and the next. */
export const keepViewed = ({ keep, state }: Controller, worktree: string, file: ReviewFile, isRead: boolean): void => {
  const present = new Set(state().board.worktrees.map(({ name }) => name))
  keep(({ viewed }: Kept) => {
    const { [file.path]: _, ...others } = viewed[worktree] ?? NONE
    const files = isRead ? { ...others, [file.path]: contentOf(file) } : others
    const entries = Object.entries(viewed).filter(([name]) => name !== worktree && present.has(name))
    return { viewed: Object.fromEntries([...entries, [worktree, newest(files)]]) }
  })
}

/** The most files of a worktree whose reading is kept. */
const MOST = 2000

const newest = (files: ViewedFiles): ViewedFiles => Object.fromEntries(Object.entries(files).slice(-MOST))
