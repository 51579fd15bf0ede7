import { day, whole } from '../../support/dose.ts'
import type { Fixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'
import { hostile } from './families.ts'
import { hostileCommands, hostileMemory } from './sources.ts'

// Every view of the console, and the keys to it from the panes.

const enter = '\r'
/**
 * Keys in the encoding of terminals that distinguish them: an Esc alone, with a key 12 ms later, may be read as Alt
 * with that key.
 */
const escape = '\u001b[27u'
const [up, down] = ['\u001b[A', '\u001b[B']
const wipe = '\u0015'

/** A paste as a terminal sends it. It cannot contain the end of a paste, which no terminal passes through. */
const pasted = (source: string): string => `\u001b[200~${hostile(source)}\u001b[201~`

const times = (count: number, ...keys: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => keys).flat()

interface View {
  readonly name: string
  readonly keys: readonly string[]
}

const view = (name: string, ...keys: readonly string[]): View => ({ name, keys })

/** All sections one after the other in their initial state, then each opened or folded. */
const sections = [']]]]]]]]]]]]', '[[[[[[[[[[[[', ' ', ...times(10, '] '), ...times(4, '\u001b[6~')]

/** Each is opened from the board's first row; some need the state that the previous one has left. */
export const allViews: readonly View[] = [
  view('board'),
  view('board as columns', 'b'),
  view('board as tree', 'b'),
  view('board as list', 'b', 'g'),
  view('board of tasks', 'j', 'j', 'j', 'j'),
  view('agents', '2', 'j', 'j', 'j', 'j'),
  view('log', '3', ...times(6, '\u001b[5~'), ...times(6, '\u001b[6~'), 'g', 'G'),
  view('worktrees', '4', 'j', 'j'),
  view('task', enter, ...sections),
  view('failed task', 'j', 'j', enter, ...sections),
  view('completed task', 'j', 'j', 'j', enter, ...sections),
  view('task with a command', 'G', enter, ...sections),
  view('agent', '2', 'G', enter, ...sections),
  view('agent with runs', '2', 'g', 'j', 'j', enter, ...sections),
  view('beginning of a conversation', '2', 'g', 'j', 'j', 'c', 'e', 'g'),
  view('conversation', '2', 'g', 'j', 'j', 'c', 'e', 'C'),
  view('search in a conversation', '2', 'g', 'j', 'j', 'c', '/', pasted('sought'), enter),
  view('race', 'R', 'l', 'h', enter, escape),
  view('second racer', 'R', 'l'),
  view('worktree', '4', 'g', enter, ...sections),
  view('another worktree', '4', 'G', enter, ...sections),
  view('permission', '2', 'g', enter, ...times(4, '\u001b[6~')),
  view('question', '2', 'g', 'j', enter, ...times(4, '\u001b[6~'), enter, '\u001b[C', '\t', pasted('reply')),
  view('inbox', 'W', ...times(9, 'j'), ...times(9, 'k'), ' ', '*'),
  view('bulk question', 'W', ' ', 'a'),
  view('radar', 'C', 'j', 'l', 'h', enter, escape, 'G', enter),
  view('conflict', 'C', 'l', 'l', enter),
  view('review', '4', 'g', 'j', 'i', ...times(12, '\u001b[6~'), 'g', ...times(8, ']'), ...times(8, 'j')),
  view('remark on a line', '4', 'g', 'j', 'i', ']', 'j', 'j', 'j', 'c', pasted('comment'), enter, 'S'),
  view('search in a review', '4', 'g', 'j', 'i', '/', 'evil', enter, '/', pasted('search')),
  view('rejection', '4', 'g', 'j', 'i', 'n', pasted('reason')),
  view('verification', '4', 'g', 'j', 'i', 'L', ...times(4, '\u001b[6~')),
  view('memory', 'm', ...times(8, 'j')),
  view('working memory', 'm', '1', enter, ...times(4, '\u001b[6~'), escape, ...times(6, 'j', enter, escape)),
  view('decisions', 'm', '2', enter, ...times(3, '\u001b[6~'), escape, 'j', enter),
  view('timeline of the memory', 'm', '3', enter, ...times(3, '\u001b[6~'), escape, 'j', enter),
  view('conversations', 'm', '4', enter, ...times(6, '\u001b[6~')),
  view('search in the memories', 'm', '/', 'evil', enter, ...times(4, 'j'), enter, escape),
  view('words for the memories', 'm', '/', pasted('sought'), enter),
  view('trail', 't', ...times(6, '\u001b[6~')),
  view('logs', 'L', 'w', 'g', ...times(4, '\u001b[6~'), 'w'),
  view('search in the logs', 'L', '/', 'evil', enter, 'N', '/', pasted('sought')),
  view('saved logs', 'L', 's'),
  view('past', 'T', 'h', 'h', 'g', 'l', 'G'),
  view('plots', 'P', '\t', '\t', '\t'),
  view('guard', '!', ...times(3, '\u001b[6~')),
  view('moved', 'W', 'g', 'j', enter, ...times(3, '\u001b[6~')),
  view('checkout', 'W', 'G', enter, ...times(3, '\u001b[6~')),
  view('mail', 'W', 'G', 'k', enter, ...times(3, '\u001b[6~')),
  view('hosts', 'H', 'j'),
  view('lost host', 'H', 'j', 'x'),
  view('git commands', '@', ...times(3, '\u001b[6~')),
  view('palette', ':', pasted('typed')),
  view('palette of the past', ':', up, up),
  view('command form', ':', 'task hostile', enter, pasted('word'), enter),
  view('command answer', ':', 'task hostile', enter, wipe, 'ok', enter),
  view('command question', ':', 'task hostile', enter, wipe, 'destroy', enter),
  view('copied line', ':', 'task hostile', enter, wipe, pasted('copied'), '\u0019'),
  view('filter', '/', pasted('filtered')),
  view('filter in words', '/', 'evil persona:'),
  view('name of a filter', '/', 'evil', '\u0013', pasted('named')),
  view('saved filters', '/', down),
  view('help', '?', ...times(3, '\u001b[6~')),
  view('search in the help', '?', '/', pasted('sought'), enter),
  view('search in the help that is typed', '?', '/', pasted('sought')),
  view('new task', 'n', pasted('newtitle'), '\t', '\u001b[C'),
  view('edited task', 'j', 'j', 'e'),
  view('new agent', '2', 's', '\t', '\u001b[C', '\u001b[C'),
  view('discard', '4', 'g', 'd', pasted('reason'), enter),
  view('cancel', 'x'),
  view('terminate', '2', 'g', 'x'),
  view('start of a command', 'G', 's'),
]

/** Parts in which the views are visited, one per day: adjacent views stay together. */
const PARTS = 4

/** The views of the day, and always those of the board, which come first. */
export const views: readonly View[] = allViews.filter(
  ({ name }, index) =>
    whole || name.startsWith('board') || Math.floor((index * PARTS) / allViews.length) === day % PARTS,
)

/** Opens a view, waits until its required observations are made, and goes back. */
export const visit = async (screen: Screen, { keys, name }: View, seen: () => Promise<void>): Promise<void> => {
  for (const key of keys) {
    await screen.press(key)
    // Requested first: until the review is open, the next key would be one of the panes. Read aloud, a long name moves
    // its title away.
    if (key === 'i') await screen.shows(/Integrate |y approve/)
  }
  await seen()
  // One Esc for each view that may cover another; on the panes it clears the filter.
  for (let n = 0; n < 6; n++) await screen.press(escape)
  await screen.press('1')
  if (!name.startsWith('board')) await screen.press('g')
}

/** The real console on the hostile session, at a given size. */
export const openConsole = (
  fixture: Fixture,
  size: { readonly columns: number; readonly rows: number; readonly environment?: NodeJS.ProcessEnv },
): Screen =>
  openScreen(fixture, {
    ...size,
    pace: 12,
    repository: { name: hostile('repository'), branch: hostile('checkout') },
    notice: hostile('notice'),
    commands: () => Promise.resolve(hostileCommands),
    memory: { read: () => hostileMemory, write: () => {} },
    reports: (told) => setTimeout(() => told(hostile('report')), 50),
    announce: () => {},
  })

/** The output without the one sequence that contains foreign text on purpose: the line that the person copied, as base64. */
export const writtenBesideCopies = (screen: Screen): string =>
  // oxlint-disable-next-line no-control-regex -- the sequence that is taken out
  screen.written.join('').replace(/\u001b\]52;c;[A-Za-z0-9+/=]*\u0007/g, '')
