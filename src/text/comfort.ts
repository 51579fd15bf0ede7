// Themes, strict mode, saved preferences, first steps, pane layout and key bindings.

export const themeText = {
  noColours: 'NO_COLOR is set in the environment, so the theme cannot be changed.',
  chosen: (theme: string, background: string) => `Theme: ${theme}${background}.`,
  now: (theme: string) => `, ${theme} now`,
  notTold: ', which does not report it',
  names: {
    auto: 'as the terminal background',
    dark: 'dark',
    light: 'light',
    contrast: 'high contrast',
    mono: 'no colours',
  },
} as const

export const strictText = {
  needsLeader: (leader: string, key: string, does: string) => `Strict mode: press ${leader}, then ${key}, to ${does}.`,
  saysYes: 'confirm',
  does: (label: string) => `run '${label}'`,
  isOff: 'Strict mode is off. Set console.strict in the configuration to turn it on.',
  nextActs: 'The next key is enabled.',
} as const

export const notRemembered = (why: string): string => `The setting cannot be saved for the next console: ${why}`

/** First steps, shown until the first task is created. */
export const guideText = {
  newTask: 'An agent starts for it, in a worktree of its own.',
  newCommand: "No agent CLI found: give it a command, or run 'aiswarm doctor'.",
  integrate: (key: string) => `Then ${key} on its worktree shows the changes for your approval.`,
  find: (help: string, palette: string, back: string) =>
    `${help} shows all keys, ${palette} finds a command, ${back} hides these lines.`,
} as const

/** Messages about zoomed, hidden and resized panes. */
export const arrangementText = {
  zoomed: 'The pane is zoomed. {zoom} shows all panes.',
  isZoomed: 'zoomed, {zoom} shows all',
  areHidden: (keys: string) => `hidden: ${keys}`,
  lastPane: 'The last visible pane cannot be hidden. Press the number of another pane to show it.',
  isHidden: (pane: string, key: string) => `${pane} is hidden. ${key} shows it again.`,
  belowEachOther: 'The panes are stacked: use {lower} and {taller}.',
  besideEachOther: 'No pane is above or below this one: use {wider} and {narrower}.',
  widest: 'The pane has its maximum width. {narrower} makes it narrower.',
  narrowest: 'The pane has its minimum width. {wider} makes it wider.',
  tallest: 'The pane has its maximum height. {lower} makes it lower.',
  lowest: 'The pane has its minimum height. {taller} makes it taller.',
  unmoved: 'No border was moved: each pane is as large as its content.',
  onePane: 'The terminal has room for one pane.',
  panes: { board: 'The board', agents: 'The list of agents', log: 'The log', worktrees: 'The list of worktrees' },
} as const

/** Errors in `console.keys`, after the name of the setting. */
export const bindingText = {
  refused: (id: string, problem: string) => `console.keys.${id}: ${problem}${problem.endsWith('?') ? '' : '.'}`,
  unknown: (id: string, keys: string, near: string) => `no key has the name '${id}' (set to '${keys}')${near}`,
  didYouMean: (id: string) => `; did you mean ${id}?`,
  allNames: '; docs/console.md and the search in the help list the names',
  answersForGood: (id: string, key: string) =>
    `'${id}' answers a question that cannot be undone, so its key stays '${key}'`,
  needsKey: (id: string) => `'${id}' needs a key`,
  cannotBe: (key: string, id: string, why: string) => `'${key}' cannot be the key of '${id}': ${why}`,
  leaves: 'it quits the console from any view',
  goesBack: 'it goes back',
  sameAs: (key: string) => `a terminal cannot tell it from ${key}`,
  noKey: 'terminals do not send it as one key',
  noLetter: 'it is not a letter',
  letterIsText: 'in a text field, a letter is text',
  taken: (key: string, id: string, other: string) =>
    `'${key}' of '${id}' is already the key of '${other}'. Give '${other}' another key too`,
} as const
