import { type Program, textOf } from './program.ts'

/** A screen of the demo: the keys that lead to it from the panes, and a text that it shows at every size. */
export interface Scene {
  readonly name: string
  readonly title: string
  readonly keys: readonly string[]
  readonly shows: RegExp
}

const ESCAPE = '\u001b'

/** What a person meets in the demo once all its tasks are completed, and a merge waits for approval. */
export const scenes: readonly Scene[] = [
  { name: 'panes', title: 'The panes', keys: ['1'], shows: /Design login/ },
  { name: 'task', title: 'A task', keys: ['1', 'g', '\r'], shows: /Design login API/ },
  { name: 'review', title: 'A merge that waits for approval', keys: ['4', 'g', 'i'], shows: /approve/ },
  { name: 'diff', title: 'Its diff', keys: ['4', 'g', 'i', ']', ']', ']'], shows: /login|README/ },
  { name: 'inbox', title: 'The inbox', keys: ['W'], shows: /Inbox/ },
  { name: 'plots', title: 'The plots', keys: ['P'], shows: /Per|completed/ },
  { name: 'past', title: 'The timeline', keys: ['T', 'h', 'h', 'h'], shows: /\d+\/\d+/ },
  { name: 'form', title: 'A new task', keys: ['n'], shows: /[Tt]itle/ },
  { name: 'palette', title: 'The palette', keys: [':', 'merge'], shows: /: merge[^]*integrat/i },
  { name: 'help', title: 'The help', keys: ['?'], shows: /\/ search/ },
]

export const sizes: readonly (readonly [columns: number, rows: number])[] = [
  [200, 50],
  [120, 36],
  [80, 24],
  [60, 15],
  [40, 10],
]

/**
 * Leads from the panes to a scene, calls `look`, and returns to the panes. Returns false if the screen did not show the
 * scene's text.
 */
export const visit = async (program: Program, scene: Scene, look: () => void): Promise<boolean> => {
  for (const keys of scene.keys) {
    program.press(keys)
    await program.settled()
  }
  const isShown = (): boolean => scene.shows.test(textOf(program.terminal))
  // On a busy machine the program may be quiet before it has read a key.
  for (let more = 20; more > 0 && !isShown(); more--) await program.settled()
  const shown = isShown()
  look()
  // A text that is typed, the view, and the view before it.
  for (const _ of [1, 2, 3]) {
    program.press(ESCAPE)
    await program.settled()
  }
  return shown
}
